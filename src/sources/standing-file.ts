/**
 * How far a busy agent is, by the file that its program writes (M-3): its size tells each step, and a call without a result that a
 * tool runs. Of a file that grows nothing is read; of one that stands still its end, once.
 */
import type { WallMs } from '../../machines/protocol.ts';
import { patientFile, type PatientFile } from '../../state/files/patient-file.ts';
import type { Heard } from './port.ts';
import { SOURCES } from './policy.ts';

export type Work = Pick<Heard, 'progress' | 'hasTool'>;

/** `untilIn`: when the last call without a result has used up its time; null = none waits. The file was written last at `writtenAt`. */
export type UntilIn = (writtenAt: WallMs) => Promise<WallMs | null>;

/** Never rejects. Of what is no plain file nothing is known. */
export function standingFile(): (file: string, untilIn: UntilIn, now: WallMs) => Promise<Work> {
  let last = { progress: '', isRead: false, until: null as WallMs | null };
  let place: { readonly path: string; readonly file: PatientFile } | null = null;
  return async (path, untilIn, now) => {
    if (place?.path !== path) place = { path, file: patientFile(path) };
    const found = await place.file.stat().catch(() => null);
    if (found?.isFile() !== true) return {};
    const progress = `${found.size} ${found.mtimeMs}`;
    if (last.progress !== progress) last = { progress, isRead: false, until: null };
    if (!last.isRead && now - found.mtimeMs >= SOURCES.stillMs) {
      const until = await untilIn(found.mtimeMs);
      // Another caller may have asked meanwhile.
      if (last.progress === progress) last = { progress, isRead: true, until };
    }
    return { progress, ...(last.until !== null && now < last.until && { hasTool: true }) };
  };
}
