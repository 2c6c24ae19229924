/** What a command prints, where its readers leave or nothing can be written, and its help. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { MAIN, TestTown } from './town.ts';

let town: TestTown;
beforeAll(() => {
  town = new TestTown('[town]\nprotected = ["mayor", "hq-*"]\n');
  town.session('builder');
  town.session('mayor');
  town.session('unborn', { incarnation: null, state: 'starting' });
  town.dance('dog-1', 'builder');
});

test('a stdout that takes nothing is one sentence and exit 1, for people and for programs', async () => {
  const full = async (words: readonly string[], both = false): Promise<{ code: number | null; stderr: string }> => {
    const to = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [MAIN, '--root', town.root, ...words], {
      env: town.env(),
      stdio: ['ignore', to, both ? to : 'pipe'],
    });
    closeSync(to);
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    return { stderr: child.stderr === null ? '' : await text(child.stderr), code: await ended };
  };
  const sentence = /^town: the result could not be written to stdout \(ENOSPC.*\); see to where it leads.*\n$/;
  for (const words of [['status'], ['dog', 'dances'], ['--help'], ['warrant', 'list']])
    expect([words, await full(words)]).toEqual([words, { code: 1, stderr: expect.stringMatching(sentence) as string }]);
  const { code, stderr } = await full(['session', 'list', '--json']);
  const last: unknown = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  expect([code, last]).toMatchObject([1, { schema: 'error/1', error: { code: 'unwritten', exit: 1 } }]);
  expect((await full(['status'], true)).code).toBe(1);
});

test('a reader that leaves early is no error', async () => {
  const child = spawn(
    '/bin/sh',
    ['-c', `"$0" "$1" --root "$2" config show | head -1; echo "\${PIPESTATUS:-}"`, process.execPath, MAIN, town.root],
    { env: town.env(), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(out).toMatch(/^root /);
  expect(err).toBe('');
});

test.each([
  [['help'], ['--help']],
  [
    ['help', 'status'],
    ['status', '--help'],
  ],
  [
    ['help', 'session', 'start'],
    ['session', 'start', '--help'],
  ],
])('%j is %j', async (words, same) => {
  const [{ code, stdout }, expected] = await Promise.all([town.run(...words), town.run(...same)]);
  expect([code, stdout]).toEqual([0, expected.stdout]);
  expect(stdout).toMatch(/^Usage: town/);
});

test('where no temporary folder can be made it runs all the same', async () => {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [MAIN, '--version'], { env: { PATH, TMPDIR: '/proc' } });
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await text(child.stdout)).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('help of what is no command is wrong usage', async () => {
  const { code, stderr } = await town.run('help', 'nope');
  expect([code, stderr]).toEqual([2, "town: unknown command 'nope'; see `town --help`\n"]);
});

test('help tells every command in one line, with examples', async () => {
  const { stdout, code } = await town.run('--help');
  expect(code).toBe(0);
  for (const name of [
    'up',
    'down',
    'restart',
    'status',
    'demo',
    'daemon',
    'dog',
    'warrant',
    'alive',
    'session',
    'watch',
    'mail',
    'alerts',
    'why',
    'config',
    'doctor',
  ]) {
    expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  }
  const { stdout: inner } = await town.run('session', 'start', '--help');
  expect(inner).toMatch(/Examples:\n {2}\$ town session start builder -- claude/);
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    version: string;
  };
  expect((await town.run('--version')).stdout.trim()).toBe(version);
});
