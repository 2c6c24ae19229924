/** Does something to a rig, or to what is the whole town's, while nobody else does. */
import { setTimeout as pause } from 'node:timers/promises';
import type { RigRecord } from '../../machines/rigs/records.ts';
import type { RigRecords } from '../../state/rigs/records.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { RIG_WORK } from './policy.ts';
import type { Case, Yard } from './yard.ts';

/** Rejects with what the work rejects with, and with `Failure` (1) where somebody else holds the rig for long. */
export const holding = <T>(yard: Yard, rig: RigRecord, work: (at: Case) => Promise<T>): Promise<T> =>
  holdingLock(yard.records, { root: yard.root, of: rig.name }, () => work({ yard, rig }));

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
