/**
 * Loaded before the town's program: a bad machine, switched by the words in the file `faults` of its HOME. Only for what
 * this machine cannot be made to do otherwise: `slow` = 8 s per fsync, `full` = ENOSPC, `later` and `earlier` = the wall
 * clock an hour off.
 */
import { readFileSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const SLOW_MS = 8_000;
const HOUR_MS = 3_600_000;
const LOOK_EVERY_MS = 20;

let words: readonly string[] = [];
setInterval(() => {
  try {
    words = readFileSync(join(process.env['HOME'] ?? '/', 'faults'), 'utf8').split(' ');
  } catch {
    words = []; // No file: nothing is wrong.
  }
}, LOOK_EVERY_MS).unref();

const handle = await fs.open('/dev/null');
const handles = Object.getPrototypeOf(handle) as FileHandle;
await handle.close();
for (const name of ['sync', 'datasync'] as const) {
  const real = handles[name];
  handles[name] = async function (this: FileHandle): Promise<void> {
    if (words.includes('slow')) await pause(SLOW_MS);
    await real.call(this);
  };
}
const write = handles.writeFile;
handles.writeFile = async function (this: FileHandle, ...args: Parameters<FileHandle['writeFile']>): Promise<void> {
  if (words.includes('full'))
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  await write.apply(this, args);
};
const clock = Date.now;
Date.now = () => clock() + (words.includes('later') ? HOUR_MS : words.includes('earlier') ? -HOUR_MS : 0);
