import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startGit, type Start } from '../../../src/git/start.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'town-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = (args: readonly string[], more: Partial<Start> = {}) =>
  startGit(args, { cwd: folder, env: { PATH: process.env['PATH'] ?? '' }, input: '', limitMs: 60_000, ...more });

/** A git of the test's own, by its script. */
function gitThat(script: string): Partial<Start> {
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'git'), 0o755);
  return { env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` } };
}

test('bytes go in and come out as they are', async () => {
  const bytes = Array.from({ length: 256 }, (_, at) => String.fromCharCode(at)).join('');
  const told = await start([], { ...gitThat('cat; echo heard >&2'), input: bytes });
  expect(told).toMatchObject({ failed: false, exitCode: 0, stdout: bytes, stderr: 'heard\n', why: '' });
});

test('its exit code is told, whether it reads or not', async () => {
  const told = await start([], { ...gitThat('echo no >&2; exit 3'), input: 'x'.repeat(1_000_000) });
  expect(told).toMatchObject({ failed: true, exitCode: 3, stderr: 'no\n', isLate: false, isTooMuch: false });
});

test('one that hangs, though what it started holds its output open, is late', async () => {
  const told = await start([], { ...gitThat('sleep 600 & echo $!; wait'), limitMs: 500 });
  process.kill(Number(told.stdout));
  expect(told).toMatchObject({ failed: true, exitCode: null, isLate: true, isTooMuch: false });
});

// Node throws away what it has not read by then.
test('one that ends well as its limit passes is late too', async () => {
  const script = 'echo found; trap "exit 0" TERM; while :; do sleep 0.1; done';
  const told = await start([], { ...gitThat(script), limitMs: 500 });
  expect(told).toMatchObject({ failed: true, exitCode: null, isLate: true });
});

test('one that says more than is wanted is ended', async () => {
  const told = await start([], { ...gitThat('yes'), maxBytes: 10_000 });
  expect(told).toMatchObject({ failed: true, isTooMuch: true, isLate: false });
});

test('one that is not wanted any more is neither late nor done', async () => {
  const over = new AbortController();
  const told = start([], { ...gitThat('exec sleep 600'), signal: over.signal });
  over.abort();
  expect(await told).toMatchObject({ failed: true, exitCode: null, isLate: false });
});

test.each([
  ['that TERM does not end', 'trap "" TERM; echo $$ > pid; while :; do sleep 0.1; done'],
  ['that is stopped', 'echo $$ > pid; kill -STOP $$'],
])('one %s is killed after its limit, and after an abort', async (_, script) => {
  expect(await start([], { ...gitThat(script), limitMs: 500, onlyReads: true })).toMatchObject({
    exitCode: null,
    isLate: true,
  });
  rmSync(join(folder, 'pid'));
  const over = new AbortController();
  const told = start([], { ...gitThat(script), signal: over.signal, onlyReads: true });
  const saidPid = () => readFileSync(join(folder, 'pid'), 'utf8');
  await vi.waitFor(() => expect(saidPid()).toMatch(/^\d+\n$/), 10_000);
  const pid = Number(saidPid());
  over.abort();
  expect(await told).toMatchObject({ failed: true, exitCode: null, isLate: false });
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 10_000);
});

test('one that says too much and that TERM does not end is killed', async () => {
  const told = await start([], {
    ...gitThat('trap "" TERM PIPE; while :; do echo y; done 2>&-'),
    maxBytes: 10_000,
    onlyReads: true,
  });
  expect(told).toMatchObject({ failed: true, isTooMuch: true, isLate: false });
});

test.each([
  ['a folder that is not there', { cwd: '/nonexistent' }, [], 'ENOENT'],
  ['no such program', { env: { PATH: '/nonexistent' } }, [], 'ENOENT'],
  ['a word that no program can be given', {}, ['a\0b'], 'ERR_INVALID_ARG_VALUE'],
])('what cannot be started is a failure with its reason: %s', async (_, more, words, code) => {
  expect(await start(words, more)).toMatchObject({ failed: true, exitCode: null, code, isLate: false });
});
