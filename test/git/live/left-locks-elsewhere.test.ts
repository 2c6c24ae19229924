/** A lock where a program that holds it may not be seen from here, in a process of its own: none is taken. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const SCRIPT = `
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
const [file, folder, tries] = process.argv.slice(1);
const { pastLeftLocks } = await import(file);
const lock = folder + '/config.lock';
writeFileSync(lock, '');
const now = performance.now.bind(performance);
const stderr = "error: could not lock config file " + folder + "/config: File exists";
for (let n = 0; n < Number(tries) && existsSync(lock); n += 1) {
  performance.now = () => now() + n * 61_000;
  await pastLeftLocks(folder, async () => ({ failed: existsSync(lock), stderr }));
  await pause(100);
}
process.stdout.write(existsSync(lock) ? 'stays' : 'taken');`;

/** Where these tests run in a container themselves, no lock is taken. */
const SEES_ALL = process.platform !== 'linux' || readlinkSync('/proc/self/ns/pid') === 'pid:[4026531836]';
const TAKEN = SEES_ALL ? 'taken' : 'stays';

const FILE = join(import.meta.dirname, '../../../src/git/left-locks.ts');
const APART = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'];
/** A user who may not make namespaces does so as root of another one. */
const AS_ROOT = spawnSync('unshare', [...APART, 'true']).status === 0 ? [] : ['--user', '--map-root-user'];

/** `before`: a line of sh that ends with the command. */
function become(before: string, words: readonly string[], tries: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'town-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const node = [process.execPath, '--input-type=module', '-e', SCRIPT, FILE, folder, String(tries)];
  const [program = '', ...more] = [...words, 'sh', '-c', `folder=${folder}; ${before}exec "$@"`, 'sh', ...node];
  return execFileSync(program, more, { encoding: 'utf8' });
}

// Rules: law 1, R-1.
test('on a disk of this machine it is taken, in a container it stays', () => {
  expect(become('', [], SEES_ALL ? 500 : 5)).toBe(TAKEN);
  expect(become('', ['unshare', ...AS_ROOT, ...APART, '--mount-proc'], 5)).toBe('stays');
});

// Rules: law 1, R-1.
test('on a file system that is not known to be of this machine alone it stays', () => {
  const words = ['unshare', ...AS_ROOT, ...APART.slice(0, 3)];
  expect(become('mount -t tmpfs none "$folder" && ', words, SEES_ALL ? 500 : 5)).toBe(TAKEN);
  expect(become('mount -t ramfs none "$folder" && ', words, 5)).toBe('stays');
});
