/**
 * The worker monitor (M-1 … M-5): looks at the workers now and then, and tells the orchestrators of those that need them.
 * Owns: daemon/monitor.json. It types to no worker (law 5) and judges nothing that a hearing judges.
 * 1. A message is on record before its mailbox has it, and leaves the record once it has: killed anywhere, none is lost,
 *    and none is there twice.
 * 2. One message for each episode, which ends by what is seen, never by a restart of the town (law 8). A life that reports again
 *    and again has a budget.
 * 3. While all are healthy it says nothing.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { persists } from '../kernel/persistence.ts';
import { isDue, NOTHING, order, stampOf, applyDecision, type Decision } from '../kernel/decision.ts';
import type {
  Fact,
  Incarnation,
  Instant,
  MonitorRecord,
  Order,
  OrderId,
  Outcome,
  SentReports,
  Stamp,
  TagMessage,
  WallMs,
  WorkerEpisode,
} from '../protocol.ts';
import { episodeAfter, NOT_OURS } from './episode.ts';
import { judge, type Worker } from './judge.ts';
import { MAX_UNSENT, type MonitorPolicy } from './policy.ts';

export interface MonitorInput {
  readonly policy: MonitorPolicy;
}
/** What waits in the mailbox of the tag; null = it was not looked into. */
export interface Waiting {
  readonly count: number;
  /** Of the oldest and the newest message; null = there is none. */
  readonly oldestAt: WallMs | null;
  readonly newestAt: WallMs | null;
}
export interface MonitorState extends MonitorInput, MonitorRecord {
  readonly polls: number;
  /** By the uuid of a life, as the last poll left them; null = none has looked yet. */
  readonly workers: Readonly<Record<string, Worker>> | null;
  /** Lives with the orchestrators' tag. */
  readonly orchestrators: readonly Incarnation[];
  readonly waiting: Waiting | null;
  /** For how long its oldest message has waited, as a person is told. */
  readonly isUnread: boolean;
  /** There is a file of what it remembers. */
  readonly isKept: boolean;
  readonly nextPollAt: Instant;
  readonly polledAt: Instant;
  /** Not before then is anything typed into the orchestrator's pane. */
  readonly nextNudgeAt: Instant;
  readonly wakeAt: Instant | null;
}
type MonitorDecision = Decision<MonitorState>;
type Seen = Extract<Fact, { type: 'WORKERS_SEEN' }>;

const SECOND = 1_000;
const idOf = (verb: string, more: Omit<OrderId, 'issuer' | 'verb'> = {}): OrderId => ({
  issuer: 'monitor',
  verb,
  ...more,
});

/** `isRegular`: at its time, and not because a report came. */
function poll(context: MonitorState, now: Stamp, isRegular: boolean): MonitorDecision {
  const polls = context.polls + 1;
  const { nextPollAt, policy, workers } = context;
  const next = isRegular ? now.at + policy.pollIntervalSecs * SECOND : nextPollAt;
  // The last lines of a worker are looked at only where they may have to be told.
  const suspects = Object.values(workers ?? {}).filter(
    ({ unchanged }) => unchanged + 1 >= policy.stuckThresholdIntervals,
  );
  const preview = suspects.map(({ seen }) => seen.life.uuid);
  const look = order(idOf('poll', { round: polls }), { type: 'pollWorkers', preview, isRegular });
  return { changes: { polls, nextPollAt: next, polledAt: now.at, wakeAt: next }, orders: [look] };
}

/** Messages go out until their mailbox has them; the tree gives none twice at a time. */
const letters = (unsent: readonly TagMessage[]): Order[] =>
  unsent.map(({ id, tag, type, payload, suggested }) =>
    order(
      { name: id },
      { type: 'mail', to: `tag/${tag}`, subject: type, body: JSON.stringify({ payload, suggested }) },
    ),
  );

/** A tag's messages that wait longer than they may. */
function isUnread(waiting: Waiting | null, { unreadMs }: MonitorPolicy, now: Stamp): boolean {
  const oldestAt = waiting?.oldestAt ?? null;
  return oldestAt !== null && now.wall - oldestAt >= unreadMs;
}

/** In the pane of each orchestrator at rest, that messages wait: once for all that came since this life was told last. */
function nudges(context: MonitorState, now: Stamp): MonitorDecision {
  const { waiting, orchestrators, policy, nudgedUpTo, nextNudgeAt, polls } = context;
  const newestAt = waiting?.newestAt ?? null;
  const behind = orchestrators.filter(({ uuid }) => newestAt !== null && newestAt > (nudgedUpTo[uuid] ?? -Infinity));
  if (waiting === null || behind.length === 0 || now.at < nextNudgeAt) return NOTHING;
  const tag = policy.orchestratorTag;
  const what = waiting.count === 1 ? 'An alert about a worker waits' : `${waiting.count} alerts about workers wait`;
  const how = policy.mode === 'actor' ? `town alerts poll --for ${tag} --json` : 'town mail check --inject';
  const text = `${what} for you. Read it with: ${how}`;
  const orders = behind.map((target) =>
    order(idOf('nudge', { round: polls, life: target.uuid }), {
      type: 'nudge',
      target,
      text,
      from: 'monitor',
      raw: false,
      atRest: true,
      isWork: true,
    }),
  );
  return { changes: { nextNudgeAt: now.at + policy.nudgeEveryMs }, orders };
}

function polled(context: MonitorState, fact: Seen): MonitorDecision {
  const { policy } = context;
  const look = { at: fact.at, isRegular: fact.isRegular, threshold: policy.stuckThresholdIntervals };
  const workers: Record<string, Worker> = {};
  const episodes: Record<string, WorkerEpisode> = {};
  const reported: Record<string, SentReports> = {};
  const messages: TagMessage[] = [];
  const tells = policy.mode === 'actor';
  for (const seen of fact.workers) {
    const { uuid } = seen.life;
    const before = context.workers?.[uuid] ?? null;
    const worker = judge(before, seen, look);
    workers[uuid] = worker;
    // A life of which nothing was seen yet has no baseline.
    const known = before?.state === 'unknown' && before.seen.mark === null ? null : before;
    const { open, reported: told, message } = tells ? episodeAfter(known, worker, context, fact) : NOT_OURS;
    if (open !== undefined) episodes[uuid] = open;
    if (told !== undefined) reported[uuid] = told;
    if (message !== null) messages.push(message);
  }
  const unsent = [...context.unsent, ...messages].slice(0, MAX_UNSENT);
  const { orchestrators, waiting } = fact;
  const isKept = context.isKept || unsent.length > 0;
  const seen = {
    isKept,
    workers,
    episodes,
    reported,
    unsent,
    orchestrators,
    nudgedUpTo: Object.fromEntries(
      Object.entries(context.nudgedUpTo).filter(([uuid]) => orchestrators.some((one) => one.uuid === uuid)),
    ),
    waiting,
    isUnread: isUnread(waiting, policy, fact),
  };
  const words = nudges({ ...context, ...seen }, fact);
  return { changes: { ...seen, ...words.changes }, orders: [...letters(unsent), ...words.orders] };
}

/** A message is in its mailbox. The next look finds it there, and says so in the orchestrator's pane. */
function mailed(context: MonitorState, re: OrderId, now: Stamp): MonitorDecision {
  const unsent = context.unsent.filter(({ id }) => id !== re.name);
  const isNews = unsent.length === 0 && context.orchestrators.length > 0;
  return { changes: { unsent, ...(isNews && { wakeAt: now.at }) }, orders: [] };
}

function nudged({ waiting, nudgedUpTo }: MonitorState, { life }: OrderId): MonitorDecision {
  const newestAt = waiting?.newestAt ?? null;
  if (newestAt === null || life === undefined) return NOTHING;
  return { changes: { nudgedUpTo: { ...nudgedUpTo, [life]: newestAt } }, orders: [] };
}

function takeOutcome(context: MonitorState, fact: Outcome): MonitorDecision {
  switch (fact.type) {
    case 'WORKERS_SEEN':
      return polled(context, fact);
    case 'MAILED':
      return mailed(context, fact.re, fact);
    case 'NUDGED':
      return nudged(context, fact.re);
    case 'NOT_NUDGED': {
      const waitMs = fact.obstacle.kind === 'recent' ? fact.obstacle.waitMs : context.policy.nudgeEveryMs;
      return { changes: { nextNudgeAt: fact.at + waitMs }, orders: [] };
    }
    default:
      // A look that failed shows nothing, and a letter that failed goes out with the next look (law 1).
      return NOTHING;
  }
}

const s = setup({
  types: {} as { context: MonitorState; events: Fact; input: MonitorInput; emitted: Order },
  actions: {
    read: emit((): Order => ({ type: 'readNote', note: 'monitor', id: idOf('read') })),
    remember: assign(({ event }) =>
      event.type === 'NOTE_READ' && event.note === 'monitor' && event.value !== null
        ? { ...event.value, isKept: true }
        : {},
    ),
    later: assign(({ context, event }) => ({
      wakeAt: stampOf(event).at + context.policy.pollIntervalSecs * SECOND,
    })),
    // However often agents report, workers are looked at in a pace.
    soon: assign(({ context: { nextPollAt, polledAt, policy } }) => ({
      wakeAt: Math.min(nextPollAt, polledAt + policy.reportsEveryMs),
    })),
    poll: enqueueActions(({ enqueue, context, event }) => {
      const now = stampOf(event);
      applyDecision(enqueue, poll(context, now, now.at >= context.nextPollAt));
    }),
    decide: enqueueActions(({ enqueue, context, event }) => {
      if ('re' in event) applyDecision(enqueue, takeOutcome(context, event));
    }),
  },
  guards: {
    due: isDue,
    aboutReports: ({ event }) => event.type === 'CHANGED' && event.what === 'reports',
  },
});

const DECIDE = { actions: 'decide' } as const;

export const monitor = s.createMachine({
  id: 'monitor',
  context: ({ input }) => ({
    ...input,
    episodes: {},
    reported: {},
    unsent: [],
    nudgedUpTo: {},
    polls: 0,
    workers: null,
    orchestrators: [],
    waiting: null,
    isUnread: false,
    isKept: false,
    nextPollAt: 0,
    polledAt: 0,
    nextNudgeAt: 0,
    wakeAt: null,
  }),
  initial: 'opening',
  states: {
    opening: {
      entry: 'read',
      on: { NOTE_READ: { target: 'open', actions: 'remember' }, ORDER_FAILED: 'resting' },
    },
    resting: {
      entry: 'later',
      on: { TICK: { guard: 'due', target: 'opening', actions: assign({ wakeAt: null }) } },
    },
    open: {
      entry: 'soon',
      on: {
        TICK: { guard: 'due', actions: 'poll' },
        CHANGED: { guard: 'aboutReports', actions: 'soon' },
        WORKERS_SEEN: DECIDE,
        MAILED: DECIDE,
        NUDGED: DECIDE,
        NOT_NUDGED: DECIDE,
        ORDER_FAILED: DECIDE,
      },
    },
  },
});

persists(monitor, ({ value, context }) => {
  const { episodes, reported, unsent, nudgedUpTo, isKept } = context;
  return value === 'open' && isKept
    ? [{ kind: 'note', id: 'monitor', value: { episodes, reported, unsent, nudgedUpTo } }]
    : [];
});
