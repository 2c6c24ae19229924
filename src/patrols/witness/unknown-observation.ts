/** A polecat of which a record does not count, as its witness sees it: it is there, it has its work, and all else is unknown. */
import type { WorkerSeen } from '../../../machines/patrols/observation.ts';
import { addressOf, branchOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import type { PolecatSeen } from '../../../machines/witness/observation.ts';
import type { RecordUnread } from '../../../state/files/strict-read.ts';
import { age } from '../../ports/age.ts';
import { unreadSeen } from '../memory/notes.ts';
import { NOT_SEEN } from './left-seen.ts';

const NOTHING_DONE = { nudgedMs: null, askedMs: null, exemptMs: null, refusedMs: null, unspoken: null };

export function unknownObservation(
  record: PolecatRecord,
  now: number,
  unread: RecordUnread,
): { readonly polecat: PolecatSeen; readonly worker: WorkerSeen } {
  const [agent, ageMs] = [addressOf(record), age(record.at, now)];
  const polecat: PolecatSeen = {
    name: record.name,
    uuid: record.uuid,
    agent,
    session: 'unknown',
    tree: 'unknown',
    treeText: '',
    branch: branchOf(record),
    main: record.main?.commit ?? null,
    left: NOT_SEEN,
    check: null,
    emptyToldMs: null,
    dirtyToldMs: null,
    hook: record.bead,
    isHookClosed: false,
    former: null,
    closedMs: null,
    closedToldMs: null,
    report: null,
    life: null,
    ageMs,
    idleMs: null,
    stillMs: 0,
    hookMemory: NOTHING_DONE,
    nudged: 'never',
    deadlineMs: null,
    isConfirmed: false,
    isDisputed: false,
    doneIntentMs: null,
    isOwnIntent: false,
    goesOnMs: null,
    unread: unreadSeen(unread),
  };
  const startedFor = record.bead === null ? null : { bead: record.bead, agoMs: ageMs };
  return {
    polecat,
    worker: { agent, session: 'unknown', isUnbegun: false, startedFor, left: NOT_SEEN, failureAgesMs: [] },
  };
}
