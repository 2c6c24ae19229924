/**
 * The sessions that the town started or adopted: one owner of their deaths (law 5). Owns: their records, one scan.
 * Sessions are data here, not actors each: rows of one table (table.ts), to which facts come as what happened. Invariants:
 * 1. One start of a name at a time, of all names only so many, and never while its last life may still live.
 * 2. A death is a scan's finding: a hint (the death hook, a lost pane) only makes it look now.
 * 3. Unknown changes nothing; if it lasts, a person is told.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { persists } from '../kernel/persistence.ts';
import { inOrder, isDue, NOTHING, stampOf, applyDecision } from '../kernel/decision.ts';
import { isSameOrder, type Fact, type Instant, type Order, type OrderId, type Outcome } from '../protocol.ts';
import type { SessionRecord, Stamp } from '../protocol.ts';
import { takeOutcome, isOurs, takeRequest } from './callers.ts';
import { differences } from './lifecycle.ts';
import { afterEndLetter, endLetters } from './end-letters.ts';
import { afterGoOn } from './limits.ts';
import { afterScan, BLIND, noticeDeath, paneOf, scanDue, isSettled, scanSoon, takeLost } from './scan.ts';
import { sessionRecords } from './kept.ts';
import { toAll, type Happening, type SessionEvent } from './session.ts';
import { wordsAgain } from './starts.ts';
import { emptyBook, idOf, NOT_LIVE, startsLeft, wakeOf } from './state.ts';
import type { Live, SessionsInput, SessionsState, SessionsDecision, Wanted } from './state.ts';
import { filing } from './stop.ts';
import { endingId, lookOrder, nextLook, recordSurvivors, startId } from './survivors.ts';
import { happen } from './table.ts';

type Of<T extends Fact['type']> = Extract<Fact, { type: T }>;

const wanted = ({ spec, uuid }: Wanted): Happening => {
  const start = { spec, by: 'wanted', rpc: null };
  return { name: spec.name, event: uuid === null ? { type: 'WANTED', ...start } : { type: 'FOUND', ...start, uuid } };
};

/** town.toml compared with the records. */
function configured(book: SessionsState, now: Stamp): SessionsDecision {
  const { agents, starts: first } = book;
  const names = new Set(agents.map(({ name }) => name));
  const others = Object.keys(book.records).filter(
    (name) => book.records[name]?.configured === true && !names.has(name),
  );
  const listed = agents.map((spec): Happening => ({ name: spec.name, event: { type: 'LISTED', spec, first } }));
  const { changes, orders } = happen(book, [...listed, ...toAll(others, { type: 'UNLISTED' })], now);
  const { records = book.records } = changes;
  const differing = agents.filter((spec) => differences(records[spec.name]?.spec ?? spec, spec).length > 0);
  return { changes: { ...changes, differing: differing.map(({ name }) => name) }, orders };
}

const readOf =
  (outlived: readonly string[]) =>
  ({ spec: { name }, incarnation }: SessionRecord): Happening => ({
    name,
    event: { type: 'READ', outlived: incarnation !== null && outlived.includes(incarnation.uuid) },
  });

/** After the records were read: their open tasks, the agents of town.toml, and what siblings asked for meanwhile. */
function opened(
  before: SessionsState,
  { sessions, lost = [], outlived = [], serverDeaths = null, ...now }: Of<'SESSIONS_READ'>,
): SessionsDecision {
  const read = {
    serverDeaths,
    seekLost: lost === null,
    agedAt: now.at,
    serverAgedAt: now.at,
    nextScanAt: now.at,
    records: Object.fromEntries(sessions.map((r) => [r.spec.name, r])),
    live: {},
    remainsAt: sessions.some(({ remains }) => remains !== undefined) ? now.at : null,
  };
  return inOrder(
    before,
    () => ({ changes: read, orders: [] }),
    (book) => takeLost(book, lost ?? [], now),
    (book) => happen(book, Object.values(book.records).map(readOf(outlived)), now),
    (book) => configured(book, now),
    (book) => happen(book, book.wanted.map(wanted), now),
    (book) => ({ changes: { wanted: [] }, orders: [...wordsAgain(book.records, now), ...endLetters(book.records)] }),
  );
}

/** The due starts that have their turn, earliest first, for all callers alike. */
function inTurn(book: SessionsState, now: Stamp): readonly Happening[] {
  const due: { readonly name: string; readonly at: Instant }[] = [];
  for (const name in book.live) {
    const at = book.live[name]?.dueAt ?? null;
    if (at !== null && at <= now.at && book.records[name]) due.push({ name, at });
  }
  const turns = due.sort((one, other) => one.at - other.at).slice(0, Math.max(0, startsLeft(book)));
  const names = turns.map(({ name }) => name);
  return toAll(names, { type: 'DUE' });
}

/** Does what is due: starts, the look for survivors, and the scan. */
export const doDue = (before: SessionsState, now: Stamp): SessionsDecision =>
  inOrder(
    before,
    (book) => happen(book, inTurn(book, now), now),
    ({ remainsAt, records }) =>
      remainsAt !== null && remainsAt <= now.at
        ? { changes: { remainsAt: null }, orders: [lookOrder(records)] }
        : NOTHING,
    (book) => scanDue(book, now),
    (book) => ({ changes: book.scanning ? {} : { settled: isSettled(book, false) }, orders: [] }),
  );

/** The order that is out for a session: its start, a step before that, or the filing of the warrant of its end. */
const outFor = (r: SessionRecord, { ending }: Live = NOT_LIVE): OrderId | undefined =>
  r.pending === null ? filing(r)[0]?.id : ending === undefined ? startId(r) : endingId(r, ending);
/** Passes an outcome to its session. An outcome that no session waits for changes nothing. */
function toWhom(book: SessionsState, re: OrderId, event: SessionEvent, now: Stamp): SessionsDecision {
  const r = Object.values(book.records).find((one) => isSameOrder(outFor(one, book.live[one.spec.name]), re));
  return r === undefined ? NOTHING : happen(book, [{ name: r.spec.name, event }], now);
}

const started = (before: SessionsState, fact: Of<'SESSION_STARTED'>): SessionsDecision =>
  inOrder(
    before,
    (book) => toWhom(book, fact.re, { ...fact, type: 'STARTED' }, fact),
    // News of its death came before news of its start: the look that followed did not know it yet.
    (book) => ({ changes: paneOf(fact.incarnation) in book.deaths ? scanSoon(book, fact) : {}, orders: [] }),
  );

function notStarted(
  book: SessionsState,
  { re, type: _, why, personMs, held, waits, ...fact }: Of<'SESSION_NOT_STARTED'>,
): SessionsDecision {
  if (held !== undefined) return toWhom(book, re, { type: 'LOGGED_OUT', why, account: held }, fact);
  if (personMs !== undefined) return toWhom(book, re, { type: 'PERSON_THERE', why, personMs, waits }, fact);
  return toWhom(book, re, { type: fact.taken ? 'NAME_TAKEN' : 'NOT_STARTED', why, waits, ...fact }, fact);
}

const endAsked = (book: SessionsState, { session: name, uuid, ...fact }: Of<'END_WANTED'>): SessionsDecision =>
  book.records[name]?.incarnation?.uuid === uuid
    ? happen(book, [{ name, event: { ...fact, type: 'END_ASKED' } }], fact)
    : NOTHING;

const survivorsListed = (before: SessionsState, { re, of, ...now }: Of<'SURVIVORS_LISTED'>): SessionsDecision =>
  inOrder(
    before,
    (book) => ({ changes: recordSurvivors(book, of), orders: [] }),
    (book) =>
      re.verb === 'survivors'
        ? { changes: { remainsAt: nextLook(book, now) }, orders: [] }
        : toWhom(book, re, { type: 'SURVIVORS_SEEN' }, now),
  );

const stepDone = (book: SessionsState, fact: Outcome): SessionsDecision =>
  toWhom(book, fact.re, { type: 'STEP_DONE' }, fact);

/** An order of ours failed. */
function failed(book: SessionsState, fact: Outcome & { readonly why: string }): SessionsDecision {
  const { re, why } = fact;
  if (re.verb === 'survivors') return { changes: { remainsAt: nextLook(book, fact) }, orders: [] };
  if (re.verb === 'scan') return afterScan(book, BLIND, fact);
  return toWhom(book, re, { type: 'ORDER_FAILED', why }, fact);
}

/** Applies the facts about sessions. */
const FACTS: { readonly [T in Fact['type']]?: (book: SessionsState, fact: Of<T>) => SessionsDecision } = {
  TICK: doDue,
  SESSIONS_READ: opened,
  SESSION_WANTED: (book, event) => happen(book, [wanted(event)], event),
  END_WANTED: endAsked,
  SESSIONS_SEEN: (book, event) => afterScan(book, event, event),
  SESSION_DIED: (book, event) => ({ changes: noticeDeath(book, event, event), orders: [] }),
  CHANGED: (book, event) => ({ changes: scanSoon(book, event), orders: [] }),
  REQUESTED: (book, event) => (isOurs(event.request) ? takeRequest(book, event.request, event, event) : NOTHING),
  NUDGED: afterGoOn,
  NOT_NUDGED: afterGoOn,
  MAILED: afterEndLetter,
  SESSION_STARTED: started,
  SESSION_NOT_STARTED: notStarted,
  SURVIVORS_LISTED: survivorsListed,
  RESCUED: stepDone,
  SIGNALLED: stepDone,
  NOT_SIGNALLED: failed,
  TREE_REFUSED: failed,
  ORDER_FAILED: failed,
};

/** Applies one fact, and says when the sessions next have something to do. */
export function decide(book: SessionsState, event: Fact): SessionsDecision {
  const of = FACTS[event.type] as ((book: SessionsState, fact: Fact) => SessionsDecision) | undefined;
  const { changes, orders } = ('re' in event ? takeOutcome(book, event) : null) ?? of?.(book, event) ?? NOTHING;
  if (Object.keys(changes).length === 0) return { changes, orders };
  return { changes: { ...changes, wakeAt: wakeOf({ ...book, ...changes }) }, orders };
}

const s = setup({
  types: {} as { context: SessionsState; events: Fact; input: SessionsInput; emitted: Order },
  actions: {
    readSessions: emit((): Order => ({ type: 'readSessions', id: idOf('read') })),
    keepWanted: assign(({ context, event }) =>
      event.type === 'SESSION_WANTED' ? { wanted: [...context.wanted, event] } : {},
    ),
    restLater: assign(({ context, event }) => ({ wakeAt: stampOf(event).at + context.policy.scanEveryMs })),
    decide: enqueueActions(({ enqueue, context, event }) => applyDecision(enqueue, decide(context, event))),
  },
  guards: {
    due: isDue,
    ours: ({ event }) =>
      (event.type === 'REQUESTED' && isOurs(event.request)) || (event.type === 'CHANGED' && event.what === 'sessions'),
  },
});
const DECIDE = { actions: 'decide' } as const;

export const sessions = s.createMachine({
  id: 'sessions',
  context: ({ input }) => emptyBook(input),
  initial: 'opening',
  states: {
    opening: {
      entry: 'readSessions',
      on: {
        SESSIONS_READ: { target: 'open', actions: 'decide' },
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
        TICK: { guard: 'due', actions: 'decide' },
        REQUESTED: { guard: 'ours', actions: 'decide' },
        CHANGED: { guard: 'ours', actions: 'decide' },
        SESSION_WANTED: DECIDE,
        END_WANTED: DECIDE,
        SESSIONS_SEEN: DECIDE,
        SESSION_DIED: DECIDE,
        SESSION_STARTED: DECIDE,
        SESSION_NOT_STARTED: DECIDE,
        SESSION_ADOPTED: DECIDE,
        SESSION_NOT_ADOPTED: DECIDE,
        NUDGED: DECIDE,
        NOT_NUDGED: DECIDE,
        MAILED: DECIDE,
        DIALOG_ANSWERED: DECIDE,
        DIALOG_NOT_ANSWERED: DECIDE,
        CLEARED: DECIDE,
        SURVIVORS_LISTED: DECIDE,
        RESCUED: DECIDE,
        SIGNALLED: DECIDE,
        NOT_SIGNALLED: DECIDE,
        TREE_REFUSED: DECIDE,
        ORDER_FAILED: DECIDE,
      },
    },
  },
});
persists(sessions, ({ context }) => sessionRecords(context));
