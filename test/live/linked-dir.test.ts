/** An agent of town.toml whose record an older town wrote with a folder through a link. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionRecord } from '../../machines/protocol.ts';
import { agent, House } from './lost.ts';

// Rules: M-11.
test('a folder on record that leads to the one of town.toml is kept as that has it', async () => {
  const house = new House();
  house.configure(agent('permanent'));
  await house.up();
  await house.viewed('c', ({ alive }) => alive === true);
  expect((await house.run('down')).code).toBe(0);
  const link = join(house.home, 'link');
  symlinkSync(house.root, link);
  const { schema: _, sum: __, ...before } = house.record('c') as SessionRecord & Record<'schema' | 'sum', unknown>;
  house.session('c', { ...before, spec: { ...before.spec, dir: link } });
  await house.up();
  expect(house.names('quarantine')).toEqual([]);
  expect((await house.run('session', 'stop', 'c')).code).toBe(0);
  expect(house.record('c')).toMatchObject({ state: 'ended', spec: { dir: before.spec.dir } });
});
