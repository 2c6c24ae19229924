import { chmodSync, existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GitShell } from '../../../src/git/shell.ts';
import type { Start } from '../../../src/git/start.ts';
import { inTurn } from '../../../src/git/turn.ts';
import { GIT } from '../../../src/git/policy.ts';

let folder = '';
let shell = new GitShell();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "town-it's a shell-"));
  shell = new GitShell();
});
afterEach(() => {
  shell.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Each git of a test is this script. */
function gitThat(script: string): void {
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'git'), 0o755);
}

const startOf = (more: Partial<Start> = {}): Start => ({
  cwd: folder,
  env: { PATH: `${folder}:${process.env['PATH'] ?? ''}`, SAID: `it's "$said"\n` },
  input: '',
  limitMs: 60_000,
  onlyReads: true,
  ...more,
});

const run = (words: readonly string[], more: Partial<Start> = {}) => shell.run(words, startOf(more));

test('calls one after the other: words, variables, folder, both streams and exit code are as they are', async () => {
  gitThat(`printf '%s|' "$@"; printf '%s' "$SAID"; pwd; cat; echo "of $PPID" >&2; exit $1`);
  const words = (code: string) => [code, "it's", '', '$HOME `x` \\n', 'two\nlines', 'ä'];
  const first = await run(words('0'));
  const said = `0|it's||$HOME \`x\` \\n|two\nlines|ä|it's "$said"\n${folder}\n`;
  expect(first).toMatchObject({
    failed: false,
    exitCode: 0,
    stdout: Buffer.from(said).toString('latin1'),
    isLate: false,
  });
  const second = await run(words('1'), { cwd: '/', env: startOf().env });
  expect(second).toMatchObject({ failed: true, exitCode: 1, stderr: first?.stderr });
  expect(second?.stdout.endsWith('\n/\n')).toBe(true);
});

test('between two calls it stands in no folder that a person may remove', async () => {
  gitThat('printf "%s" "$PPID"');
  expect(readlinkSync(`/proc/${(await run([]))?.stdout ?? ''}/cwd`)).toBe('/');
});

test('all bytes come out, also many, and also without a line break at the end', async () => {
  gitThat('i=0; while [ $i -lt 64 ]; do cat bytes; i=$((i + 1)); done');
  const bytes = Array.from({ length: 65_536 }, (_, at) => String.fromCharCode(at % 256)).join('');
  writeFileSync(join(folder, 'bytes'), bytes, 'latin1');
  expect((await run([]))?.stdout).toBe(bytes.repeat(64));
});

test('one that is late is ended with all that it started', async () => {
  gitThat('trap "" TERM; echo $$ > pid; while :; do sleep 0.1; done');
  expect(await run([], { limitMs: 500 })).toMatchObject({ failed: true, exitCode: null, isLate: true });
  expect(shell.isOver).toBe(true);
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false), 10_000);
});

test('one that says more than is wanted is ended', async () => {
  gitThat('yes');
  expect(await run([], { maxBytes: 10_000 })).toMatchObject({ failed: true, isTooMuch: true, isLate: false });
});

test.each([
  ['a folder that is not there', 'exit 0', { cwd: '/nonexistent' }],
  ['no such program', 'exit 0', { env: { PATH: '/nonexistent' } }],
  ['a git that a signal ended', 'kill -KILL $$', {}],
  ['a shell that was killed', 'kill -KILL $PPID; echo more', {}],
])('nothing is known of %s', async (_, script, more) => {
  gitThat(script);
  expect(await run([], more)).toBeNull();
});

test('an abort ends it, and says nothing of it', async () => {
  gitThat('echo > runs; exec sleep 600');
  const over = new AbortController();
  const told = run([], { signal: over.signal });
  await vi.waitFor(() => expect(existsSync(join(folder, 'runs'))).toBe(true), 10_000);
  over.abort();
  expect(await told).toBeNull();
});

test('of many calls at once few are started by Node, and each has its own answer', async () => {
  gitThat('echo "$PPID $1"');
  const names = Array.from({ length: 5 * GIT.maxAtOnce }, (_, n) => String(n));
  const all = await Promise.all(names.map((name) => inTurn((turn) => turn.start([name], startOf()))));
  const [parents, said] = [0, 1].map((at) => all.map(({ stdout }) => stdout.trim().split(' ')[at]));
  expect(said).toEqual(names);
  expect(parents?.filter((pid) => pid === String(process.pid))).toHaveLength(GIT.maxAtOnce);
  expect(new Set(parents).size).toBeLessThanOrEqual(GIT.maxAtOnce + 1);
});

test.each([
  ['writes', { onlyReads: false }],
  ['reads its input', { input: 'x' }],
])('a call that %s is started by Node', async (_, more) => {
  gitThat('echo $PPID');
  const all = Array.from({ length: 2 * GIT.maxAtOnce }, () => inTurn((turn) => turn.start([], startOf(more))));
  expect(new Set((await Promise.all(all)).map(({ stdout }) => stdout))).toEqual(new Set([`${process.pid}\n`]));
});
