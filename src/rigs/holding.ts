/** Does something to a rig while nobody else does. */
import { setTimeout as pause } from 'node:timers/promises';
import type { RigRecord } from '../../machines/rigs/records.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { RIG_WORK } from './policy.ts';
import type { Case, Yard } from './yard.ts';

/** Rejects with what the work rejects with, and with `Failure` (1) where somebody else holds the rig for long. */
export async function holding<T>(yard: Yard, rig: RigRecord, work: (at: Case) => Promise<T>): Promise<T> {
  const until = performance.now() + RIG_WORK.lockMs;
  let lock = await yard.records.lock(yard.root, rig.name);
  for (; lock === null && performance.now() < until; lock = await yard.records.lock(yard.root, rig.name))
    await pause(RIG_WORK.lockEveryMs);
  if (lock === null) {
    const text = `another command works on the rig ${rig.name}; type it again when that has ended`;
    throw new Failure(EXIT.failed, 'rig_busy', text);
  }
  try {
    return await work({ yard, rig });
  } finally {
    lock.release();
  }
}
