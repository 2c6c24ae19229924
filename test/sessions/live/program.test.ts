/** An agent's program that changes, in a real town, and where it is looked for. */
import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathsOf } from '../../../src/town/programs.ts';
import { session } from '../../state/make.ts';
import { town as over } from '../../tmux/over.ts';
import { TestTown, until } from '../../cli/town.ts';

interface Health {
  readonly changes: readonly string[];
}

const changesIn = async (town: TestTown): Promise<readonly string[]> => (await town.data<Health>('health')).changes;

test('replaced right after its start: the first look, which is the next town’s, sees it', async () => {
  const town = await new TestTown().up();
  const program = join(town.home, 'agent');
  const put = (): void => {
    copyFileSync('/usr/bin/sleep', `${program}.new`);
    renameSync(`${program}.new`, program);
  };
  put();
  expect((await town.run('session', 'start', 'builder', '--', program, '1000')).code).toBe(0);
  expect(town.record('builder')?.program).toMatchObject({ file: program, version: null });
  put();
  await town.run('restart');
  expect(
    await until(
      () => changesIn(town),
      (all) => all.length > 0,
    ),
  ).toEqual([`the program of builder was replaced; its next start runs ${program} as it is now`]);
});

test('each agent’s program is looked for in the PATH that a start of it would have', async () => {
  const made = await over({ values: { PATH: '/named' } });
  await made.server.tmux('set-environment', '-g', 'PATH', '/of-the-server');
  const paths = pathsOf(made.tmux, async () => ({ PATH: '/named' }));
  const record = (env: readonly string[]) => session('builder', { spec: { ...session('builder').spec, env } });
  await made.tmux.connect();
  const pathOf = await paths();
  expect(await pathOf(record([]))).toBe('/of-the-server');
  expect(await pathOf(record(['PATH']))).toBe('/named');
});
