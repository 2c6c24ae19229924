/**
 * Keeps the ledger of a running town: opens it once one exists or is needed, has it backed up, and names the rigs to
 * patrol. A town without ledger and rig only reads two folders now and then.
 * 1. No patrol runs before the ledger is open and found whole.
 * 2. Backups follow the wall clock and the time of the last backup, so that restarts move none.
 * 3. A failure alerts once, is retried for ever, and ends when it works (laws 8, 9).
 * 4. Escalations in it are read here, since no pause and no agent that patrols may keep one from a person (P-11).
 */
import { enqueueActions, setup } from 'xstate';
import { nextMultiple } from '../kernel/schedule.ts';
import { inOrder, isDue, NOTHING, order, stampOf, applyDecision, type Decision } from '../kernel/decision.ts';
import type { Fact, Instant, Order, Outcome, Stamp, WallMs } from '../protocol.ts';
import type { Claim } from '../alerts/levels.ts';
import { claimOf } from './escalations.ts';
import { gatesClaim } from './gates.ts';
import type { LedgerPolicy } from './policy.ts';

export interface KeeperInput {
  readonly policy: LedgerPolicy;
}
export interface Ctx extends KeeperInput {
  readonly rigs: readonly string[];
  /** A ledger exists, or a rig needs one; null = not looked yet. */
  readonly isWanted: boolean | null;
  readonly isOpen: boolean;
  /** The last backup; null = there is none, or it is not known yet. */
  readonly backedUpAt: WallMs | null;
  readonly nextTryAt: Instant;
  /** The rigs as they were announced last; null = not yet. */
  readonly announced: string | null;
  /** Why it cannot be opened, or backed up; null = it can. Absent = it was not tried in this process. */
  readonly whyNot: Readonly<Partial<Record<'open' | 'backup', string | null>>>;
  /** Open escalations; null = it was not read yet. */
  readonly escalations: Claim | null;
  /** The same of gates that only a person opens. */
  readonly gates: Claim | null;
  /** It was written since they were read. */
  readonly hasNews: boolean;
  readonly wakeAt: Instant | null;
}

/** When the next backup is due: a clock that stepped back makes none wait longer than one interval. */
function backUpAt({ backedUpAt, nextTryAt, policy }: Ctx, { at, wall }: Stamp): Instant {
  const inMs = backedUpAt === null ? 0 : backedUpAt + policy.backUpEveryMs - wall;
  return Math.max(nextTryAt, at + Math.min(Math.max(0, inMs), policy.backUpEveryMs));
}

function resting(context: Ctx, now: Stamp): Partial<Ctx> {
  const look = nextMultiple(now.at, context.policy.lookEveryMs);
  return { wakeAt: context.isOpen ? Math.min(look, backUpAt(context, now)) : look };
}

const failed = (context: Ctx, what: keyof Ctx['whyNot'], { why, at }: { why: string; at: Instant }): Decision<Ctx> => ({
  changes: { whyNot: { ...context.whyNot, [what]: why }, nextTryAt: at + context.policy.lookEveryMs },
  orders: [],
});

/** Who is to be patrolled, where that is news. */
function announcement({ rigs, announced, isOpen }: Ctx): Decision<Ctx> {
  const text = JSON.stringify(rigs);
  if (!isOpen || announced === text) return NOTHING;
  const news = order({ issuer: 'ledger', verb: 'rigs' }, { type: 'announce', news: { type: 'RIGS_SEEN', rigs } });
  return { changes: { announced: text }, orders: [news] };
}

function outcome(context: Ctx, event: Outcome): Decision<Ctx> {
  const taken = (changes: Partial<Ctx>) => (): Decision<Ctx> => ({ changes, orders: [] });
  switch (event.type) {
    case 'RIGS_READ': {
      const { rigs, hasLedger } = event;
      return inOrder(context, taken({ rigs, isWanted: hasLedger || rigs.length > 0 }), announcement);
    }
    case 'LEDGER_OPENED': {
      const whyNot = { ...context.whyNot, open: null };
      return inOrder(context, taken({ whyNot, isOpen: true, backedUpAt: event.backedUpAt }), announcement);
    }
    case 'LEDGER_BACKED_UP':
      return taken({ whyNot: { ...context.whyNot, backup: null }, backedUpAt: event.backedUpAt })();
    case 'ESCALATIONS_READ':
      return taken({ escalations: claimOf(event.open), gates: gatesClaim(event.gates) })();
    case 'ORDER_FAILED':
      if (event.re.verb === 'open') return failed(context, 'open', event);
      return event.re.verb === 'backup' ? failed(context, 'backup', event) : NOTHING;
    default:
      return NOTHING;
  }
}

const TAKEN = { target: 'resting', actions: 'take' } as const;
const READING = {
  entry: 'look',
  on: {
    RIGS_READ: [
      { ...TAKEN, guard: 'opens', target: 'checking' },
      { ...TAKEN, guard: 'hasNews', target: 'reading' },
      TAKEN,
    ],
    ORDER_FAILED: TAKEN,
  },
} as const;

export const keeper = setup({
  types: {} as { context: Ctx; events: Fact; input: KeeperInput; emitted: Order },
  actions: {
    look: enqueueActions(({ enqueue }) => {
      enqueue.emit({ type: 'readRigs', id: { issuer: 'ledger', verb: 'rigs', step: 'read' } });
      enqueue.assign({ wakeAt: null });
    }),
    open: enqueueActions(({ enqueue }) => enqueue.emit({ type: 'openLedger', id: { issuer: 'ledger', verb: 'open' } })),
    readEscalations: enqueueActions(({ enqueue }) => {
      enqueue.emit({ type: 'readEscalations', id: { issuer: 'ledger', verb: 'escalations' } });
      enqueue.assign({ hasNews: false });
    }),
    soon: enqueueActions(({ enqueue, context, event }) => {
      const soon = nextMultiple(stampOf(event).at, context.policy.soonMs);
      enqueue.assign({ hasNews: true, wakeAt: Math.min(context.wakeAt ?? soon, soon) });
    }),
    backUp: enqueueActions(({ enqueue }) => {
      enqueue.emit({ type: 'backUpLedger', id: { issuer: 'ledger', verb: 'backup' } });
      enqueue.assign({ wakeAt: null });
    }),
    take: enqueueActions(({ enqueue, context, event }) => {
      if ('re' in event) applyDecision(enqueue, outcome(context, event));
    }),
    rest: enqueueActions(({ enqueue, context, event }) => enqueue.assign(resting(context, stampOf(event)))),
  },
  guards: {
    due: isDue,
    backUpDue: ({ context, event }) => event.type === 'TICK' && context.isOpen && event.at >= backUpAt(context, event),
    opens: ({ context, event }) =>
      event.type === 'RIGS_READ' && !context.isOpen && (event.hasLedger || event.rigs.length > 0),
    aboutRigs: ({ event }) => event.type === 'CHANGED' && event.what === 'rigs',
    hasNews: ({ context }) => context.hasNews,
    isWritten: ({ context, event }) =>
      context.isOpen && event.type === 'CHANGED' && (event.what === 'work' || event.what === 'escalations'),
  },
}).createMachine({
  id: 'ledger',
  context: ({ input }) => ({
    ...input,
    rigs: [],
    isWanted: null,
    isOpen: false,
    backedUpAt: null,
    nextTryAt: 0,
    announced: null,
    whyNot: {},
    escalations: null,
    gates: null,
    hasNews: false,
    wakeAt: null,
  }),
  initial: 'opening',
  states: {
    // Named as other actors that read before they are ready.
    opening: READING,
    checking: { entry: 'open', on: { LEDGER_OPENED: { ...TAKEN, target: 'reading' }, ORDER_FAILED: TAKEN } },
    reading: { entry: 'readEscalations', on: { ESCALATIONS_READ: TAKEN, ORDER_FAILED: TAKEN } },
    resting: {
      entry: 'rest',
      on: {
        TICK: [
          { guard: 'backUpDue', target: 'backingUp' },
          { guard: 'due', target: 'looking' },
        ],
        CHANGED: [
          { guard: 'aboutRigs', target: 'looking' },
          { guard: 'isWritten', actions: 'soon' },
        ],
      },
    },
    looking: READING,
    backingUp: { entry: 'backUp', on: { LEDGER_BACKED_UP: TAKEN, ORDER_FAILED: TAKEN } },
  },
});
