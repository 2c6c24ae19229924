/** A pool that became smaller while the town was down: who waits for a dog says so, wherever a person looks. */
import { expect, test } from 'vitest';
import { DEAF, LiveTown, until } from '../crash/live.ts';
import { preload } from '../crash/strike.ts';

test('of two hearings one waits for a dog once the pool has one', async () => {
  await using town = new LiveTown('[dance]\nwindows = ["10m", "10m", "10m"]\nread_warrants_every = "200ms"\n');
  const before = await town.up();
  const asked = async (): Promise<string> => (await town.cli.run('dog', 'dances')).stdout;
  for (const name of ['first', 'second']) {
    await town.agent(name, DEAF);
    town.accuse(name);
    await until(async () => new RegExp(`${name} +asked +1 +in 10 min`).test(await asked()));
  }
  await town.down(before);
  town.start(preload, null, '--set', 'dance.pool_size=1');
  await town.statusWhen(({ ready }) => ready);
  expect(await asked()).toMatch(/first +asked +1 [\s\S]*second +waits for a dog +1 +- /);
  const status = (await town.cli.run('status')).stdout;
  expect(status).toMatch(/first .*question 1 of 3/);
  expect(status).toMatch(/second .*question 1 of 3 waits for a dog: the pool is full/);
  expect((await town.cli.run('why', 'second')).stdout).toContain('now: second waits for a dog to be heard');
  expect((await town.cli.run('dog', 'show', 'second')).stdout).toContain('second, waits for a dog');
  const dances = await town.cli.data<{ target: string; state: string; waits: boolean }[]>('dog', 'dances');
  expect(dances).toMatchObject([
    { target: 'first', state: 'interrogating', waits: false },
    { target: 'second', state: 'interrogating', waits: true },
  ]);
});
