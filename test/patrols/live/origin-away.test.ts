/** An origin that is away for a while, on real git: work that is done meanwhile waits for it, and nothing is left to a person afterwards. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { PACE, rigTable, Shop } from '../shop.ts';

interface Listed {
  readonly name: string;
  readonly dir: string;
}

// Rules, W-3, A-4.
test('work waits while its origin is away, more begins, and all is merged and no question left once it is back', async () => {
  const town = new Shop(`${PACE}${rigTable('idle', 'max_polecats = 3')}`);
  town.write('town.toml', town.read('town.toml').replace(/^agent = .*$/m, 'agent = ["sleep", "100000"]'));
  await town.open();
  const polecats = (): Promise<Listed[]> => town.data('polecat', 'list');
  const away = `${town.remote}.away`;
  const works = async (count: number): Promise<Listed> => {
    const all = await until(polecats, ({ length }) => length === count);
    const one = all.find(({ name }) => name !== 'mend-the-parser') ?? all[0]!;
    await town.viewed(`gt-shop-${one.name}`, ({ state }) => state === 'running');
    return one;
  };
  const says = (name: string): Promise<unknown> =>
    town.run('mail', 'send', 'shop/witness', '-s', `POLECAT_DONE ${name}`, '-m', '');
  const commit = (dir: string, file: string, ...push: string[]): void => {
    writeFileSync(join(dir, file), `${file}\n`);
    town.git(dir, 'add', '.');
    town.git(dir, 'commit', '-qm', `add ${file}`);
    if (push.length > 0) town.git(dir, ...push);
  };

  const first = await town.bead('mend the parser');
  const { name, dir } = await works(1);
  commit(dir, 'parser', 'push', '-q', 'origin', 'HEAD');
  renameSync(town.remote, away);
  await says(name);
  // Its branch was pushed: it is the refinery's, which asks a person nothing but says once why it waits.
  await until(async () => (await town.subjects('overseer')).includes('the refinery of shop waits'));

  const second = await town.bead('count the cards');
  const other = await works(1);
  commit(other.dir, 'cards');
  await says(other.name);
  await until(async () => (await town.run('witness', 'patrol', 'shop')).stdout.includes('was not pushed'));
  town.witness('refinery_wait = "10ms"\n');
  await until(async () => (await town.data<unknown[]>('triage', 'list')).length > 0);
  // An outage that lasts is one alert for all that waits for its end; nothing is tried or asked of a polecat meanwhile.
  town.witness('remote_away = "10ms"\n');
  const standing = async (): Promise<string[]> => (await town.episodes()).filter((one) => one.includes('remote-away'));
  await until(async () => (await standing()).length === 1);
  expect((await town.shown(first)).status).toBe('in_progress');

  renameSync(away, town.remote);
  for (const id of [first, second]) await until(async () => (await town.shown(id)).status === 'closed');
  expect(town.git(town.remote, 'ls-tree', '--name-only', 'main').split('\n')).toEqual(['README', 'cards', 'parser']);
  await until(async () => (await town.data<unknown[]>('questions')).length === 0);
  expect(await town.data('triage', 'list')).toEqual([]);
}, 300_000);
