/** Locks that a killed git left, in each file that the town's own calls change; and those that a living one holds. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fetchHeads, seenRef } from '../../../src/git/fetch.ts';
import { pastLeftLocks } from '../../../src/git/left-locks.ts';
import { push } from '../../../src/git/push.ts';
import { changeSetting } from '../../../src/git/settings.ts';
import { withGit } from '../../../src/rigs/repository.ts';
import { RigOn } from '../../rigs/yard.ts';

/** In a container no lock is taken, since its holder may be outside; left-locks-elsewhere.test.ts has that. */
const SEES_ALL = process.platform !== 'linux' || readlinkSync('/proc/self/ns/pid') === 'pid:[4026531836]';

let shift = 0;
/** By this many ms the clock of the process goes ahead: no test waits a minute. */
const ahead = (ms: number): void => {
  shift += ms;
  if (vi.isMockFunction(performance.now)) return;
  const now = performance.now.bind(performance);
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + shift);
  onTestFinished(() => {
    shift = 0;
    spy.mockRestore();
  });
};

/** Programs of git that run beside this test, may hold the lock as well: they end soon. */
const goesThrough = (act: () => Promise<unknown>): Promise<unknown> =>
  vi.waitFor(act, { timeout: 50_000, interval: 100 });

/** Behind one lock there may be another. */
async function minuteLater(act: () => Promise<unknown>): Promise<void> {
  ahead(61_000);
  await act();
}

type Act = (it: RigOn) => Promise<unknown>;
const fetch: Act = ({ rig }) =>
  fetchHeads({ gitDir: rig.commonDir, cwd: rig.repo }, 'origin', ['main', 'polecat/*'], ['main']);
const update =
  (...words: string[]): Act =>
  (it) =>
    withGit(it.rig, ({ repo }) => repo.run(['update-ref', ...words]));
const set: Act = async ({ rig }) => {
  if (!(await changeSetting(rig.commonDir, ['--replace-all', 'town.root', '/t'])))
    throw new Error('could not lock config file');
};

const LOCKS: readonly (readonly [lock: string, act: Act])[] = [
  ['refs/remotes/origin/main', fetch],
  [seenRef('origin', 'main'), fetch],
  ['refs/town/handed/u', update('refs/town/handed/u', 'HEAD')],
  ['packed-refs', update('-d', 'refs/heads/side')],
  ['config', set],
];

async function made(): Promise<RigOn> {
  const it = new RigOn();
  it.git('branch', 'side');
  it.commit('more', 'more\n');
  it.git('push', '-q', it.origin, 'HEAD:main');
  await withGit(it.rig, ({ repo }) => repo.run(['update-ref', 'refs/town/handed/u', 'refs/heads/side']));
  return it;
}

// Rules: law 1, R-1.
test.runIf(SEES_ALL).each(LOCKS)(
  '%s.lock that was left is taken away a minute after it was seen',
  async (name, act) => {
    const it = await made();
    const lock = join(it.rig.commonDir, `${name}.lock`);
    execFile('mkdir', ['-p', join(lock, '..')]);
    await pause(100);
    writeFileSync(lock, '');
    await expect(act(it)).rejects.toThrow(/lock/);
    await expect(act(it)).rejects.toThrow(/lock/);
    expect(existsSync(lock)).toBe(true);
    ahead(61_000);
    await goesThrough(() => act(it));
    expect(existsSync(lock)).toBe(false);
  },
);

// Rules: law 1, R-1.
test.runIf(SEES_ALL)(
  'an empty file of a worktree that was left half made is written a minute after it was seen',
  async () => {
    const it = await made();
    it.git('worktree', 'add', '-q', '-b', 'new', join(it.root, 'new'));
    const file = join(it.rig.commonDir, 'worktrees/new/commondir');
    const whole = readFileSync(file, 'utf8');
    truncateSync(file);
    await expect(fetch(it)).rejects.toThrow('commondir');
    await expect(fetch(it)).rejects.toThrow('commondir');
    expect(readFileSync(file, 'utf8')).toBe('');
    ahead(61_000);
    await goesThrough(() => fetch(it));
    expect(readFileSync(file, 'utf8')).toBe(whole);
  },
);

// Rules: law 1, R-1.
test.each([
  ['in the words of git', String.raw`error: Unable to create '%s.lock': File exists.\n`],
  ['after a carriage return', String.raw`\rfatal: Unable to create '%s.lock': File exists.\n`],
  ['as one of settings', String.raw`\nerror: could not lock config file %s: File exists\n`],
])('a file that a remote names %s stays', async (_, format) => {
  const it = await made();
  const named = ['Cargo', '.git/refs/remotes/origin/side'].map((name) => join(it.top, name));
  for (const file of named) writeFileSync(`${file}.lock`, 'mine');
  const lines = named.map((file) => `printf "${format.replace('%s', file).replaceAll('\\', '\\\\')}"`);
  writeFileSync(join(it.origin, 'hooks/pre-receive'), ['#!/bin/sh', 'exec >&2', ...lines, 'exit 1', ''].join('\n'), {
    mode: 0o755,
  });
  const act = () => push({ gitDir: it.rig.commonDir, cwd: it.rig.repo }, 'side');
  await expect(act()).rejects.toThrow('Cargo');
  ahead(61_000);
  for (let n = 0; n < 5; n += 1) await expect(act()).rejects.toThrow('Cargo');
  expect(named.filter((file) => existsSync(`${file}.lock`))).toEqual(named);
});

// Rules: law 1, R-1.
test('git that is told of a lock outside of the repository leaves it', async () => {
  const it = await made();
  const lock = join(it.root, 'Cargo.lock');
  writeFileSync(lock, 'mine');
  const said = { failed: true, stderr: `fatal: Unable to create '${lock}': File exists.\n` };
  const inside = `${it.rig.commonDir}/../../Cargo.lock`;
  const act = (stderr = said.stderr) => pastLeftLocks(it.rig.commonDir, () => Promise.resolve({ ...said, stderr }));
  await act();
  ahead(61_000);
  for (let n = 0; n < 5; n += 1) await act(n % 2 === 0 ? said.stderr : said.stderr.replace(lock, inside));
  expect(existsSync(lock)).toBe(true);
});

// Rules: law 1.
test.runIf(SEES_ALL)(
  'one that a living git holds stays, however long, and one that is made anew begins anew',
  async () => {
    const it = await made();
    const lock = join(it.rig.commonDir, 'refs/town/handed/u.lock');
    // It holds its lock until its input ends.
    const holder = execFile('git', ['-C', it.top, 'update-ref', '--stdin']);
    holder.stdin?.write('start\nupdate refs/town/handed/u refs/heads/side\nprepare\n');
    await vi.waitFor(() => expect(existsSync(lock)).toBe(true), 10_000);
    const act = () => update('refs/town/handed/u', 'HEAD')(it);
    await expect(act()).rejects.toThrow('File exists');
    ahead(3_600_000);
    await expect(act()).rejects.toThrow('File exists');
    expect(existsSync(lock)).toBe(true);
    const gone = new Promise((resolve) => holder.once('exit', resolve));
    holder.kill('SIGKILL');
    await gone;
    expect(existsSync(lock)).toBe(true);
    await goesThrough(act);
    writeFileSync(lock, '');
    await expect(act()).rejects.toThrow('File exists');
  },
);

// Rules: law 1, R-1.
test.runIf(SEES_ALL)(
  'git killed at random moments of each call: a minute later for each lock the same call goes through',
  async () => {
    for (let n = 0; n < 12; n += 1) {
      const it = await made();
      const words = [
        [
          'fetch',
          '-q',
          'origin',
          '+refs/heads/main:refs/remotes/origin/main',
          `+refs/heads/main:${seenRef('origin', 'main')}`,
        ],
        ['update-ref', '-d', 'refs/heads/side'],
        ['worktree', 'add', '-q', '-b', 'new', join(it.root, 'new')],
      ][n % 3]!;
      const child = execFile('git', ['-C', it.top, ...words]);
      const gone = new Promise((resolve) => child.once('exit', resolve));
      await pause(n);
      child.kill('SIGKILL');
      await gone;
      const acts = [fetch, update('-d', 'refs/heads/side'), () => it.spawn(`ace-${String(n)}`)];
      for (const act of acts) await act(it).catch(() => undefined);
      for (const act of acts.slice(0, 2)) await goesThrough(() => minuteLater(() => act(it)));
      const [main = ''] = it.git('ls-remote', it.origin, 'refs/heads/main').split('\t');
      for (const ref of ['refs/remotes/origin/main', seenRef('origin', 'main')])
        expect(it.git('rev-parse', ref).trim()).toBe(main);
    }
  },
  300_000,
);
