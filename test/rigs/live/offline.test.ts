/** What `town rig` and `town polecat spawn` say where there is no remote, and where it does not answer. */
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LiveTown } from '../../crash/live.ts';
import { RigOn } from '../yard.ts';

const DAY_S = 86_400;

async function said(town: LiveTown, code: number, ...words: string[]): Promise<string> {
  const { code: exit, stdout, stderr } = await town.cli.run(...words);
  expect([words.join(' '), exit]).toEqual([words.join(' '), code]);
  return stdout + stderr;
}

// Rules: R-1.
test('a rig without a remote is told so when it is added, with the branch that work begins at', async () => {
  const town = new LiveTown('');
  const repo = new RigOn({ remote: false });
  const commit = repo.git('rev-parse', '--short=12', 'main').trim();
  const added = await said(town, 0, 'rig', 'add', 'shop', '--repo', repo.top);
  expect(added).toContain('its remote is none: its work stays in this repository');
  expect(added).toContain(`work begins at main at ${commit}, a branch of the repository itself: it has no remote`);
  repo.git('branch', '-m', 'main', 'work');
  const other = await said(town, 0, 'rig', 'add', 'barn', '--repo', repo.top);
  expect(other).toContain('no commit on main or master; name it: town rig set barn --base <branch>');
});

// Rules: R-1.
test('a remote that does not answer leaves the age of what was fetched, in days', async () => {
  const town = new LiveTown('');
  const repo = new RigOn();
  await said(town, 0, 'rig', 'add', 'shop', '--repo', repo.top);
  await town.up();
  const commit = repo.git('rev-parse', '--short=12', 'main').trim();
  const then = Date.now() / 1_000 - 3 * DAY_S - 60;
  utimesSync(join(repo.top, '.git/FETCH_HEAD'), then, then);
  // When the town fetched it stands in git's log of its own note.
  const log = join(repo.top, '.git/logs/refs/town/main/origin/main');
  writeFileSync(log, readFileSync(log, 'utf8').replaceAll(/ \d+ \+0000\t/g, ` ${String(Math.floor(then))} +0000\t`));
  renameSync(repo.origin, `${repo.origin}-away`);
  const old = `main at ${commit}, as of 3 d ago: the remote does not answer`;
  expect(await said(town, 0, 'rig', 'show', 'shop')).toContain(old);
  expect(await town.cli.data('rig', 'show', 'shop')).toMatchObject({ base: 'main', base_is: 'stale' });
  const spawned = await said(town, 0, 'polecat', 'spawn', 'shop', 'nux', '--', 'sleep', '100000');
  expect(spawned).toContain(`work begins at ${old}`);
  expect(
    execFileSync('git', ['-C', join(town.root, 'shop/polecats/nux'), 'rev-parse', 'HEAD'], { encoding: 'utf8' }),
  ).toContain(commit);
});
