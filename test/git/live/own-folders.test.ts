/** Folders that the town gives to git: none outlives its process, after any end of that. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { freshFolder } from '../../world/over.ts';

const MODULE = JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../src/git/own-folders.ts')).href);
const MAKE = `const { makeOwnFolder } = await import(${MODULE}); await makeOwnFolder('git');`;
const IN_A_THREAD = `
  const { Worker } = await import('node:worker_threads');
  const { removeOwnAtExit } = await import(${MODULE});
  removeOwnAtExit();
  const words = ${JSON.stringify(`${MAKE} const { parentPort } = await import('node:worker_threads'); parentPort.postMessage(1); setInterval(() => {}, 1000);`)};
  const thread = new Worker(words, { eval: true });
  await new Promise((resolve) => thread.once('message', resolve));`;

/** Plays a program and returns the names in its temporary folder, before its last words and after its end. */
async function play(dir: string, begin: string, end: string) {
  const program = `${begin}; process.stdout.write('made'); process.stdin.once('data', () => { ${end} });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, TMPDIR: dir },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const before = readdirSync(dir);
  child.stdin.write('go');
  await once(child, 'close');
  return { before, after: readdirSync(dir) };
}

function freshTemporaryFolder(): string {
  const dir = join(freshFolder(), 'tmp');
  mkdirSync(dir);
  return dir;
}

test.each([
  ['the main thread', MAKE],
  ['another thread', IN_A_THREAD],
])('%s is at a call of git when its process exits: its folder goes too', async (_, begin) => {
  const { before, after } = await play(freshTemporaryFolder(), begin, 'process.exit(0)');
  expect(before).toEqual([expect.stringMatching(/^town-git-\d+-/)]);
  expect(after).toEqual([]);
});

test('the folder of a process that was killed is removed by the next one that calls git', async () => {
  const dir = freshTemporaryFolder();
  const killed = await play(dir, MAKE, "process.kill(process.pid, 'SIGKILL')");
  expect(killed.after).toEqual(killed.before);
  const next = await play(dir, MAKE, 'process.exit(0)');
  expect(next.before).not.toEqual(expect.arrayContaining(killed.after));
  expect(next.after).toEqual([]);
});
