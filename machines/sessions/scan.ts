/**
 * Looking at all sessions: when, and what a look found (C-6, C-9, law 1).
 * 1. A life that is unknown changes nothing; only `dead`, `absent` and `replaced` are deaths, and only of the recorded
 *    incarnation.
 * 2. The death of the tmux server is one incident: staggered starts, and no agent's own budget is charged.
 */
import { nextMultiple } from '../kernel/schedule.ts';
import { NOTHING, order } from '../kernel/decision.ts';
import type {
  Exit,
  Incarnation,
  LostLife,
  Ms,
  NewsBody,
  OutcomeBody,
  SessionRecord,
  Stamp,
  WaitingStart,
} from '../protocol.ts';
import { afterStandings, deadLogins, oneOfEachAccount, showsDeadLogin } from './accounts.ts';
import { endLetters } from './end-letters.ts';
import { isQuiet } from './findings.ts';
import { burningNow } from './burning.ts';
import { haltedNow } from './halts.ts';
import { memoryNow } from './memory.ts';
import { afterNewLimits, goOnNow } from './limits.ts';
import { outdatedLives, renewedNow } from './new-login.ts';
import { goesWithServer, incident, serverStands } from './server-deaths.ts';
import { idOf, isStopping, isWatched, paneKey, type SessionsState, type SessionsDecision } from './state.ts';
import { nextLook } from './survivors.ts';
import { toAll, type SeenRecord, type Happening } from './session.ts';
import { happen } from './table.ts';

/** A hint that something changed: look now, but hints in a row do not make us look all the time. */
export function scanSoon(book: SessionsState, now: Stamp): Partial<SessionsState> {
  if (book.scanning) return { scanAgain: true };
  const earliest = Math.max(now.at, (book.scannedAt ?? -Infinity) + book.policy.minScanGapMs);
  return { nextScanAt: Math.min(book.nextScanAt ?? Infinity, earliest) };
}

/**
 * The death hook told: look now, and keep the exit for the case that the pane is cleared before we see it. While a start is
 * under way the pane may be of the life that it brings, which is not known before its outcome.
 */
export function noticeDeath(
  book: SessionsState,
  { server, paneId, exit }: Extract<NewsBody, { type: 'SESSION_DIED' }>,
  now: Stamp,
): Partial<SessionsState> {
  const all = Object.values(book.records);
  const ours = new Set(all.map(({ incarnation }) => incarnation && paneOf(incarnation)));
  const isStarting = all.some(({ state }) => state === 'starting');
  const told = Object.entries({ ...book.deaths, [paneKey(server, paneId)]: exit });
  return { ...scanSoon(book, now), deaths: Object.fromEntries(told.filter(([pane]) => isStarting || ours.has(pane))) };
}
export const paneOf = ({ server, paneId }: Incarnation): string => paneKey(server.pid, paneId);

const watched = new WeakMap<SessionsState['records'], readonly Incarnation[]>();
/** The lives that a scan asks for: the same list while the records are the same. */
function watchedIn(records: SessionsState['records']): readonly Incarnation[] {
  let known = watched.get(records);
  if (known === undefined) {
    known = Object.values(records).flatMap((r) => (isWatched(r) && r.incarnation ? [r.incarnation] : []));
    watched.set(records, known);
  }
  return known;
}

/** Starts that wait for a cause to pass. */
function waitingIn(records: SessionsState['records']): readonly WaitingStart[] {
  const isAnyDead = Object.values(records).some(showsDeadLogin);
  return Object.values(records).flatMap(({ state, startBlocked, spec, incarnation, account }) => {
    if (state !== 'backing_off' || startBlocked !== true) return [];
    const dead = isAnyDead ? deadLogins(records, spec.name) : [];
    const logins = dead.length > 0 && { dead, ...(account !== undefined && { account }) };
    return [{ spec, previous: incarnation, ...logins }];
  });
}

const CAUSE_PASSED = { type: 'CAUSE_PASSED' } as const;
const LOGIN_RENEWED = { type: 'LOGIN_RENEWED' } as const;

/** A look at all sessions, when it is time for one and there is something to look for. */
export function scanDue(book: SessionsState, now: Stamp): SessionsDecision {
  const { nextScanAt, scanning, records, seekLost, policy } = book;
  if (nextScanAt === null || nextScanAt > now.at || scanning) return NOTHING;
  const known = watchedIn(records);
  const waits = waitingIn(records);
  if (known.length === 0 && waits.length === 0 && !seekLost)
    return { changes: { nextScanAt: nextMultiple(now.at, policy.scanEveryMs) }, orders: [] };
  const outdated = outdatedLives(book, now);
  const scan = order(idOf('scan'), {
    type: 'scan',
    known,
    ...(seekLost && { seek: true }),
    ...(waits.length > 0 && { waits }),
    ...(outdated.length > 0 && { outdated }),
  });
  return { changes: { nextScanAt: null, scanning: true }, orders: [scan] };
}

/** The result of a scan. After a failed scan the server is unknown and no life is seen. */
export type Scanned = Omit<Extract<OutcomeBody, { readonly type: 'SESSIONS_SEEN' }>, 'type'>;
export const BLIND: Scanned = { server: 'unknown', seen: [] };

/** Lives without a record, found when the records were read, or by a scan. */
export const takeLost = (book: SessionsState, lost: readonly LostLife[], now: Stamp): SessionsDecision =>
  happen(
    book,
    lost.map((life) => ({ name: life.spec.name, event: { type: 'UNRECORDED', ...life } })),
    now,
  );

const isDead = ({ s: { life } }: SeenRecord): boolean => life !== 'alive' && life !== 'unknown';

/** How it ended: the pane of one may be cleared before a scan reads its status, which the death hook told. */
function exitOf({ deaths }: SessionsState, { r, s: { exit } }: SeenRecord): Exit | null {
  if (exit !== null && exit.kind !== 'unknown') return exit;
  return (r.incarnation && deaths[paneOf(r.incarnation)]) ?? exit;
}

const seenNow = ({ s: { name, life, spared, conversation } }: SeenRecord): Happening => {
  return { name, event: life === 'alive' ? { type: 'SEEN_ALIVE', spared, conversation } : { type: 'SEEN_UNKNOWN' } };
};

/** Its program says that it is in another conversation than the record has. */
const isElsewhere = ({ state, conversation }: SessionRecord, { conversation: heard }: Scanned['seen'][number]) =>
  state !== 'observed' && heard !== undefined && heard !== conversation?.id;

/** What was found of each life that is not as quiet as it was; the death of their server is one incident. */
function findings(book: SessionsState, { server, seen }: Scanned, now: Stamp): SessionsDecision {
  const found = seen.flatMap((s): SeenRecord[] => {
    const r = book.records[s.name];
    if (r === undefined || !isWatched(r) || r.incarnation?.uuid !== s.uuid) return [];
    const isCalm = s.life === 'alive' && !(s.spared && isStopping(r)) && isQuiet(r, book.live[s.name]);
    return isCalm && !isElsewhere(r, s) ? [] : [{ r, s }];
  });
  const dead = found.filter(isDead);
  const isServerGone = server === 'gone';
  // All ends of one scan are one message, as when their server died.
  const letterName = `adopted-ended.${dead
    .filter(tells)
    .map(({ s: { uuid } }) => uuid)
    .join('.')}`;
  const { waitMs, held, changes } = incident(book, isServerGone ? dead : [], now);
  const ends = dead.map((one, nth): Happening => {
    const ms = waitMs === null || !goesWithServer(one) ? null : waitMs + (held.length + nth) * book.policy.staggerMs;
    const letter = tells(one) ? { letter: letterName } : {};
    const about = { seen: one.s, exit: exitOf(book, one), sharedWaitMs: ms, isServerGone, ...letter };
    return { name: one.s.name, event: { type: 'SEEN_DEAD', ...about } };
  });
  // While tmux does not answer, a life that no scan saw dead counts as unseen.
  const others = server === 'unknown' ? [] : found.filter((one) => !isDead(one)).map(seenNow);
  const decision = happen(book, [...others, ...held, ...ends], now);
  return {
    changes: { ...changes, ...decision.changes },
    orders: [...decision.orders, ...endLetters(decision.changes.records ?? {})],
  };
}

/** The town does not restart an adopted agent, so a person hears of its end by a letter. After an execution the verdict says it. */
const tells = ({ r, s }: SeenRecord): boolean => r.state === 'observed' && !s.maybeSignalled;

/**
 * tmux has answered, or no session needs it. Only now can the town say which episodes of earlier processes are over.
 */
export const isSettled = ({ settled, records }: SessionsState, isWell: boolean): boolean =>
  settled || isWell || Object.values(records).every(({ state }) => state === 'ended');

/** What it means for the server itself. Lasting blindness is alerted, and its end too (alerts.ts). */
function standing(book: SessionsState, server: Scanned['server'], now: Stamp): Partial<SessionsState> {
  const isBlind = server === 'unknown';
  const { unknownSince: before, unknownTold, policy } = book;
  const unknownSince = isBlind ? (before ?? now.at) : null;
  return {
    ...(server === 'up' && serverStands(book, now)),
    unknownSince,
    scannedAt: isBlind ? null : now.at,
    settled: isSettled(book, server === 'up'),
    unknownTold: unknownSince !== null && (unknownTold || now.at - unknownSince >= policy.unknownAlarmMs),
    serverGone: server === 'gone' || (book.serverGone && server !== 'up'),
  };
}

/** Ages are brought up to date only when a restart was recorded, so that quiet sessions keep their record. */
function aged({ records: before, agedAt }: SessionsState, records: SessionsState['records'], now: Stamp) {
  const isNew = (r: SessionRecord): boolean => before[r.spec.name]?.restartAgesMs !== r.restartAgesMs;
  if (!Object.values(records).some(isNew)) return {};
  const elapsedMs = agedAt === null ? 0 : now.at - agedAt;
  const older = (agesMs: readonly Ms[]): readonly Ms[] => agesMs.map((ms) => ms + elapsedMs);
  const all = Object.entries(records).map(([name, r]): [string, SessionRecord] => {
    const { restartAgesMs, cleanAgesMs = [] } = r;
    if (isNew(r) || elapsedMs === 0 || restartAgesMs.length + cleanAgesMs.length === 0) return [name, r];
    const clean = cleanAgesMs.length > 0 && { cleanAgesMs: older(cleanAgesMs) };
    return [name, { ...r, restartAgesMs: older(restartAgesMs), ...clean }];
  });
  return { records: Object.fromEntries(all), agedAt: now.at };
}

/** What each agent asks a person; the same object if none asks anything new. That an account is logged out is one alert for all of its agents. */
function askingNow({ asking, records }: Pick<SessionsState, 'asking' | 'records'>, seen: Scanned['seen']) {
  const news = seen.flatMap(({ name, uuid, asks, question, standing }) => {
    const before = asking[name];
    const isLogin = standing?.state === 'logged_out' && records[name]?.account !== undefined;
    const what = isLogin ? null : asks;
    const isSame = before?.uuid === uuid && before.what === what && before.question === question;
    return what === undefined || isSame ? [] : [[name, { uuid, what, question }] as const];
  });
  if (news.length === 0) return asking;
  const known = Object.entries(asking).filter(([name]) => name in records);
  return Object.fromEntries([...known, ...news]);
}

/** With what the lives that were seen tell of their accounts. */
function withStandings(
  book: SessionsState,
  changes: Partial<SessionsState>,
  { seen }: Scanned,
  now: Stamp,
): Partial<SessionsState> {
  const found = changes.records ?? book.records;
  const records = afterStandings(found, seen, { stableMs: book.policy.stableMs, now });
  return records === found ? changes : { ...changes, records: afterNewLimits(found, { ...book, records }, now) };
}

export function afterScan(before: SessionsState, scanned: Scanned, now: Stamp): SessionsDecision {
  const { server, lost } = scanned;
  const taken = takeLost(before, lost ?? [], now);
  const book = { ...before, ...taken.changes };
  const seen = findings(book, scanned, now);
  const known = withStandings(book, seen.changes, scanned, now);
  const judged = { ...book, ...known };
  const free = toAll(oneOfEachAccount(judged.records, scanned.free ?? []), CAUSE_PASSED);
  const renewed = toAll(renewedNow(judged, scanned.seen, now), LOGIN_RENEWED);
  const freed = happen(judged, [...free, ...renewed], now);
  const told = goOnNow({ ...judged, ...freed.changes }, scanned.seen, now);
  const found = {
    changes: { ...known, ...freed.changes, ...told.changes },
    orders: [...seen.orders, ...freed.orders, ...told.orders],
  };
  const { records } = found.changes;
  const { policy } = book;
  return {
    changes: {
      ...taken.changes,
      ...found.changes,
      ...standing(book, server, now),
      ...(records !== undefined && server !== 'unknown' && aged(book, records, now)),
      ...(records !== undefined && book.remainsAt === null && { remainsAt: nextLook({ policy, records }, now) }),
      nextScanAt: book.scanAgain ? now.at + policy.minScanGapMs : nextMultiple(now.at, policy.scanEveryMs),
      asking: askingNow(judged, scanned.seen),
      halted: haltedNow(book, scanned.seen),
      memory: memoryNow(book, scanned.seen),
      burning: burningNow(book, scanned.seen, now.at),
      scanning: false,
      scanAgain: false,
      seekLost: book.seekLost && lost === undefined,
    },
    orders: [...taken.orders, ...found.orders],
  };
}
