/** `town reload` and SIGHUP: a changed town.toml is in force without a restart of anything that runs, and a wrong one changes nothing. */
import { beforeEach, expect, test } from 'vitest';
import { exits, prints, TestTown, until } from '../cli/town.ts';
import type { Status } from '../cli/views.ts';

const agent = (name: string): string => `[[agents]]\nname = "${name}"\ncommand = ["sleep", "100000"]\n`;

let town: TestTown;
beforeEach(async () => {
  town = new TestTown(agent('builder'));
  await town.up();
});

const now = (): Promise<Status & { readonly config_changed: boolean }> => town.data('status');
const livesBy = (name: string): Promise<number> =>
  until(
    () => Promise.resolve(town.record(name)?.incarnation?.agent.pid),
    (pid) => pid !== undefined,
  ).then(Number);

// Rules: C-17.
test('new agents and thresholds are in force, and what runs goes on', async () => {
  const before = await now();
  const pid = await livesBy('builder');
  expect(before.config_changed).toBe(false);
  town.configure(`${agent('builder')}${agent('tester')}[dance]\npool_size = 7\n`);
  expect((await now()).config_changed).toBe(true);
  prints(await town.run('status'), 0, '`town reload` takes it up');
  const { changes, epoch } = await town.data<{ changes: string[]; epoch: number }>('reload');
  expect(changes).toEqual(['dance.pool_size', 'agent tester']);
  expect(epoch).toBeGreaterThan(before.epoch);
  await livesBy('tester');
  expect(await livesBy('builder')).toBe(pid);
  const after = await town.status((one) => one.running && one.ready);
  expect(after.pid).not.toBe(before.pid);
  expect((await now()).config_changed).toBe(false);
});

// Rules: C-17.
test('what town.toml names and is not there is said at once', async () => {
  town.configure(
    `${agent('builder')}[[agents]]\nname = "tester"\ncommand = ["no-such-program"]\n[rig.shpo]\nmax_polecats = 2\n`,
  );
  const { stdout } = await town.run('reload');
  expect(stdout).toContain('no-such-program');
  expect(stdout).toContain('shpo');
});

// Rules: C-17.
test('a wrong file is refused in one sentence with its line, and changes nothing', async () => {
  const before = await now();
  town.configure('[dance\n');
  const refused = await town.run('reload');
  exits(refused, 2, 'line 3');
  expect(refused.stderr.trim().split('\n')).toHaveLength(1);
  process.kill(before.pid, 'SIGHUP');
  await until(
    () => town.run('daemon', 'logs'),
    ({ stdout }) => stdout.includes('goes on with the configuration'),
  );
  expect((await now()).pid).toBe(before.pid);
});

// Rules: C-17.
test('SIGHUP takes up a changed file too', async () => {
  const before = await now();
  town.configure(`${agent('builder')}${agent('tester')}`);
  process.kill(before.pid, 'SIGHUP');
  await town.status((one) => one.running && one.ready && one.pid !== before.pid);
  await livesBy('tester');
});

// Rules: C-17.
test('a town that is down reads it when it is up', async () => {
  expect((await town.run('down')).code).toBe(0);
  exits(await town.run('reload'), 3, 'town up');
});
