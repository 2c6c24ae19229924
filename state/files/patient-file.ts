/**
 * A file that is looked at by its path, on a disk that may hang, as a home over a network does: a thread of Node's waits for it,
 * and the town goes on. A disk of this machine that has just answered is asked without a thread. Many files of one home are looked at one
 * after the other, and a thread for each costs ten times the look. Of a network the first answer may come out of a cache, and the next wait
 * for ever: it always has its thread.
 */
import { lstat, lstatSync, open, openSync, statfs, type Stats, type StatsFs } from 'node:fs';
import { promisify } from 'node:util';
import { absentIs } from './disk.ts';

/** So long after an answer, in ms, a device counts as one that answers: far less than a hang lasts, and more than a round of looks takes. */
const JUST_MS = 10;

/** File systems of this machine, as statfs gives them; all others may be elsewhere. */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0x01021994, // tmpfs
  0x2fc12fc1, // ZFS
  0xf2f52010, // F2FS
]);

const typeAt = promisify<string, StatsFs>(statfs);
const statAt = promisify<string, Stats>(lstat);
const openAt = promisify<string, number, number>(open);

/** When each device answered last. */
const answeredAt = new Map<number, number>();

/** Whether each device is one of this machine's; it counts as none until its thread has the answer. */
const isLocal = new Map<number, boolean>();

async function learn(device: number, path: string): Promise<void> {
  if (isLocal.has(device)) return;
  isLocal.set(device, false);
  const { type } = await typeAt(path);
  isLocal.set(device, LOCAL.has(type >>> 0));
}

/** Whether a device, which has just answered a look at this path, is asked without a thread. */
export function hasAnswered(device: number, path: string): boolean {
  answeredAt.set(device, performance.now());
  // A path that is gone by then leaves its device among those that may be elsewhere.
  learn(device, path).catch(() => undefined);
  return isLocal.get(device) === true;
}

/** All calls may take for ever, as the disk may. */
export interface PatientFile {
  /** The one on which it was seen last; null = it was not seen yet. */
  readonly device: number | null;
  /** No link is followed. null = nothing is there. Rejects as the system does. */
  stat(): Promise<Stats | null>;
  /** For `closeSync`. Rejects as the system does. */
  open(flags: number): Promise<number>;
}

/** `near`: one on the same device, for a path where often nothing is. */
export function patientFile(path: string, near: Pick<PatientFile, 'device'> | null = null): PatientFile {
  let own: number | null = null;
  const isAtHand = (): boolean => {
    const device = own ?? near?.device ?? null;
    return (
      device !== null &&
      isLocal.get(device) === true &&
      performance.now() - (answeredAt.get(device) ?? -Infinity) < JUST_MS
    );
  };
  const look = (): Promise<Stats | null> | Stats | null =>
    isAtHand() ? (lstatSync(path, { throwIfNoEntry: false }) ?? null) : absentIs(null, statAt(path));
  return {
    get device() {
      return own;
    },
    stat: async () => {
      const found = await look();
      if (found !== null) {
        own = found.dev;
        hasAnswered(own, path);
      }
      return found;
    },
    open: async (flags) => (isAtHand() ? openSync(path, flags) : openAt(path, flags)),
  };
}
