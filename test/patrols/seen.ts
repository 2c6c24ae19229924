/** A rig, its work and its workers as a patrol sees them, with nothing amiss. */
import type { LeftSeen, RigSeen, WorkerSeen, WorkSeen } from '../../machines/patrols/observation.ts';
import type {
  HandedSeen,
  LetterSeen,
  PolecatSeen,
  Sender,
  WispSeen,
  WitnessSeen,
} from '../../machines/witness/observation.ts';
import { NO_REFINERY } from '../../machines/witness/refinery.ts';
import { messageOf } from '../../state/mail/messages.ts';

export const MINUTE = 60_000;
export const NUX = 'shop/polecats/nux';

/** What git shows of its work: commits of its own that main lacks, or has, or none. */
export const LEFTS = {
  work: { is: 'work', branch: 'polecat/nux', commit: 'd'.repeat(40) },
  merged: { is: 'merged', branch: 'polecat/nux', commit: 'd'.repeat(40), isOwnPush: false },
  scattered: { is: 'scattered', text: 'its commits are in 2 places' },
  nothing: { is: 'nothing' },
  unknown: { is: 'unknown' },
} as const satisfies Record<LeftSeen['is'], LeftSeen>;

export const work = (more: Partial<WorkSeen> = {}): WorkSeen => ({
  id: 'tw-1',
  title: 'mend the parser',
  status: 'open',
  assignee: null,
  priority: 2,
  ageMs: 60 * MINUTE,
  restedMs: 0,
  isStaged: false,
  attempts: 0,
  lastAttemptMs: null,
  ...more,
});
export const hooked = (more: Partial<WorkSeen> = {}): WorkSeen => work({ status: 'hooked', assignee: NUX, ...more });
export const worker = (more: Partial<WorkerSeen> = {}): WorkerSeen => ({
  isUnbegun: false,
  agent: NUX,
  session: 'alive',
  startedFor: null,
  failureAgesMs: [],
  left: LEFTS.nothing,
  ...more,
});
export const dead = (more: Partial<WorkerSeen> = {}): WorkerSeen => worker({ session: 'dead', ...more });
export const rig = (more: Partial<RigSeen> = {}): RigSeen => ({
  name: 'shop',
  hasAgent: true,
  maxPolecats: 5,
  trouble: null,
  workers: [],
  work: [],
  attempts: [],
  ...more,
});
export const polecat = (more: Partial<PolecatSeen> = {}): PolecatSeen => ({
  name: 'nux',
  uuid: 'u-nux',
  agent: NUX,
  session: 'alive',
  life: 'life-1',
  tree: 'clean',
  treeText: '2 files changed',
  main: null,
  branch: 'polecat/nux',
  hook: 'tw-1',
  isHookClosed: false,
  former: null,
  report: null,
  ageMs: 60 * MINUTE,
  idleMs: 0,
  left: LEFTS.work,
  check: null,
  emptyToldMs: null,
  dirtyToldMs: null,
  closedMs: null,
  closedToldMs: null,
  stillMs: 0,
  hookMemory: { nudgedMs: null, askedMs: null, exemptMs: null, refusedMs: null, unspoken: null },
  nudged: 'never',
  deadlineMs: null,
  isConfirmed: true,
  isDisputed: false,
  doneIntentMs: null,
  isOwnIntent: true,
  goesOnMs: null,
  ...more,
});
/** Writers of letters, by the door that each letter came through. */
export const SENDERS = {
  operator: { is: 'operator', polecat: null },
  town: { is: 'town', polecat: null },
  refinery: { is: 'refinery', polecat: null },
  itself: { is: 'polecat', polecat: 'nux' },
  'another polecat': { is: 'polecat', polecat: 'ada' },
  'another agent': { is: 'other', polecat: null },
} as const satisfies Record<string, Sender>;

/** Of the polecat itself, or of the refinery where it is about a merge. */
export const letter = (subject: string, more: Partial<LetterSeen> = {}): LetterSeen => {
  const body = more.body ?? '';
  const sender = /^MERGE/.test(subject) ? SENDERS.refinery : SENDERS.itself;
  return {
    id: 'm1',
    from: 'nux',
    subject,
    body,
    message: messageOf({ subject, body }),
    sender,
    life: null,
    isStale: false,
    ageMs: 0,
    isLate: false,
    unknownBeads: [],
    isNameTaken: false,
    ...more,
  };
};
/** Work that was handed to the refinery. */
export const handed = (more: Partial<HandedSeen> = {}): HandedSeen => ({
  bead: 'tw-1',
  polecat: 'nux',
  isOfGone: true,
  branch: 'polecat/nux',
  commit: 'c'.repeat(40),
  isClosed: false,
  isMerged: 'unknown',
  broughtBack: null,
  requests: [],
  ...more,
});
export const wisp = (more: Partial<WispSeen> = {}): WispSeen => ({
  id: 'tw-wisp-1',
  kind: 'cleanup',
  polecat: 'nux',
  state: 'pending',
  ageMs: MINUTE,
  wasTold: false,
  swarm: null,
  isVoluntary: false,
  wishLife: null,
  ...more,
});
export const seen = (more: Partial<WitnessSeen> = {}): WitnessSeen => ({
  rig: rig({ hasAgent: false }),
  polecats: [],
  letters: [],
  wisps: [],
  hasMayor: true,
  deaconLateMs: null,
  refinery: NO_REFINERY,
  handed: [],
  returned: [],
  lost: [],
  later: [],
  shadows: [],
  overdue: [],
  older: [],
  decided: [],
  shelf: { aside: 0, later: 0, handled: new Map() },
  ...more,
});
