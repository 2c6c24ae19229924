/**
 * The life of a session in one table (C-6): what happens x where it is -> where it is then, and the orders that go with it.
 * `sessionOf` reads which column a record is in; a cell stands in the file of its subject. The compiler asks for each of them.
 * `stays`: it may happen there, and changes nothing. The others that change nothing cannot happen there, and say why.
 */
import { NOTHING } from '../kernel/decision.ts';
import { orderName, type Order, type SessionRecord, type WallMs } from '../protocol.ts';
import { adopts, isAdopted, isKnownAgain, isStarted, isWatched } from './adoption.ts';
import { asksNothing, isAnswered } from './answer.ts';
import { beginsInTurn, isLeftOut, isListed, mayBegin } from './configured.ts';
import { dies, isReadEnded, isUnclear, isWished, leaves, steadies, waitsAlong } from './findings.ts';
import { isAway, isNobody, isNudged } from './nudge.ts';
import { goesAway, stillRuns, stillStarts, stillWatched } from './remove.ts';
import { sessionOf, type Cell, type EventName, type Happening, type Next, type Scene, type State } from './session.ts';
import {
  begins,
  beginsAgain,
  fails,
  fallsShort,
  goes,
  insists,
  isEnding,
  isFree,
  isHeld,
  isTakenBy,
  resumes,
  runs,
  waitsForIt,
} from './starts.ts';
import type { Call, Live, SessionsState, SessionsDecision } from './state.ts';
import {
  endsAsAsked,
  filesAgain,
  filesLater,
  isNotOurs,
  isUnknown,
  livesOn,
  mayNotBegin,
  neverBegins,
  renewsLogin,
  restarts,
  runsToEnd,
  startsAnyway,
  staysDown,
  staysUp,
  stops,
  withdraws,
} from './stop.ts';
import { endsNext, looksAgain } from './survivors-ending.ts';

const stays = (): Next => ({});
/** Nothing is asked about it but by name. */
const noRecord = (): Next => ({});
/** It has none that could be seen. */
const noLife = (): Next => ({});
/** Nothing of it has a time. */
const notDue = (): Next => ({});
/** No such order is out for it. */
const notOut = (): Next => ({});
export const IMPOSSIBLE: ReadonlySet<() => Next> = new Set([noRecord, noLife, notDue, notOut]);

// prettier-ignore
export const STATES = [
  'absent', 'starting', 'withdrawn', 'waiting', 'running', 'stopping', 'observed', 'ended', 'retired',
] as const;
type Cells<S extends readonly State[], E extends EventName> = { readonly [I in keyof S]: Cell<S[I], E> };

// prettier-ignore
export const TABLE = {
//                absent        starting      withdrawn     waiting      running      stopping     observed      ended         retired
  START_ASKED:    [begins,       insists,      isEnding,     begins,      insists,     staysUp,     insists,      begins,       begins],
  STOP_ASKED:     [isUnknown,    withdraws,    withdraws,    staysDown,   stops,       stops,       isNotOurs,    staysDown,    staysDown],
  RESTART_ASKED:  [isUnknown,    startsAnyway, startsAnyway, beginsAgain, restarts,    restarts,    isNotOurs,    beginsAgain,  beginsAgain],
  REMOVAL_ASKED:  [isUnknown,    stillStarts,  stillStarts,  stillStarts, stillRuns,   stillRuns,   stillWatched, goesAway,     goesAway],
  ADOPTION_ASKED: [adopts,       isStarted,    isStarted,    adopts,      isWatched,   isWatched,   isWatched,    adopts,       adopts],
  ADOPTED:        [isAdopted,    isAdopted,    isAdopted,    isAdopted,   isAdopted,   isAdopted,   isAdopted,    isAdopted,    isAdopted],
  NUDGE_ASKED:    [isNobody,     isAway,       isAway,       isAway,      isNudged,    isNudged,    isNudged,     isAway,       isAway],
  ANSWER_ASKED:   [isUnknown,    asksNothing,  asksNothing,  asksNothing, isAnswered,  isAnswered,  isAnswered,   asksNothing,  asksNothing],
  WANTED:         [begins,       stays,        stays,        stays,       stays,       stays,       stays,        begins,       stays],
  FOUND:          [begins,       stays,        stays,        stays,       stays,       stays,       stays,        begins,       begins],
  END_ASKED:      [noRecord,     stays,        stays,        stays,       endsAsAsked, stays,       endsAsAsked,  stays,        stays],
  READ:           [noRecord,     resumes,      resumes,      resumes,     stays,       filesAgain,  stays,        isReadEnded,  stays],
  LISTED:         [beginsInTurn, isListed,     isListed,     isListed,    isListed,    isListed,    isListed,     mayBegin,     isListed],
  UNLISTED:       [noRecord,     stays,        stays,        stays,       stays,       stays,       stays,        isLeftOut,    isLeftOut],
  UNRECORDED:     [isKnownAgain, isKnownAgain, isKnownAgain, isKnownAgain, isKnownAgain, stays,       stays,        isKnownAgain, isKnownAgain],
  DUE:            [noRecord,     goes,         goes,         goes,        notDue,      filesAgain,  notDue,       isWished,     notDue],
  STARTED:        [noRecord,     runs,         runsToEnd,    notOut,      notOut,      notOut,      notOut,       notOut,       notOut],
  NOT_STARTED:    [noRecord,     fails,        neverBegins,  notOut,      notOut,      notOut,      notOut,       notOut,       notOut],
  NAME_TAKEN:     [noRecord,     isTakenBy,    neverBegins,  notOut,      notOut,      notOut,      notOut,       notOut,       notOut],
  PERSON_THERE:   [noRecord,     waitsForIt,   neverBegins,  notOut,      notOut,      notOut,      notOut,       notOut,       notOut],
  LOGGED_OUT:     [noRecord,     isHeld,       neverBegins,  notOut,      notOut,      notOut,      notOut,       notOut,       notOut],
  LOGIN_RENEWED:  [noLife,       noLife,       noLife,       noLife,      renewsLogin, stays,       stays,        noLife,       noLife],
  CAUSE_PASSED:   [noRecord,     notDue,       notDue,       isFree,      notDue,      notDue,      notDue,       notDue,       notDue],
  SURVIVORS_SEEN: [noRecord,     endsNext,     endsNext,     notOut,      notOut,      notOut,      notOut,       notOut,       notOut],
  STEP_DONE:      [noRecord,     looksAgain,   looksAgain,   notOut,      notOut,      notOut,      notOut,       notOut,       notOut],
  ORDER_FAILED:   [noRecord,     fallsShort,   mayNotBegin,  notOut,      notOut,      filesLater,  notOut,       notOut,       notOut],
  SEEN_ALIVE:     [noLife,       noLife,       noLife,       noLife,      steadies,    livesOn,     steadies,     noLife,       noLife],
  SEEN_UNKNOWN:   [noLife,       noLife,       noLife,       noLife,      isUnclear,   isUnclear,   isUnclear,    noLife,       noLife],
  SEEN_DEAD:      [noLife,       noLife,       noLife,       noLife,      dies,        dies,        leaves,       noLife,       noLife],
  HELD_BACK:      [noRecord,     notDue,       notDue,       waitsAlong,  notDue,      notDue,      notDue,       notDue,       notDue],
} as const satisfies { readonly [E in EventName]: Cells<typeof STATES, E> };

function nextOf({ name, event }: Happening, r: SessionRecord | undefined, live: Live | undefined, at: Scene): Next {
  const session = sessionOf(name, r, live);
  const cell = TABLE[event.type][STATES.indexOf(session.is)] as (of: object, event: object, at: Scene) => Next;
  return cell(session, event, at);
}

type Named<T> = Readonly<Record<string, T>>;
/** With what changed; null = it is gone. The same where nothing did. */
function withChanged<T>(all: Named<T>, changed: Named<T | null>): Named<T> {
  if (Object.keys(changed).length === 0) return all;
  const next = Object.entries({ ...all, ...changed }).filter((one): one is [string, T] => one[1] !== null);
  return Object.fromEntries(next);
}

/** What happens to sessions, one after the other. The book is what it was, by identity too, where nothing came of it. */
export function happen(book: SessionsState, all: readonly Happening[], now: Scene['now']): SessionsDecision {
  if (all.length === 0) return NOTHING;
  const records: Record<string, SessionRecord | null> = {};
  const live: Record<string, Live | null> = {};
  const [calls, forgotten]: [Record<string, Call>, Record<string, WallMs>] = [{}, {}];
  const orders: Order[] = [];
  let { starts } = book;
  for (const one of all) {
    const { name } = one;
    const r = name in records ? (records[name] ?? undefined) : book.records[name];
    const next = nextOf(one, r, live[name] ?? book.live[name], { book, starts, now });
    const { record = r, orders: given = [], call } = next;
    if (record !== r && record !== undefined) records[name] = record;
    if (next.live !== undefined) live[name] = next.live;
    if (record === null) [live[name], forgotten[name]] = [null, now.wall];
    if (call !== undefined) for (const { id } of given) calls[orderName(id)] = call;
    if (next.drawn === true) starts += 1;
    orders.push(...given);
  }
  const after: Partial<SessionsState> = {
    records: withChanged(book.records, records),
    live: withChanged(book.live, live),
    starts,
    calls: withChanged(book.calls, calls),
    forgotten: withChanged(book.forgotten, forgotten),
  };
  const changes = Object.entries(after).filter(([part, value]) => book[part as keyof SessionsState] !== value);
  return { changes: Object.fromEntries(changes), orders: orders };
}
