/**
 * P-16: letters in the archives of all mailboxes go after so many days, and the oldest before that where all of them have more bytes than
 * are kept. A letter that is not in an archive stays.
 */
import type { Ms, WallMs } from '../../machines/protocol.ts';
import type { Disk } from '../files/disk.ts';
import { FOLDERS, isRecordName } from '../files/layout.ts';
import type { StatePolicy } from '../files/policy.ts';
import { eachOf } from '../files/record-folder.ts';

const DAY_MS = 86_400_000;

/** Removes them, and resolves with how many. `age`: how long ago a time was. An archive that cannot be read stays as it is. */
export async function removeOldLetters(
  disk: Pick<Disk, 'list' | 'remove' | 'stat'>,
  { journalDays, journalBytes }: Pick<StatePolicy, 'journalDays' | 'journalBytes'>,
  age: (at: WallMs) => Ms,
): Promise<number> {
  const letters: { readonly path: string; readonly bytes: number; readonly ageMs: Ms }[] = [];
  for (const box of await disk.list(FOLDERS.mail)) {
    const folder = `${FOLDERS.mail}/${box}/archive`;
    const names = (await disk.list(folder).catch(() => [])).filter(isRecordName);
    const found = await eachOf(names, async (name) => {
      const path = `${folder}/${name}`;
      const stat = await disk.stat(path);
      return stat?.kind === 'file' ? { path, bytes: stat.bytes, ageMs: age(stat.movedAt) } : null;
    });
    letters.push(...found);
  }
  let room = journalBytes;
  const old = letters
    .sort((one, other) => one.ageMs - other.ageMs)
    .filter(({ bytes, ageMs }) => (room -= bytes) < 0 || ageMs > journalDays * DAY_MS);
  for (const { path } of old) await disk.remove(path);
  return old.length;
}
