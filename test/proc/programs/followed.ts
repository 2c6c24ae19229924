/** Follows every process that there is, and prints how many files it keeps open for that. */
import { readdirSync, readlinkSync } from 'node:fs';
import { linuxSource } from '../../../src/proc/linux.ts';

const FILES = '/proc/self/fd';
const { followed, rows, proc } = linuxSource();
for (const row of await rows()) followed?.follow(proc(row));
const kept = readdirSync(FILES).filter((file) => {
  try {
    return readlinkSync(`${FILES}/${file}`).endsWith('/statm');
  } catch {
    return false; // The listing's own, which is closed by now.
  }
});
console.log(kept.length);
