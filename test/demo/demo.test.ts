import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { withServer } from '../tmux/server.ts';
import { theatre } from './stage.ts';

const LONG = { timeout: 300_000 };
const which = async (name: string): Promise<string> => (await execa('which', [name])).stdout;
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

test('on a terminal: every outcome is the expected one, drawn in place, and nothing is left', LONG, async () => {
  const { env, command, left } = theatre();
  const server = await withServer({ session: null });
  // Also after a time-out, which ends the waiting below.
  onTestFinished(() => server.close());
  const words = [...command, '--speed', '40'].map(quoted).join(' ');
  const inherited = Object.entries({ ...env, HOME: server.dir });
  const variables = inherited.flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const size = ['-x', '100', '-y', '40'];
  const session = ['new-session', '-d', ...size, '-s', 'v', ...variables, `${words}; echo "EXIT $?"; sleep 100000`];
  await execa('tmux', ['-u', '-S', server.socketPath, ...session], { env: server.env, extendEnv: false });
  const screen = (): Promise<string> => server.tmux('capture-pane', '-p', '-S', '-', '-t', '=v:');
  const flag = (): Promise<string> => server.tmux('display-message', '-p', '-t', '=v:', '#{cursor_flag}');
  while (!/^deaf +question|EXIT \d/m.test(await screen())) await pause(50);
  expect(await screen()).toMatch(/^deaf +question/m);
  expect(await flag()).toBe('0');
  // In place: one table, however often it was drawn.
  expect((await screen()).match(/SESSION +NOW/g)).toHaveLength(1);
  while (!/EXIT \d+/.test(await screen())) await pause(100);
  const end = await screen();
  expect(end).toContain('Every outcome is the expected one');
  expect(end).toContain('EXIT 0');
  // The last word is what to type next; a terminal of this width breaks the line.
  const next =
    'Next, your own agents: `town watch` lists those in your tmux and touches none; `town up` starts their town.';
  expect(end.replaceAll('\n', '')).toContain(`${next}EXIT 0`);
  expect(end).toMatch(/kill -9 of the town .* back after/);
  expect(await flag()).toBe('1');
  expect(await left()).toEqual([]);
});

test('a tmux whose keys and pastes fail makes it red, and says which outcomes differ', LONG, async () => {
  const { play, bin, env, left } = theatre();
  const real = await which('tmux');
  const broken = [
    '#!/bin/sh',
    'for word; do case $word in send-keys|paste-buffer|load-buffer) echo "broken on purpose" >&2; exit 1;; esac; done',
    `exec ${quoted(real)} "$@"`,
  ];
  const path = `${bin('broken', { tmux: broken.join('\n') })}:${env['PATH'] ?? ''}`;
  const { exitCode, stdout } = await play(['--speed', '60'], path);
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('Not as expected')]);
  expect(stdout).toContain('listener: expected pardoned');
  expect(stdout).toContain('tmux refused: broken on purpose');
  expect(stdout).not.toContain('\u001b');
  // Its files are kept for a look, and named; no process is left.
  const kept = / are kept in (\S+)\.$/m.exec(stdout)?.[1] ?? '';
  expect(await left()).toEqual([kept.split('/').at(-1)]);
});

interface Degraded {
  readonly kind: string;
  readonly root: string;
  readonly rebirth: { readonly pid: number; readonly newPid: number };
}

// Rules: C-7, F-3.
test(
  'without tmux an agent that is killed lives again, and the line to type is named; --json is one object, --keep leaves the folder',
  LONG,
  async () => {
    const { play, bin, left } = theatre();
    const programs = Object.fromEntries(
      await Promise.all(['bash', 'sh', 'env', 'sleep'].map(async (p) => [p, await which(p)] as const)),
    );
    const bare = bin('bare', programs);
    const { exitCode, stdout } = await play([], bare);
    expect(exitCode).toBe(4);
    expect(stdout).toContain('tmux is not installed');
    expect(stdout).toMatch(/tmux is missing here: type `((sudo )?apt-get|brew) install tmux`/);
    const [, pid, newPid] =
      /The agent deaf ran without a pane as pid (\d+), was killed, and lives again after [\d.]+ s as pid (\d+)\./.exec(
        stdout,
      ) ?? [];
    expect(stdout).toContain(`kill -9 ${String(pid)}`);
    expect([pid, newPid, pid === newPid]).toEqual([expect.any(String), expect.any(String), false]);
    expect(await left()).toEqual([]);
    const told = await play(['--json', '--keep'], bare);
    const { schema, data } = JSON.parse(told.stdout) as { schema: string; data: Degraded };
    expect([told.exitCode, schema, data.kind]).toEqual([4, 'demo/1', 'degraded']);
    expect(data.rebirth.newPid).not.toBe(data.rebirth.pid);
    expect(await left()).toEqual([data.root.split('/').at(-1)]);
  },
);

test('without tmux an agent that does not come back makes it red', LONG, async () => {
  const { play, bin, left } = theatre();
  const real = await Promise.all(['bash', 'sh', 'env'].map(async (p) => [p, await which(p)] as const));
  // It works once.
  const once = [
    '#!/bin/sh',
    'if [ -e "${0%/*}/slept" ]; then exit 0; fi',
    ': > "${0%/*}/slept"',
    `exec ${quoted(await which('sleep'))} "$@"`,
  ];
  const path = bin('once', { ...Object.fromEntries(real), sleep: once.join('\n') });
  const { exitCode, stdout } = await play(['--speed', '60'], path);
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('did not come back')]);
  const kept = / are kept in (\S+)\.$/m.exec(stdout)?.[1] ?? '';
  expect(await left()).toEqual([kept.split('/').at(-1)]);
});

test.each([
  ['Ctrl-C', 130],
  ['a reader that has seen enough', 130],
])('%s ends all that was started', LONG, async (how, exit) => {
  const { play, left } = theatre();
  const demo = play([]);
  await new Promise<void>((resolve) => {
    demo.stdout.on('data', (text: Buffer) => {
      if (!text.includes('question 1')) return;
      if (how === 'Ctrl-C') demo.kill('SIGINT');
      else demo.stdout.destroy();
      resolve();
    });
  });
  expect((await demo).exitCode).toBe(exit);
  expect(await left()).toEqual([]);
});

test.each([
  ['while the town starts', 'SIGINT', 'starts the town'],
  ['while the agent starts', 'SIGTERM', 'starts an agent without a pane'],
  ['when the agent lives', 'SIGINT', 'deaf: runs'],
  ['after its death', 'SIGTERM', 'kill -9'],
] as const)('without tmux, interrupted %s by %s, it leaves nothing behind', LONG, async (_when, signal, said) => {
  const { play, bin, left } = theatre();
  const names = ['git', 'bash', 'sh', 'env', 'sleep', 'stty', 'cat'];
  const real = await Promise.all(names.map(async (p) => [p, await which(p)] as const));
  const demo = play([], bin('bare', Object.fromEntries(real)));
  await new Promise<void>((resolve) => {
    demo.stdout.on('data', (text: Buffer) => {
      if (text.includes(said)) resolve();
    });
  });
  demo.kill(signal);
  expect((await demo).exitCode).toBe(130);
  expect(await left()).toEqual([]);
});

test.each([
  ['while the town starts', 'starts the town'],
  ['within the hearings', 'question 1'],
])('killed %s it leaves nothing behind all the same', LONG, async (_when, said) => {
  const { play, left } = theatre();
  const demo = play([]);
  await new Promise<void>((resolve) => {
    demo.stdout.on('data', (text: Buffer) => {
      if (text.includes(said)) resolve();
    });
  });
  demo.kill('SIGKILL');
  expect((await demo).signal).toBe('SIGKILL');
  while ((await left()).length > 0) await pause(100);
});

test('a stdout that takes nothing ends all that was started, and says so', LONG, async () => {
  const { command, env, left } = theatre();
  const [program = '', ...args] = command;
  const full = openSync('/dev/full', 'w');
  const demo = spawn(program, args, { env, stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  const ended = once(demo, 'exit');
  const stderr = demo.stderr === null ? '' : await text(demo.stderr);
  const [exitCode] = (await ended) as [number | null];
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^town: the result could not be written to stdout/)]);
  expect(await left()).toEqual([]);
});

test('a speed that cannot be watched is refused', async () => {
  const { exitCode, stderr } = await theatre().play(['--speed', '61']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--speed 61')]);
});
