/**
 * The Deacon as an actor (C-3, C-4): the town's patrol, without tokens. Owns: its heartbeat.
 * 1. It beats at least every `beat`, independently of its patrol, and announces the next beat.
 * 2. Its own steps are `inbox` and `health-scan`; those of the seed that are about work are a round of their own, over
 *    the ledger (machines/rounds/round.ts), and the dogs look after themselves.
 * 3. A pause stops the patrol, never the beat.
 */
import { assign, enqueueActions, setup } from 'xstate';
import { persists } from '../kernel/persistence.ts';
import { isLifecycle } from './lifecycle-requests.ts';
import { inOrder, isDue, stampOf, applyDecision, type Decision } from '../kernel/decision.ts';
import { MAX_STRANGE, type DeaconPolicy } from './policy.ts';
import type { Fact, Instant, Order, OutcomeBody, Stamp, Beat, Letter } from '../protocol.ts';

export interface DeaconInput {
  readonly policy: DeaconPolicy;
  /** Names this process in its beats, so that readers need not compare clocks to attribute them (law 3). */
  readonly life: string | null;
}

export interface DeaconState extends DeaconInput {
  readonly cycle: number;
  readonly beat: Beat | null;
  readonly beatAt: Instant | null;
  readonly nextCycleAt: Instant;
  readonly lastAction: string;
  readonly healthy: number;
  readonly unhealthy: number;
  readonly patrolling: boolean;
  /** Messages that it has no rule for, as they lay there last, and the newest of them; null = it did not look yet. */
  readonly strange: { readonly count: number; readonly last: Letter | null } | null;
  readonly wakeAt: Instant | null;
}

const HANDOFF = /^HANDOFF\b|^\u{1F91D}/iu;
/** A witness says that it lives: nothing to do about it. */
const PING = /^WITNESS_PING\b/;
/** The end of a hearing that it asked for: told in the records, and nothing for it to do. */
const isVerdict = ({ from, subject }: Letter): boolean => from === 'town' && subject.startsWith('VERDICT: ');
/** Read and put away. */
const isAbsorbed = (letter: Letter): boolean =>
  HANDOFF.test(letter.subject) || PING.test(letter.subject) || isVerdict(letter);

/** The context with a beat of this instant. */
function beaten(context: DeaconState, { at, wall }: Stamp): Partial<DeaconState> {
  const { policy, cycle, lastAction, healthy, unhealthy, life } = context;
  const nextDueAt = wall + policy.beatMs;
  const beat: Beat = { at: wall, cycle, lastAction, healthy, unhealthy, nextDueAt, incarnation: life };
  return { beat, beatAt: at };
}

const wakeOf = ({ beatAt, nextCycleAt, policy, patrolling }: DeaconState): Instant =>
  Math.min(beatAt === null ? 0 : beatAt + policy.beatMs, patrolling ? Infinity : nextCycleAt);

type MailRead = Extract<OutcomeBody, { type: 'DEACON_MAIL_READ' }>;

const idOf = (round: number, verb: 'inbox' | 'archive') => ({ issuer: 'deacon', round, verb }) as const;

/** One patrol with what it found. */
function patrolled(context: DeaconState, read: MailRead, now: Stamp): Decision<DeaconState> {
  const { policy } = context;
  // Handoffs and verdicts are absorbed, lifecycle requests are the daemon's, the rest stays.
  const letters = read.letters.filter((letter) => !isLifecycle(letter));
  const strange = letters.filter((letter) => !isAbsorbed(letter));
  if (read.paused) {
    const changes = { patrolling: false, lastAction: 'paused', nextCycleAt: now.at + policy.idleMs };
    const known = context.strange;
    const count = Math.min(known?.count ?? 0, read.aside + strange.length);
    return { changes: { ...changes, strange: known && { ...known, count } }, orders: [] };
  }
  const cycle = context.cycle + 1;
  const absorb = letters.filter(isAbsorbed).map(({ id }) => id);
  const aside = strange.length > MAX_STRANGE ? strange.map(({ id }) => id) : [];
  const put = { ids: absorb, ...(aside.length > 0 && { aside }) };
  const archive: Order = { type: 'archiveDeaconMail', id: idOf(cycle, 'archive'), ...put };
  const isActive = read.unhealthy > 0 || absorb.length + aside.length > 0;
  const changes: Partial<DeaconState> = {
    cycle,
    patrolling: false,
    lastAction: 'health-scan',
    healthy: read.healthy,
    unhealthy: read.unhealthy,
    strange: {
      count: read.aside + strange.length,
      last: strange.at(-1) ?? (read.aside > 0 ? (context.strange?.last ?? null) : null),
    },
    nextCycleAt: now.at + (isActive ? policy.activeMs : policy.idleMs),
  };
  return { changes, orders: absorb.length + aside.length > 0 ? [archive] : [] };
}

const s = setup({
  types: {} as { context: DeaconState; events: Fact; input: DeaconInput; emitted: Order },
  actions: {
    /** Does all that is due: the beat first, so that no patrol can delay it. */
    due: enqueueActions(({ enqueue, context, event }) => {
      const now = stampOf(event);
      const isCycle = !context.patrolling && now.at >= context.nextCycleAt;
      if (isCycle) enqueue.emit({ type: 'readDeaconMail', id: idOf(context.cycle + 1, 'inbox') });
      const changes: Partial<DeaconState> = { patrolling: context.patrolling || isCycle };
      const isBeat = context.beatAt === null || now.at >= context.beatAt + context.policy.beatMs;
      const next = { ...context, ...changes, ...(isBeat && beaten(context, now)) };
      enqueue.assign({ ...next, wakeAt: wakeOf(next) });
    }),
    patrol: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'DEACON_MAIL_READ') return;
      applyDecision(
        enqueue,
        inOrder(
          context,
          (now) => patrolled(now, event, event),
          (now) => ({ changes: beaten(now, event), orders: [] }),
          (now) => ({ changes: { wakeAt: wakeOf(now) }, orders: [] }),
        ),
      );
    }),
    later: assign(({ context, event }) => {
      const next = { ...context, patrolling: false, nextCycleAt: stampOf(event).at + context.policy.activeMs };
      return { ...next, lastAction: 'inbox failed', wakeAt: wakeOf(next) };
    }),
    soon: assign({ nextCycleAt: -Infinity, beatAt: null, wakeAt: 0 }),
    crash: ({ event }) => {
      throw new Error(event.type === 'DEACON_STUCK' ? event.why : 'the Deacon is stuck');
    },
  },
  guards: {
    due: isDue,
    inbox: ({ event }) => 're' in event && event.re.verb === 'inbox',
    aboutMail: ({ context, event }) => event.type === 'CHANGED' && event.what === 'mail' && !context.patrolling,
  },
});

export const deacon = s.createMachine({
  id: 'deacon',
  context: ({ input }) => ({
    ...input,
    cycle: 0,
    beat: null,
    beatAt: null,
    nextCycleAt: -Infinity,
    lastAction: 'started',
    healthy: 0,
    unhealthy: 0,
    patrolling: false,
    strange: null,
    wakeAt: 0,
  }),
  initial: 'patrolling',
  states: {
    patrolling: {
      on: {
        TICK: { guard: 'due', actions: 'due' },
        DEACON_MAIL_READ: { guard: 'inbox', actions: 'patrol' },
        ORDER_FAILED: { guard: 'inbox', actions: 'later' },
        CHANGED: { guard: 'aboutMail', actions: 'soon' },
        DEACON_WOKEN: { actions: 'soon' },
        DEACON_STUCK: { actions: 'crash' },
      },
    },
  },
});

persists(deacon, ({ context: { beat } }) => (beat === null ? [] : [{ kind: 'note', id: 'heartbeat', value: beat }]));
