/** A tmux that hangs, dies or is used by others, panes that forge its replies, a town without descriptors, a clock that jumps. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { connectTown } from '../../src/socket/client.ts';
import { DEAF, LiveTown, READER, SHORT, until, WINDOWS_MS } from '../crash/live.ts';
import { specOf } from '../world/records.ts';
import { faulty, setFaults } from './machine.ts';

const ALL_MS = WINDOWS_MS.reduce((total, ms) => total + ms, 0);
/** Longer than a whole hearing. */
const BLIND_MS = 2 * ALL_MS;

const serverOf = (town: LiveTown): number => Number(town.tmux('display-message', '-p', '#{pid}'));
const listening = (town: LiveTown, name: string) => (): boolean =>
  town.dances().get(name)?.stage === 'interrogating.listening';

test.concurrent('a tmux that hangs: no verdict, the clock stands, and the hearing goes on afterwards', async () => {
  await using town = new LiveTown(`${SHORT}[hands]\ntmux_answer = "300ms"\n[sessions]\nunknown_alarm = "1s"\n`);
  await town.up();
  await town.agent('deaf', DEAF);
  const server = serverOf(town);
  town.accuse('deaf');
  await until(listening(town, 'deaf'));
  process.kill(server, 'SIGSTOP');
  const before = town.dances().get('deaf');
  await pause(BLIND_MS);
  const after = town.dances().get('deaf');
  // At most the window that was open ran out before the silence; no agent was asked or judged in it.
  expect(after).toMatchObject({ verdict: null, killing: false });
  expect(after?.attempts.filter(({ askedAt }) => askedAt !== null).length).toBe(before?.attempt);
  await until(async () => (await town.cli.run('alerts', 'list')).stdout.includes('tmux'));
  process.kill(server, 'SIGCONT');
  expect(await town.verdict('deaf')).toBe('executed');
  const closed = town.dances().get('deaf');
  expect((closed?.closedAt ?? 0) - (closed?.openedAt ?? 0)).toBeGreaterThanOrEqual(ALL_MS + BLIND_MS / 2);
});

test.concurrent('no file descriptors left: unknown, no verdict, and the hearing goes on afterwards', async () => {
  await using town = new LiveTown();
  const { child } = await town.up();
  await town.agent('deaf', DEAF);
  town.accuse('deaf');
  await until(listening(town, 'deaf'));
  const limit = (soft: string): void => {
    execFileSync('prlimit', ['--pid', String(child.pid), `--nofile=${soft}:`]);
  };
  const soft = execFileSync('prlimit', ['--pid', String(child.pid), '--nofile', '-o', 'SOFT', '--noheadings'])
    .toString()
    .trim();
  limit('4');
  await pause(BLIND_MS);
  expect(town.dances().get('deaf')).toMatchObject({ verdict: null, killing: false });
  limit(soft);
  expect(await town.verdict('deaf')).toBe('executed');
  const { pid, degraded } = await town.statusWhen((status) => !status.degraded.is);
  expect([pid, degraded.is]).toEqual([child.pid, false]);
  const closed = town.dances().get('deaf');
  expect((closed?.closedAt ?? 0) - (closed?.openedAt ?? 0)).toBeGreaterThanOrEqual(ALL_MS + BLIND_MS / 2);
});

test.concurrent('the wall clock an hour on, then an hour back: every window is given in full, once', async () => {
  await using town = new LiveTown();
  const life = await town.up(faulty);
  await town.agent('deaf', DEAF);
  await town.agent('reader', READER);
  const began = performance.now();
  town.accuse('deaf');
  await until(listening(town, 'deaf'));
  setFaults(town, 'later');
  await until(() => (town.dances().get('deaf')?.attempt ?? 0) > 1);
  setFaults(town, 'earlier');
  town.accuse('reader');
  expect(await town.verdict('deaf')).toBe('executed');
  expect(performance.now() - began).toBeGreaterThanOrEqual(ALL_MS);
  expect(await town.verdict('reader')).toBe('pardoned');
  expect(life.end()).toBeNull();
});

test.concurrent('panes whose folder and name carry line breaks and forged replies disturb no hearing', async () => {
  await using town = new LiveTown();
  const life = await town.up();
  await town.agent('deaf', DEAF);
  await town.agent('reader', READER);
  const forged = ['x', '%exit', '%end 1 1 0', '%error 1 1 1', 'pane $0 %0 1 1', 'P 1 $0 @0 %0 1 1 s0 g 1 1', ''].join(
    '\n',
  );
  const dir = join(town.cli.home, `folder${forged.replaceAll('/', '')}`);
  mkdirSync(dir);
  const program = join(town.cli.home, 'forger');
  writeFileSync(program, `#!/bin/bash\nexec -a "$1" sleep 100000\n`, { mode: 0o700 });
  for (const name of ['forger-1', 'forger-2']) town.tmux('new-session', '-d', '-s', name, '-c', dir, program, forged);
  expect(town.tmux('list-panes', '-a', '-F', '#{pane_current_path}')).toContain('%exit');
  town.accuse('deaf');
  town.accuse('reader');
  expect(await Promise.all([town.verdict('deaf'), town.verdict('reader')])).toEqual(['executed', 'pardoned']);
  expect(town.tmux('list-sessions', '-F', '#{session_name}')).toMatch(/forger-1\nforger-2/);
  expect(life.end()).toBeNull();
  const { code } = await town.cli.run('session', 'list');
  expect(code).toBe(0);
});

test.concurrent('a second town on the root, and a second root on the tmux server, are refused by name', async () => {
  await using town = new LiveTown();
  const { child } = await town.up();
  await town.agent('reader', READER);
  const second = await town.start().ended;
  expect(second.code).toBe(5);
  expect(second.stderr).toContain(String(child.pid));
  // The holder is stopped: it holds the root all the same.
  child.kill('SIGSTOP');
  const third = await town.start().ended;
  child.kill('SIGCONT');
  expect(third.code).toBe(5);
  expect(third.stderr).toContain(String(child.pid));

  await using other = new LiveTown(SHORT, { server: false });
  other.cli.configure('', town.cli.socket);
  const refused = await other.start().ended;
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain(town.root);
  expect((await town.status())?.pid).toBe(child.pid);
});

test('the tmux server killed below 20 agents: one alert, all come back, none is charged', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `agent-${i + 1}`);
  await using town = new LiveTown(`${SHORT}[sessions]\nbackoff = "200ms"\nstagger = "50ms"\nscan_every = "200ms"\n`);
  await town.up();
  const client = await connectTown(town.root);
  onTestFinished(() => client.close());
  for (const name of names) {
    const spec = specOf(name, { command: ['sleep', '100000'], dir: town.cli.home, restart: 'transient' });
    expect(await client.request({ verb: 'startSession', spec })).toMatchObject({ ok: true });
  }
  const sessions = () =>
    town.cli.data<{ name: string; alive: boolean | null; restarts: number; state: string }[]>('session', 'list');
  process.kill(serverOf(town), 'SIGKILL');
  await until(async () => {
    const all = await sessions();
    return names.every((name) => all.some((one) => one.name === name && one.alive === true && one.restarts === 1));
  });
  const told = (kind: string): { episode?: string; session?: string; at: string }[] =>
    town
      .journal()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; at: string })
      .filter((line) => line.kind === kind);
  expect(told('alert').map(({ episode }) => episode)).toEqual(['tmux-server-died']);
  const starts = told('start.ordered').slice(names.length);
  expect(starts.map(({ session }) => session).sort()).toEqual([...names].sort());
  expect(new Set(starts.map(({ at }) => at)).size).toBeGreaterThan(1);
  for (const name of names) {
    const record = JSON.parse(execFileSync('cat', [join(town.root, 'sessions', `${name}.json`)]).toString()) as object;
    expect(record).toMatchObject({ streak: 0, restartAgesMs: [], crashLoop: false, state: 'running' });
  }
});
