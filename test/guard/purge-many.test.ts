/** A purge of many sessions: a handful of tmux processes, for any number, and every one as free as a single one. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { purgeTmux } from '../../src/guard/purge.ts';
import { changeAll, readAll } from '../../src/tmux/batch.ts';
import { claimServer } from '../../src/tmux/owner.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { realDisk } from '../../state/files/disk.ts';
import { until, yard, type Yard, type YardOptions } from '../tmux/yard.ts';

async function house(options: YardOptions = {}): Promise<Yard> {
  const made = await yard({ epoch: 0, ...options });
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
}

/** Every start of the tmux program from now on is a line of the file. */
function countCalls(dir: string): () => number {
  const { PATH = '' } = process.env;
  const bin = join(dir, 'bin');
  const log = join(dir, 'calls');
  mkdirSync(bin);
  writeFileSync(log, '');
  writeFileSync(join(bin, 'tmux'), `#!/bin/sh\necho call >> '${log}'\nPATH='${PATH}'\nexec tmux "$@"\n`);
  chmodSync(join(bin, 'tmux'), 0o700);
  vi.stubEnv('PATH', `${bin}:${PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => readFileSync(log, 'utf8').split('\n').length - 1;
}

const purge = ({ root, server }: Yard): Promise<void> =>
  purgeTmux({
    root,
    socket: server.socketPath,
    disk: realDisk(root, 0),
    maxBytes: 100_000,
    policy: { tmuxAnswerMs: 20_000, columns: 200, rows: 50 },
  });

const marks = ({ server }: Yard): Promise<string> =>
  server.tmux('list-panes', '-a', '-F', '#{session_name} #{@town_key}#{@town_root}#{@town_pane} #{remain-on-exit}');

// Rules: F-4.
test('thirty sessions cost about as many tmux processes as three', async () => {
  const calls: number[] = [];
  for (const count of [3, 30]) {
    const made = await house();
    for (let n = 0; n < count; n += 1) await made.begin({ name: `agent-${n}` });
    const counted = countCalls(made.server.dir);
    await purge(made);
    calls.push(counted());
    vi.unstubAllEnvs();
    const left = (await marks(made)).split('\n');
    expect(left).toHaveLength(count + 1);
    for (const line of left) expect(line).toMatch(/^\S+ {2}(off)?$/);
    expect(await made.server.tmux('show-options', '-s')).not.toContain('@town');
    for (const pane of (await made.server.tmux('list-panes', '-a', '-F', '#{pane_id}')).split('\n'))
      expect(await made.server.tmux('show-hooks', '-p', '-t', pane)).toBe('');
  }
  const [few = 0, many = 0] = calls;
  expect(few).toBeGreaterThan(0);
  expect(many).toBeLessThan(few + 10);
});

test('the dead among many are saved and cleared, and a pane that a person opened beside one stays', async () => {
  const made = await house();
  for (let n = 0; n < 3; n += 1) await made.begin({ name: `live-${n}` });
  for (let n = 0; n < 4; n += 1)
    await made.begin({ name: `dead-${n}`, command: ['sh', '-c', `echo last ${n}; sleep 0.5; exit 3`] });
  await made.server.tmux('split-window', '-d', '-t', '=dead-3:', 'sleep', '1000');
  await until(async () => {
    await made.server.tmux('run-shell', 'true'); // so that it notices who ended
    const dead = await made.server.tmux('list-panes', '-a', '-F', '#{pane_dead}');
    return dead.split('\n').filter((flag) => flag === '1').length === 4;
  });
  await purge(made);
  expect((await made.sessions()).sort()).toEqual(['base', 'dead-3', 'live-0', 'live-1', 'live-2']);
  expect(await made.server.tmux('list-panes', '-t', '=dead-3:', '-F', '#{pane_dead} #{@town_key}')).toBe('0 ');
  for (let n = 0; n < 4; n += 1)
    expect(readFileSync(join(made.root, 'output', `dead-${n}.log`), 'utf8')).toContain(`last ${n}`);
});

// Rules: law 4.
test('the dead are left standing, and the purge says so, where one of them could not be saved', async () => {
  const made = await house();
  for (const name of ['one', 'two']) await made.begin({ name, command: ['sh', '-c', 'echo bye; exit 3'] });
  mkdirSync(join(made.root, 'output', 'two.log'));
  await until(async () => {
    await made.server.tmux('run-shell', 'true');
    return !(await made.server.tmux('list-panes', '-a', '-F', '#{session_name}#{pane_dead}')).match(/^(one|two)0/m);
  });
  await expect(purge(made)).rejects.toThrow(/of two shows could not be saved/);
  expect((await made.sessions()).sort()).toEqual(['base', 'one', 'two']);
});

test('a server whose last sessions are dead agents ends with them, which is no failure', async () => {
  const made = await house({ session: null });
  for (const name of ['one', 'two']) await made.begin({ name, command: ['sh', '-c', 'exit 3'] });
  await made.tmux.close();
  await until(async () => {
    await made.server.tmux('run-shell', 'true');
    return !(await made.server.tmux('list-panes', '-a', '-F', '#{pane_dead}')).includes('0');
  });
  await purge(made);
  await expect(made.server.tmux('list-sessions')).rejects.toThrow();
});

test('what tmux refuses for one is done for the others, in more than one call where it is much', async () => {
  const made = await house();
  const { tmux, server } = made;
  expect(await claimServer({ tmux, processes: createProcesses() }, { root: made.root, epoch: 0 })).toMatchObject({
    kind: 'owned',
  });
  const set = (id: string): string[] => ['set-option', '-t', id, '@mine', 'x'.repeat(300)];
  const groups = Array.from({ length: 100 }, (_, n) => [n === 50 ? set('=gone:') : [...set('=base:').slice(0, 3), `@m${n}`, 'x'.repeat(300)]]); // prettier-ignore
  await changeAll(tmux, groups);
  const options = await server.tmux('show-options', '-t', '=base:');
  expect(options.match(/^@m\d+ /gm)).toHaveLength(99);
  const shown = await readAll(
    tmux,
    ['a', 'b', 'c'].map((word) => [word === 'b' ? set('=gone:') : ['display-message', '-p', word]]),
  );
  expect(shown).toEqual(['a\n', null, 'c\n']);
});
