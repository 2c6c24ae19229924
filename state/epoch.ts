/**
 * daemon/epoch: one more at each start of a town process, durable before it acts. A process whose number is no longer the
 * one on disk is superseded and must not touch anything again.
 * The file holds the number and its check sum; a bare number, as a person writes it, counts too.
 */
import type { WallMs } from '../machines/protocol.ts';
import { NotReadable, unreadable, type Disk } from './disk.ts';
import { FILES } from './layout.ts';
import { put } from './paper.ts';
import type { Quarantine } from './quarantine.ts';
import { runningOf } from './running.ts';
import { fingerprint } from './seal.ts';

const MOST_BYTES = 64;
const MOST_PID_BYTES = 65_536;
const LINE = /^(\d{1,15})(?: ([0-9a-f]{8}))?\n?$/;

/** The epoch on disk; 0 = no town ever started here. Rejects when it cannot be told: unknown is neither ours nor theirs. */
export async function readEpoch(disk: Disk): Promise<number> {
  const text = await disk.read(FILES.epoch, MOST_BYTES);
  if (text === null) return 0;
  const [, digits, sum] = LINE.exec(text) ?? [];
  if (digits === undefined || (sum !== undefined && sum !== fingerprint(digits))) {
    throw new NotReadable(`${FILES.epoch} holds no epoch`);
  }
  return Number(digits);
}

/** Begins a new epoch and resolves with it once it is durable. Only the holder of the lock may call this. */
export async function beginEpoch(disk: Disk, quarantine: Quarantine, wall: WallMs): Promise<number> {
  const next = (await lastEpoch(disk, quarantine, wall)) + 1;
  const digits = String(next);
  await put(disk, [{ path: FILES.epoch, text: `${digits} ${fingerprint(digits)}\n` }]);
  return next;
}

async function lastEpoch(disk: Disk, quarantine: Quarantine, wall: WallMs): Promise<number> {
  // A number that lost digits reads well: the last town's own word keeps it from going back.
  const said = await runningOf(disk, MOST_PID_BYTES).town();
  const least = said.kind === 'town' ? said.town.epoch : 0;
  try {
    return Math.max(least, await readEpoch(disk));
  } catch (error) {
    const why = unreadable(error);
    if (why === null) throw error;
    const stat = await disk.stat(FILES.epoch);
    if (stat !== null) await quarantine.move(FILES.epoch, stat, why);
    // Larger than any count of starts, so that a process of an earlier epoch still sees a newer one.
    return Math.max(least, Math.floor(wall));
  }
}
