/**
 * Boot: one triage of the Deacon per tick (C-2, C-5), without a model. Owns: its mark, its status, what it remembers of a life.
 * 1. It always ends: observing and acting share one deadline.
 * 2. One action per triage, and each goes to its owner: starts to the sessions, typing to the pane's queue, ends to the kennel.
 * 3. A mark that it finds younger than its time to live keeps it from running: somebody's Boot may be at work.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import {
  ACTOR,
  episodesOf,
  freshMemory,
  judge,
  noCommandAlert,
  NUDGE_TEXT,
  unreachableAlert,
  WAKE_TEXT,
  type Judgement,
} from './boot-rules.ts';
import type { WatchdogPolicy } from './policy.ts';
import type { Fact, Instant, NudgeObstacle, Order, OrderBody, SessionSpec, Stamp } from './protocol.ts';
import { uuidOf } from './chance.ts';
import type { BootMemory, BootStatus, DeaconSeen, NoteRecord } from './watchdog.ts';

export interface BootInput {
  readonly policy: WatchdogPolicy;
  readonly entropy: string;
  /** null = the Deacon is an actor. */
  readonly deacon: SessionSpec | null;
}
interface Ctx extends BootInput {
  readonly runs: number;
  readonly memory: BootMemory;
  /** Absent = not ours to write yet. */
  readonly status?: BootStatus;
  readonly running?: { readonly at: number } | null;
  /** A triage was asked for before Boot could run. */
  readonly isDue: boolean;
  /** Somebody's Boot may be at work until then. */
  readonly keptUntil: Instant;
  readonly rpcs: readonly string[];
  readonly seen: DeaconSeen | null;
  readonly judgement: Judgement | null;
  readonly wakeAt: Instant | null;
}

/** Boot's name in records (C-3). */
const GT_BOOT = 'gt-boot';
const wordsOf = (obstacle: NudgeObstacle): string =>
  'what' in obstacle ? obstacle.what : 'why' in obstacle ? obstacle.why : obstacle.kind;
const stampOf = (event: object): Stamp => event as Stamp;
const who = ({ deacon }: BootInput): string => deacon?.name ?? ACTOR;
const orderOf = (context: Ctx, name: string, body: OrderBody): Order => ({
  ...body,
  id: `boot/${context.runs}/${name}`,
});

/** The one order that carries out a judgement; null = there is nothing to do. */
function actionOrder(context: Ctx, { action, reason }: Judgement, seen: DeaconSeen, now: Stamp): OrderBody | null {
  const { deacon, entropy } = context;
  const announce = (news: (OrderBody & { type: 'announce' })['news']): OrderBody => ({ type: 'announce', news });
  switch (action) {
    case 'NOTHING':
      return null;
    case 'START':
      if (deacon === null || deacon.command.length === 0) return null;
      return announce({ type: 'SESSION_WANTED', spec: deacon, uuid: null, why: `Boot: ${reason}` });
    case 'RESTART':
      return announce({ type: 'DEACON_STUCK', why: `Boot: ${reason}` });
    case 'WAKE':
    case 'NUDGE': {
      const text = action === 'WAKE' ? WAKE_TEXT : NUDGE_TEXT;
      return seen.life === null
        ? announce({ type: 'DEACON_WOKEN', why: text })
        : { type: 'nudge', target: seen.life, text, from: GT_BOOT };
    }
    case 'WARRANT': {
      if (seen.life === null) return null;
      const id = `boot-${uuidOf(entropy, `${seen.life.uuid}/${now.wall}`)}`;
      const warrant = { id, target: seen.life, reason, requester: GT_BOOT, filedAt: now.wall, force: false };
      return { type: 'fileWarrant', warrant };
    }
  }
}

/** What came of the action: words for the status, and what Boot remembers. */
function resultOf(context: Ctx, event: Fact): { readonly result: string; readonly memory: BootMemory } {
  const { judgement } = context;
  const memory = judgement?.memory ?? context.memory;
  const isWake = judgement?.action === 'WAKE';
  switch (event.type) {
    case 'NUDGED':
      return {
        result: 'typed',
        memory: { ...memory, wakes: memory.wakes + (isWake ? 1 : 0), spared: false, undelivered: 0 },
      };
    case 'NOT_NUDGED':
      return {
        result: `not typed: ${wordsOf(event.obstacle)}`,
        memory: event.obstacle.kind === 'recent' ? memory : { ...memory, undelivered: memory.undelivered + 1 },
      };
    case 'ANNOUNCED':
      if (judgement?.action === 'RESTART') return { result: 'told', memory: freshMemory(memory.uuid, memory.told) };
      return { result: 'told', memory: isWake ? { ...memory, wakes: memory.wakes + 1 } : memory };
    case 'WARRANT_WRITTEN':
      return { result: 'filed', memory: freshMemory(memory.uuid, memory.told) };
    case 'ORDER_FAILED':
      return { result: `failed: ${event.why}`, memory };
    case 'TICK':
      return { result: 'ended at its deadline', memory };
    default:
      return { result: 'done', memory };
  }
}

const s = setup({
  types: {} as { context: Ctx; events: Fact; input: BootInput; emitted: Order },
  actions: {
    readBoot: emit((): Order => ({ type: 'readBoot', id: 'boot/read' })),
    remember: assign(({ context, event }) => {
      if (event.type !== 'BOOT_READ') return {};
      const restMs = event.runningMs === null ? 0 : context.policy.boot.runningTtlMs - Math.max(0, event.runningMs);
      return { memory: event.status?.memory ?? context.memory, keptUntil: event.at + restMs };
    }),
    wanted: assign(({ context, event }) => ({
      isDue: true,
      rpcs: event.type === 'REQUESTED' ? [...context.rpcs, event.rpc] : context.rpcs,
    })),
    begin: enqueueActions(({ enqueue, context, event }) => {
      const { at, wall } = stampOf(event);
      const next = { ...context, runs: context.runs + 1 };
      const { boot } = context.policy;
      enqueue.assign({
        runs: next.runs,
        isDue: false,
        running: { at: wall },
        seen: null,
        judgement: null,
        wakeAt: at + boot.deadlineMs,
        rpcs: event.type === 'REQUESTED' ? [...context.rpcs, event.rpc] : context.rpcs,
      });
      enqueue.emit(orderOf(next, 'observe', { type: 'observeDeacon', session: context.deacon?.name ?? null }));
    }),
    decide: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'DEACON_OBSERVED') return;
      const { seen } = event;
      const name = who(context);
      const judgement = judge(seen, context.memory, context.policy, name);
      enqueue.assign({ seen, judgement });
      if (judgement.alert) enqueue.emit(orderOf(context, 'alert', { type: 'alert', alert: judgement.alert }));
      if (judgement.isWell && judgement.memory.told)
        for (const episode of episodesOf(name))
          enqueue.emit(
            orderOf(context, `end/${episode}`, { type: 'endAlert', episode, text: 'The Deacon is well again.' }),
          );
      const body = actionOrder(context, judgement, seen, event);
      if (body !== null) enqueue.emit(orderOf(context, 'act', body));
      else if (judgement.action === 'START')
        enqueue.emit(orderOf(context, 'alert', { type: 'alert', alert: noCommandAlert(name) }));
    }),
    end: enqueueActions(({ enqueue, context, event }) => {
      const { judgement, seen, policy } = context;
      const name = who(context);
      const { result, memory: before } = resultOf(context, event);
      const isMuted = before.undelivered >= policy.deacon.wakes && before.undelivered > context.memory.undelivered;
      const hasNoCommand = judgement?.action === 'START' && (context.deacon?.command.length ?? 1) === 0;
      const isTold = isMuted || hasNoCommand || judgement?.alert != null;
      const memory = { ...before, told: isTold || (before.told && judgement?.isWell !== true) };
      const status: BootStatus = {
        at: stampOf(event).wall,
        action: judgement?.action ?? 'NOTHING',
        reason: judgement?.reason ?? 'the Deacon could not be observed',
        heartbeatAgeMs: seen?.heartbeat?.ageMs ?? null,
        session: name,
        result,
        memory,
      };
      if (isMuted)
        enqueue.emit(
          orderOf(context, 'alert', { type: 'alert', alert: unreachableAlert(name, memory.undelivered, result) }),
        );
      for (const rpc of context.rpcs) {
        const { action, reason } = status;
        const value = { action, reason, heartbeat_age_ms: status.heartbeatAgeMs, session: name, result };
        enqueue.emit({ type: 'reply', id: `reply/${rpc}`, to: rpc, reply: { ok: true, value } });
      }
      enqueue.assign({ status, memory, running: null, wakeAt: null, rpcs: [], isDue: false });
    }),
  },
  guards: {
    due: ({ context, event }) => event.type === 'TICK' && context.wakeAt !== null && event.at >= context.wakeAt,
    triage: ({ event }) => event.type === 'REQUESTED' && event.request.verb === 'bootTriage',
    mine: ({ context, event }) => 're' in event && event.re.startsWith(`boot/${context.runs}/`),
    /** Its own order's outcome, not that of an alert beside it. */
    acted: ({ context, event }) => 're' in event && event.re === `boot/${context.runs}/act`,
    free: ({ context, event }) => stampOf(event).at >= context.keptUntil,
    isDue: ({ context, event }) => context.isDue && (context.rpcs.length > 0 || stampOf(event).at >= context.keptUntil),
    nothingToDo: ({ context, event }) => {
      if (context.judgement === null || context.seen === null) return false;
      return actionOrder(context, context.judgement, context.seen, stampOf(event)) === null;
    },
  },
});

const WANTED = { guard: 'triage', actions: 'wanted' } as const;

export const boot = s.createMachine({
  id: 'boot',
  context: ({ input }) => ({
    ...input,
    runs: 0,
    memory: freshMemory(null),
    isDue: false,
    keptUntil: -Infinity,
    rpcs: [],
    seen: null,
    judgement: null,
    wakeAt: null,
  }),
  initial: 'opening',
  states: {
    opening: {
      entry: 'readBoot',
      on: {
        BOOT_READ: { target: 'resting', actions: 'remember' },
        ORDER_FAILED: 'resting',
        BOOT_DUE: { actions: 'wanted' },
        REQUESTED: WANTED,
      },
    },
    resting: {
      always: { guard: 'isDue', target: 'observing', actions: 'begin' },
      on: {
        BOOT_DUE: { guard: 'free', target: 'observing', actions: 'begin' },
        REQUESTED: { guard: 'triage', target: 'observing', actions: 'begin' },
      },
    },
    observing: {
      on: {
        DEACON_OBSERVED: { guard: 'mine', target: 'acting', actions: 'decide' },
        ORDER_FAILED: { guard: 'mine', target: 'resting', actions: 'end' },
        TICK: { guard: 'due', target: 'resting', actions: 'end' },
        REQUESTED: WANTED,
      },
    },
    acting: {
      always: { guard: 'nothingToDo', target: 'resting', actions: 'end' },
      on: {
        NUDGED: { guard: 'acted', target: 'resting', actions: 'end' },
        NOT_NUDGED: { guard: 'acted', target: 'resting', actions: 'end' },
        ANNOUNCED: { guard: 'acted', target: 'resting', actions: 'end' },
        WARRANT_WRITTEN: { guard: 'acted', target: 'resting', actions: 'end' },
        ORDER_FAILED: { guard: 'acted', target: 'resting', actions: 'end' },
        TICK: { guard: 'due', target: 'resting', actions: 'end' },
        REQUESTED: WANTED,
      },
    },
  },
});

/** The durable view: nothing before the first triage. */
export const bootOf = ({ running, status }: Pick<Ctx, 'running' | 'status'>): readonly NoteRecord[] => [
  ...(running === undefined ? [] : [{ kind: 'note', id: 'bootRunning', value: running } as const]),
  ...(status === undefined ? [] : [{ kind: 'note', id: 'bootStatus', value: status } as const]),
];
