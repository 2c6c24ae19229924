/** Runs work on a rig, or on the whole town, under its lock. */
import { setTimeout as pause } from 'node:timers/promises';
import type { RigRecord } from '../../machines/rigs/records.ts';
import type { RigRecords } from '../../state/rigs/records.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { RIG_WORK } from './policy.ts';
import { remoteNow, remoteText } from './remote.ts';
import type { Case, Yard } from './yard.ts';

/** Rejects with what the work rejects with, and with `Failure` (1) if another process holds the rig for long. */
export const holding = <T>(yard: Yard, rig: RigRecord, work: (at: Case) => Promise<T>): Promise<T> =>
  holdingLock(yard.records, { root: yard.root, of: rig.name }, async () =>
    work({ yard, rig: await complete(yard, rig) }),
  );

/** As it is on record now. An older town recorded no remote: the one that is there now is written down, and a person reads so. */
async function complete({ records, note }: Yard, given: RigRecord): Promise<RigRecord> {
  const rig = await records.rig(given.name).catch(() => null);
  if (rig === null || rig.remote !== undefined) return rig ?? given;
  const remote = await remoteNow(rig).catch(() => undefined);
  if (remote === undefined) return rig;
  const whole: RigRecord = { ...rig, remote };
  await records.saveRig(whole);
  note(`the remote of the rig ${rig.name} is on record from now on: ${remoteText(remote)}`);
  return whole;
}

/** `of`: a rig, or `deacon`, which is no name for one. */
export async function holdingLock<T>(
  records: Pick<RigRecords, 'lock'>,
  { root, of }: { readonly root: string; readonly of: string },
  work: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + RIG_WORK.lockMs;
  let lock = await records.lock(root, of);
  for (; lock === null && performance.now() < until; lock = await records.lock(root, of))
    await pause(RIG_WORK.lockEveryMs);
  if (lock === null) {
    const what = of === 'deacon' ? "does the Deacon's patrol" : `works on the rig ${of}`;
    throw new Failure(EXIT.failed, 'rig_busy', `another command ${what}; type it again when that has ended`);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
