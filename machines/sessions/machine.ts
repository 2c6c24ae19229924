/**
 * The sessions that the town started or adopted: one owner of their deaths (law 5). Owns: their records, one scan.
 * Sessions are data here, not actors each. Invariants:
 * 1. One start of a name at a time, and never while its last life may still live.
 * 2. A death is a scan's finding: a hint (the death hook, a lost pane) only makes it look now.
 * 3. Unknown changes nothing; if it lasts, a person is told.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import type { Fact, Order, OutcomeBody, Request, Stamp } from '../protocol.ts';
import { takeAgents } from './configured.ts';
import { emptyBook, type SessionsState, type SessionsInput, type Turn, woken } from './state.ts';
import { endingFailed, isEnding, stepDone, survivorsListed } from './survivors-ending.ts';
import { withLost } from './unrecorded.ts';
import { recordAdoption, adoptRecords, doDue, notAdopted, noticeDeath, request, scanSoon } from './starts.ts';
import { NUDGE, answerNudge } from './nudge.ts';
import { LOOK, nextLook } from './survivors.ts';
import { afterScan } from './scan.ts';
import { notStarted, recordStart } from './start-outcomes.ts';
import { isRemoving, removalStep, requestRemoval } from './remove.ts';
import { filing, notFiled, requestStop, withUnfiled } from './stop.ts';
import { endWanted, takeWanted, wantSession } from './sibling-requests.ts';

const stampOf = (event: object): Stamp => event as Stamp;
const OURS: ReadonlySet<Request['verb']> = new Set([
  ...(['startSession', 'adoptSession', 'nudge', 'stopSession', 'removeSession'] as const),
]);

/** The records are read: what they leave to do, what town.toml has, what siblings wanted meanwhile. */
function opened(book: SessionsState, read: OutcomeBody & { type: 'SESSIONS_READ' } & Stamp): Turn {
  const { sessions: known, lost = [], serverDeaths = null } = read;
  const found = {
    ...adoptRecords(book, withLost(known, lost ?? []), read),
    ...{ serverDeaths, seekLost: lost === null },
  };
  return { book: takeWanted(book, takeAgents(book, found, read), read), orders: read.sessions.flatMap(filing) };
}

/** What one fact changes; null = nothing of ours. */
export function turn(book: SessionsState, event: Fact): Turn | null {
  switch (event.type) {
    case 'TICK':
      return doDue(book, event);
    case 'SESSIONS_READ':
      return opened(book, event);
    case 'SESSION_WANTED':
      return { book: wantSession(book, event, event), orders: [] };
    case 'END_WANTED':
      return endWanted(book, event);
    case 'SESSIONS_SEEN':
      return withUnfiled(book, afterScan(book, event, event));
    case 'SESSION_DIED':
      return { book: noticeDeath(book, event, event), orders: [] };
    case 'POKED':
      return { book: scanSoon(book, event), orders: [] };
    case 'REQUESTED':
      return requested(book, event);
    case 'SESSION_STARTED':
      return recordStart(book, event, event);
    case 'SESSION_NOT_STARTED':
      return notStarted(book, event.re, event, event);
    case 'SESSION_ADOPTED':
      return recordAdoption(book, event.re, event, event);
    case 'SESSION_NOT_ADOPTED':
      return notAdopted(book, event.re, event);
    case 'NUDGED':
      return answerNudge(book, event.re, null);
    case 'NOT_NUDGED':
      return answerNudge(book, event.re, event.obstacle);
    case 'CLEARED':
      return removalStep(book, event.re, event, event);
    case 'SURVIVORS_LISTED':
      if (isRemoving(event.re)) return removalStep(book, event.re, event, event);
      return survivorsListed(book, event, event.re, event);
    case 'RESCUED':
    case 'SIGNALLED':
      return stepDone(book, event.re);
    case 'NOT_SIGNALLED':
    case 'TREE_REFUSED':
      return endingFailed(book, event.re, event.why, event);
    case 'ORDER_FAILED':
      return failed(book, event);
    default:
      return null;
  }
}

function requested(book: SessionsState, { request: asked, ...call }: Fact & { type: 'REQUESTED' }): Turn {
  if (asked.verb === 'stopSession') return requestStop(book, asked, call, call);
  if (asked.verb === 'removeSession') return requestRemoval(book, asked.name, call.rpc, call);
  return request(book, asked, call, call);
}

/** An order of ours got no outcome of its own. */
function failed(book: SessionsState, event: Fact & { type: 'ORDER_FAILED' }): Turn {
  const { re, why } = event;
  if (re === LOOK) return { book: woken(book, { remainsAt: nextLook(book, event) }), orders: [] };
  if (isEnding(re)) return endingFailed(book, re, why, event);
  if (isRemoving(re)) return removalStep(book, re, event, event);
  if (re === 'sessions/scan') return afterScan(book, null, event);
  if (re.startsWith(NUDGE)) return answerNudge(book, re, { kind: 'unknown', why });
  if (re.startsWith('sessions/start/')) return notStarted(book, re, event, event);
  return notFiled(book, re) ?? notAdopted(book, re, event);
}

const s = setup({
  types: {} as { context: SessionsState; events: Fact; input: SessionsInput; emitted: Order },
  actions: {
    readSessions: emit((): Order => ({ type: 'readSessions', id: 'sessions/read' })),
    keepWanted: assign(({ context, event }) =>
      event.type === 'SESSION_WANTED' ? { wanted: [...context.wanted, event] } : {},
    ),
    restLater: assign(({ context, event }) => ({ wakeAt: stampOf(event).at + context.policy.scanEveryMs })),
    turn: enqueueActions(({ enqueue, context, event }) => {
      const next = turn(context, event);
      if (next === null) return;
      for (const order of next.orders) enqueue.emit(order);
      enqueue.assign(next.book);
    }),
  },
  guards: {
    due: ({ context, event }) => event.type === 'TICK' && context.wakeAt !== null && event.at >= context.wakeAt,
    ours: ({ event }) =>
      (event.type === 'REQUESTED' && OURS.has(event.request.verb)) ||
      (event.type === 'POKED' && event.what === 'sessions'),
  },
});

export const sessions = s.createMachine({
  id: 'sessions',
  context: ({ input }) => emptyBook(input),
  initial: 'opening',
  states: {
    opening: {
      entry: 'readSessions',
      on: {
        SESSIONS_READ: { target: 'open', actions: 'turn' },
        ORDER_FAILED: 'resting',
        SESSION_WANTED: { actions: 'keepWanted' },
      },
    },
    resting: {
      entry: 'restLater',
      on: {
        TICK: { guard: 'due', target: 'opening', actions: assign({ wakeAt: null }) },
        SESSION_WANTED: { actions: 'keepWanted' },
      },
    },
    open: {
      on: {
        TICK: { guard: 'due', actions: 'turn' },
        REQUESTED: { guard: 'ours', actions: 'turn' },
        POKED: { guard: 'ours', actions: 'turn' },
        SESSION_WANTED: { actions: 'turn' },
        END_WANTED: { actions: 'turn' },
        SESSIONS_SEEN: { actions: 'turn' },
        SESSION_DIED: { actions: 'turn' },
        SESSION_STARTED: { actions: 'turn' },
        SESSION_NOT_STARTED: { actions: 'turn' },
        SESSION_ADOPTED: { actions: 'turn' },
        SESSION_NOT_ADOPTED: { actions: 'turn' },
        CLEARED: { actions: 'turn' },
        SURVIVORS_LISTED: { actions: 'turn' },
        RESCUED: { actions: 'turn' },
        SIGNALLED: { actions: 'turn' },
        NOT_SIGNALLED: { actions: 'turn' },
        TREE_REFUSED: { actions: 'turn' },
        NUDGED: { actions: 'turn' },
        NOT_NUDGED: { actions: 'turn' },
        ORDER_FAILED: { actions: 'turn' },
      },
    },
  },
});
