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
import type { Fact, Instant, Order, OrderBody, Outcome, Stamp, WallMs } from '../protocol.ts';
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

const order = (id: string, body: OrderBody): Order => ({ ...body, id });
const OPEN = 'ledger-fails/open';
const BACKUP = 'ledger-fails/backup';
const MENDED = { [OPEN]: 'The ledger is open.', [BACKUP]: 'The ledger is backed up again.' } as const;

/** When the next backup is due: a clock that stepped back makes none wait longer than one interval. */
function backUpAt({ backedUpAt, nextTryAt, policy }: Ctx, { at, wall }: Stamp): Instant {
  const inMs = backedUpAt === null ? 0 : backedUpAt + policy.backUpEveryMs - wall;
  return Math.max(nextTryAt, at + Math.min(Math.max(0, inMs), policy.backUpEveryMs));
}

function resting(context: Ctx, now: Stamp): Ctx {
  const look = nextBeat(now.at, context.policy.lookEveryMs);
  return { ...context, wakeAt: context.isOpen ? Math.min(look, backUpAt(context, now)) : look };
}

/** It works: what was told of it is over, the first time in this process whoever told it. */
function well({ told }: Ctx, episode: keyof typeof MENDED): { told: Ctx['told']; orders: Order[] } {
  if (told[episode] === false) return { told, orders: [] };
  const id = `ledger/end/${episode}`;
  return { told: { ...told, [episode]: false }, orders: [order(id, whoeverTold(episode, MENDED[episode]))] };
}

function failed(context: Ctx, episode: keyof typeof MENDED, { why, at }: { why: string; at: Instant }) {
  const text =
    episode === OPEN
      ? `The ledger cannot be opened: ${why}. No rig is patrolled until it can; it is tried again every minute.`
      : `The ledger cannot be backed up: ${why}. It is tried again.`;
  const alert = { episode, severity: 'high', session: null, text } as const;
  const isTold = context.told[episode] === true;
  const next = { ...context, told: { ...context.told, [episode]: true }, nextTryAt: at + context.policy.lookEveryMs };
  return { next, orders: isTold ? [] : [order(`ledger/alert/${episode}`, { type: 'alert', alert })] };
}

/** Who is to be patrolled, where that is news; alerts about rigs that are gone are over. */
function announcement(context: Ctx): { next: Ctx; orders: Order[] } {
  const { rigs, announced, isOpen } = context;
  const text = JSON.stringify(rigs);
  if (!isOpen || announced === text) return { next: context, orders: [] };
  const except = [...rigs, 'deacon'].map((of) => `patrol-fails/${of}`);
  return {
    next: { ...context, announced: text },
    orders: [
      order('ledger/rigs', { type: 'announce', news: { type: 'RIGS_SEEN', rigs } }),
      order('ledger/gone', whoeverTold('patrol-fails/', 'The rig is not patrolled any more.', except)),
    ],
  };
}

const stampOf = (event: object): Stamp => event as Stamp;

function outcome(context: Ctx, event: Outcome): { next: Ctx; orders: Order[] } {
  switch (event.type) {
    case 'RIGS_READ':
      return announcement({ ...context, rigs: event.rigs, isWanted: event.hasLedger || event.rigs.length > 0 });
    case 'LEDGER_OPENED': {
      const { told, orders } = well(context, OPEN);
      const { next, orders: more } = announcement({ ...context, told, isOpen: true, backedUpAt: event.backedUpAt });
      return { next, orders: [...orders, ...more] };
    }
    case 'LEDGER_BACKED_UP': {
      const { told, orders } = well(context, BACKUP);
      return { next: { ...context, told, backedUpAt: event.backedUpAt }, orders };
    }
    case 'ORDER_FAILED':
      if (event.re === 'ledger/open') return failed(context, OPEN, event);
      return event.re === 'ledger/backup' ? failed(context, BACKUP, event) : { next: context, orders: [] };
    default:
      return { next: context, orders: [] };
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
      if (!('re' in event)) return;
      const { next, orders } = outcome(context, event);
      for (const one of orders) enqueue.emit(one);
      enqueue.assign(next);
    }),
    rest: enqueueActions(({ enqueue, context, event }) => enqueue.assign(resting(context, stampOf(event)))),
  },
  guards: {
    due: ({ context, event }) => event.type === 'TICK' && context.wakeAt !== null && event.at >= context.wakeAt,
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
