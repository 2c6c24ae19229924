/** The lock beside a tmux socket: removed with each orderly end, and still never held by two. */
import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { SocketClaim } from '../../state/process/socket-claim.ts';
import { freshFolder } from '../world/over.ts';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('programs/claim.ts', import.meta.url));
const town = { pid: process.pid, started: '1@boot' };

function socket(): string {
  return join(freshFolder(), 's');
}

test('a process that takes it while others give it back has it alone, and nothing is left at the end', async () => {
  const path = socket();
  const all = await Promise.all(['/a', '/b', '/c'].map((root) => run(process.execPath, [PROGRAM, path, root, '25'])));
  expect(all.map(({ stdout }) => stdout)).toEqual(['ok\n', 'ok\n', 'ok\n']);
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

test('a note that is none, or names no living process, keeps none out', async () => {
  const path = socket();
  const claim = new SocketClaim({ path, alive: () => false });
  for (const note of [
    '',
    'no JSON',
    '{"root":"relative","pid":2,"start_time":"1","boot_id":""}',
    '{"root":"/nowhere","pid":2,"start_time":"1","boot_id":""}',
  ]) {
    writeFileSync(`${path}.town`, note);
    expect(await claim.holder()).toBe(null);
    expect(await claim.take({ root: '/mine', town })).toEqual({ kind: 'ours' });
    await claim.release();
  }
});
