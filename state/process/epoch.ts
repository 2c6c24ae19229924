/**
 * daemon/epoch: one more at each start of a town process, durable before it acts. A process whose number is no longer the
 * one on disk is superseded and must not touch anything again.
 * The file holds the number, its check sum, and which lock file was held; a bare number, as a person writes it, counts too.
 * The number goes on by one only under the same lock file: its last holder is gone then. Where it is another one, daemon/ was
 * removed or brought back from a copy, perhaps under a town that still runs: the number comes from the wall clock, and where the file
 * names the other one, that is on record first (restored.ts).
 */
import type { WallMs } from '../../machines/protocol.ts';
import { NotReadable, unreadable, type Disk } from '../files/disk.ts';
import { FILES } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';
import type { Quarantine } from '../files/quarantine.ts';
import { runningOf } from './pid-files.ts';
import { noteRestored } from './restored.ts';
import { fingerprint } from '../files/checksum.ts';

const MAX_BYTES = 64;
const MAX_PID_BYTES = 65_536;
const LINE = /^(\d{1,15})(?: ([0-9a-f]{8})(?: ([0-9a-f]{8}))?)?\n?$/;

interface Written {
  readonly epoch: number;
  /** Which lock file its writer held; null = it does not say. */
  readonly lock: string | null;
}

/** The epoch on disk; 0 = no town ever started here. Rejects when it is unknown: unknown is neither ours nor theirs. */
export async function readEpoch(disk: Disk): Promise<number> {
  return (await readWritten(disk)).epoch;
}

async function readWritten(disk: Disk): Promise<Written> {
  const text = await disk.read(FILES.epoch, MAX_BYTES);
  if (text === null) return { epoch: 0, lock: null };
  const [, digits, sum, lock = null] = LINE.exec(text) ?? [];
  if (digits === undefined || (sum !== undefined && sum !== fingerprint(digits))) {
    throw new NotReadable(`${FILES.epoch} holds no epoch`);
  }
  return { epoch: Number(digits), lock };
}

/** Begins a new epoch and resolves with it once it is durable. Only the holder of the lock may call this. */
export async function beginEpoch(disk: Disk, quarantine: Quarantine, wall: WallMs): Promise<number> {
  const held = await heldLock(disk);
  const { epoch, isCopy } = await lastEpoch(disk, quarantine, wall, held);
  if (isCopy) await noteRestored(disk);
  const next = epoch + 1;
  await writeEpoch(disk, next, held);
  return next;
}

/** Writes a lost epoch anew. Only the holder of the lock may call this, for the epoch that it began. */
export async function putEpochBack(disk: Disk, epoch: number): Promise<void> {
  await writeEpoch(disk, epoch, await heldLock(disk));
}

function writeEpoch(disk: Disk, epoch: number, held: HeldLock | null): Promise<void> {
  const digits = String(epoch);
  const text = [digits, fingerprint(digits), ...(held === null ? [] : [held.lock])].join(' ');
  return writeFiles(disk, [{ path: FILES.epoch, text: `${text}\n` }]);
}

/** The lock file as `daemon/epoch` names it. `older`: as versions named it that did not look at its birth. */
interface HeldLock {
  readonly lock: string;
  readonly older: string;
}

/**
 * Looked at, not opened: that would give the lock up. The number of a removed file may go to the next one, whose time of change a copy
 * keeps: its birth is another.
 */
async function heldLock(disk: Disk): Promise<HeldLock | null> {
  const stat = await disk.stat(FILES.lock);
  return stat && { lock: fingerprint(`${stat.mark}:${stat.bornAt}`), older: fingerprint(stat.mark) };
}

/** `isCopy`: it was written under another lock file. */
async function lastEpoch(
  disk: Disk,
  quarantine: Quarantine,
  wall: WallMs,
  held: HeldLock | null,
): Promise<{ readonly epoch: number; readonly isCopy: boolean }> {
  // A number that lost digits reads well: the last town's own word keeps it from going back.
  const said = await runningOf(disk, MAX_PID_BYTES).town();
  const least = said.kind === 'town' ? said.town.epoch : 0;
  // Larger than any count of starts, so that a process of an earlier epoch still sees a newer one.
  const above = Math.max(least, Math.floor(wall));
  try {
    const { epoch, lock } = await readWritten(disk);
    const isSame = lock !== null && (lock === held?.lock || lock === held?.older);
    return { epoch: Math.max(epoch, isSame ? least : above), isCopy: lock !== null && !isSame };
  } catch (error) {
    const why = unreadable(error);
    if (why === null) throw error;
    const stat = await disk.stat(FILES.epoch);
    if (stat !== null) await quarantine.move(FILES.epoch, stat, why);
    return { epoch: above, isCopy: false };
  }
}
