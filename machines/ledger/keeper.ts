/**
 * Keeps the ledger of a running town: opens it when there is one or somebody needs one, has it backed up, and says which rigs
 * there are to patrol. A town without either reads two folders now and then, and pays nothing else.
 * 1. Nobody patrols before the ledger is open and was found whole.
 * 2. Backups go by the wall clock and by what the last one says of itself, so that restarts move none.
 * 3. What fails is told once, tried for ever, and over when it works (laws 8, 9).
 */
import { enqueueActions, setup } from 'xstate';
import { whoeverTold } from '../alerts/episodes.ts';
import { nextBeat } from '../kernel/schedule.ts';
import { inOrder, isDue, NOTHING, order, stampOf, take, type Turn } from '../kernel/turn.ts';
import type { Fact, Instant, Order, Outcome, Stamp, WallMs } from '../protocol.ts';
import type { LedgerPolicy } from './policy.ts';

export interface KeeperInput {
  readonly policy: LedgerPolicy;
}
interface Ctx extends KeeperInput {
  readonly rigs: readonly string[];
  readonly isWanted: boolean;
  readonly isOpen: boolean;
  /** The last backup; null = there is none, or it is not known yet. */
  readonly backedUpAt: WallMs | null;
  readonly nextTryAt: Instant;
  /** The rigs as they were announced last; null = not yet. */
  readonly announced: string | null;
  /** Whether an episode is open; absent = not known in this process. */
  readonly told: Readonly<Record<string, boolean>>;
  readonly wakeAt: Instant | null;
}

const OPEN = 'ledger-fails/open';
const BACKUP = 'ledger-fails/backup';
const MENDED = { [OPEN]: 'The ledger is open.', [BACKUP]: 'The ledger is backed up again.' } as const;

/** When the next backup is due: a clock that stepped back makes none wait longer than one interval. */
function backUpAt({ backedUpAt, nextTryAt, policy }: Ctx, { at, wall }: Stamp): Instant {
  const inMs = backedUpAt === null ? 0 : backedUpAt + policy.backUpEveryMs - wall;
  return Math.max(nextTryAt, at + Math.min(Math.max(0, inMs), policy.backUpEveryMs));
}

function resting(context: Ctx, now: Stamp): Partial<Ctx> {
  const look = nextBeat(now.at, context.policy.lookEveryMs);
  return { wakeAt: context.isOpen ? Math.min(look, backUpAt(context, now)) : look };
}

/** It works: what was told of it is over, the first time in this process whoever told it. */
function well({ told }: Ctx, episode: keyof typeof MENDED): Turn<Ctx> {
  if (told[episode] === false) return NOTHING;
  const over = order(`ledger/end/${episode}`, whoeverTold(episode, MENDED[episode]));
  return { changes: { told: { ...told, [episode]: false } }, orders: [over] };
}

function failed(context: Ctx, episode: keyof typeof MENDED, { why, at }: { why: string; at: Instant }): Turn<Ctx> {
  const text =
    episode === OPEN
      ? `The ledger cannot be opened: ${why}. No rig is patrolled until it can; it is tried again every minute.`
      : `The ledger cannot be backed up: ${why}. It is tried again.`;
  const alert = { episode, severity: 'high', session: null, text } as const;
  const isTold = context.told[episode] === true;
  const changes = { told: { ...context.told, [episode]: true }, nextTryAt: at + context.policy.lookEveryMs };
  return { changes, orders: isTold ? [] : [order(`ledger/alert/${episode}`, { type: 'alert', alert })] };
}

/** Who is to be patrolled, where that is news; alerts about rigs that are gone are over. */
function announcement({ rigs, announced, isOpen }: Ctx): Turn<Ctx> {
  const text = JSON.stringify(rigs);
  if (!isOpen || announced === text) return NOTHING;
  const except = [...rigs, 'deacon'].map((of) => `patrol-fails/${of}`);
  return {
    changes: { announced: text },
    orders: [
      order('ledger/rigs', { type: 'announce', news: { type: 'RIGS_SEEN', rigs } }),
      order('ledger/gone', whoeverTold('patrol-fails/', 'The rig is not patrolled any more.', except)),
    ],
  };
}

function outcome(context: Ctx, event: Outcome): Turn<Ctx> {
  const taken = (changes: Partial<Ctx>) => (): Turn<Ctx> => ({ changes, orders: [] });
  switch (event.type) {
    case 'RIGS_READ': {
      const { rigs, hasLedger } = event;
      return inOrder(context, taken({ rigs, isWanted: hasLedger || rigs.length > 0 }), announcement);
    }
    case 'LEDGER_OPENED': {
      const { backedUpAt } = event;
      return inOrder(context, (now) => well(now, OPEN), taken({ isOpen: true, backedUpAt }), announcement);
    }
    case 'LEDGER_BACKED_UP':
      return inOrder(context, (now) => well(now, BACKUP), taken({ backedUpAt: event.backedUpAt }));
    case 'ORDER_FAILED':
      if (event.re === 'ledger/open') return failed(context, OPEN, event);
      return event.re === 'ledger/backup' ? failed(context, BACKUP, event) : NOTHING;
    default:
      return NOTHING;
  }
}

const READING = {
  entry: 'look',
  on: {
    RIGS_READ: [
      { guard: 'opens', target: 'checking', actions: 'take' },
      { target: 'resting', actions: 'take' },
    ],
    ORDER_FAILED: { target: 'resting', actions: 'take' },
  },
} as const;

export const keeper = setup({
  types: {} as { context: Ctx; events: Fact; input: KeeperInput; emitted: Order },
  actions: {
    look: enqueueActions(({ enqueue }) => {
      enqueue.emit({ type: 'readRigs', id: 'ledger/rigs/read' });
      enqueue.assign({ wakeAt: null });
    }),
    open: enqueueActions(({ enqueue }) => enqueue.emit({ type: 'openLedger', id: 'ledger/open' })),
    backUp: enqueueActions(({ enqueue }) => {
      enqueue.emit({ type: 'backUpLedger', id: 'ledger/backup' });
      enqueue.assign({ wakeAt: null });
    }),
    take: enqueueActions(({ enqueue, context, event }) => {
      if ('re' in event) take(enqueue, outcome(context, event));
    }),
    rest: enqueueActions(({ enqueue, context, event }) => enqueue.assign(resting(context, stampOf(event)))),
  },
  guards: {
    due: isDue,
    backUpDue: ({ context, event }) => event.type === 'TICK' && context.isOpen && event.at >= backUpAt(context, event),
    opens: ({ context, event }) =>
      event.type === 'RIGS_READ' && !context.isOpen && (event.hasLedger || event.rigs.length > 0),
    aboutRigs: ({ event }) => event.type === 'POKED' && event.what === 'rigs',
  },
}).createMachine({
  id: 'ledger',
  context: ({ input }) => ({
    ...input,
    ...{ rigs: [], isWanted: false, isOpen: false, backedUpAt: null, nextTryAt: 0, announced: null, told: {} },
    wakeAt: null,
  }),
  initial: 'opening',
  states: {
    // Named as other actors that read before they are ready.
    opening: READING,
    checking: {
      entry: 'open',
      on: {
        LEDGER_OPENED: { target: 'resting', actions: 'take' },
        ORDER_FAILED: { target: 'resting', actions: 'take' },
      },
    },
    resting: {
      entry: 'rest',
      on: {
        TICK: [
          { guard: 'backUpDue', target: 'backingUp' },
          { guard: 'due', target: 'looking' },
        ],
        POKED: { guard: 'aboutRigs', target: 'looking' },
      },
    },
    looking: READING,
    backingUp: {
      entry: 'backUp',
      on: {
        LEDGER_BACKED_UP: { target: 'resting', actions: 'take' },
        ORDER_FAILED: { target: 'resting', actions: 'take' },
      },
    },
  },
});
