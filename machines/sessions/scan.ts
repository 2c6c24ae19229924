/**
 * What a scan means (C-6, C-9, law 1): deaths, spells of stability, the death of the whole tmux server, blindness.
 * 1. A life that is unknown changes nothing; only `dead` and `absent` are deaths, and only of the recorded incarnation.
 * 2. The death of the tmux server is one incident: staggered starts, nobody's own budget is charged.
 */
import { nextBeat } from '../kernel/schedule.ts';
import { takeLost } from './unrecorded.ts';
import type { Exit, LostLife, Ms, Order, SeenSession, SessionRecord, Stamp } from '../protocol.ts';
import { isJudged, order, paneKey, wakeOf, type SessionsState, type Live, type Turn } from './state.ts';
import { afterDeath } from './lifecycle.ts';
import { nextLook, withRemains } from './survivors.ts';
import { isCalm, noteStable } from './stable.ts';
import { noteUnknown } from './unknown.ts';
import { goesWithServer, incident, serverStands } from './server-deaths.ts';

type Server = 'up' | 'gone' | 'none' | 'unknown';

const isClean = (exit: Exit | null) => exit?.kind === 'code' && exit.code === 0;

/** What became of the pane of an adopted agent. */
function adoptedEnd({ life }: SeenSession, server: Server): string {
  if (life !== 'absent') return 'the adopted agent ended; its pane is left alone';
  return server === 'gone'
    ? 'the adopted agent ended with its tmux server'
    : 'the adopted agent ended, and its pane with it';
}

/**
 * Nobody starts it again, so a person learns of it: once, however often the look is repeated. Of an execution the verdict tells.
 * All that one scan found is one message, as when their server went.
 */
function adoptedNews(ended: readonly { readonly r: SessionRecord; readonly s: SeenSession }[]): readonly Order[] {
  const told = ended.filter(({ s }) => !s.condemned);
  if (told.length === 0) return [];
  const names = told.map(({ s }) => s.name).join(', ');
  const lines = told.map(({ r, s }) => `${s.name}: ${r.note}. See: town why ${s.name}`);
  const body = `The town watched what you adopted, and does not start it again.\n${lines.join('\n')}\n`;
  const id = `adopted-ended.${told.map(({ s }) => s.uuid).join('.')}`;
  return [order(id, { type: 'mail', to: 'overseer', subject: `ENDED: ${names}`, body })];
}

/** An agent seen dead: its record afterwards. */
function bury(
  book: SessionsState,
  r: SessionRecord,
  s: SeenSession,
  sharedWaitMs: Ms | null,
  now: Stamp,
): SessionRecord {
  const { policy, entropy, agedAt, deaths } = book;
  const told = r.incarnation && deaths[paneKey(r.incarnation.server.pid, r.incarnation.paneId)];
  const isTold = s.exit === null || s.exit.kind === 'unknown';
  const death = {
    exit: isTold ? (told ?? s.exit) : s.exit,
    condemned: s.condemned,
    elapsedMs: agedAt === null ? 0 : now.at - agedAt,
    sharedWaitMs: goesWithServer(r, s) ? sharedWaitMs : null,
    limit: s.limit,
  };
  return afterDeath(r, death, policy, entropy);
}

/** Every session seen dead, judged. A thousand quiet ones leave the book as it is. */
function judge(book: SessionsState, seen: readonly SeenSession[], server: Server, now: Stamp): Turn {
  const shared = incident(book, seen, server === 'gone', now);
  const changed: Record<string, SessionRecord> = { ...shared.records };
  const live: Record<string, Live> = { ...shared.live };
  const orders: Order[] = [];
  const ended: { readonly r: SessionRecord; readonly s: SeenSession }[] = [];
  let nth = shared.held;
  for (const s of seen) {
    const r = book.records[s.name];
    if (!r || !isJudged(r, s)) continue;
    if (s.life === 'alive') continue;
    const wait = shared.waitMs === null ? null : shared.waitMs + nth * book.policy.staggerMs;
    const after =
      r.state === 'observed'
        ? ({ ...r, state: 'ended', lastExit: s.exit, note: adoptedEnd(s, server) } as const)
        : withRemains(bury(book, r, s, wait, now), r.incarnation, book);
    nth += 1;
    changed[s.name] = after;
    if (r.state === 'observed') ended.push({ r: after, s });
    live[s.name] = { dueAt: after.state === 'backing_off' ? now.at + after.waitMs : null, rpc: null };
    orders.push(...clearing(r, s, after));
  }
  orders.push(...adoptedNews(ended));
  return {
    book: {
      ...shared.book,
      ...(hasAny(changed) && { records: { ...book.records, ...changed } }),
      ...(hasAny(live) && { live: { ...book.live, ...live } }),
    },
    orders,
  };
}

/** The pane that a clean end leaves is cleared. */
function clearing(r: SessionRecord, s: SeenSession, after: SessionRecord): readonly Order[] {
  const target = r.incarnation;
  const isOver = after.state === 'ended' && r.state === 'running' && s.life === 'dead' && isClean(s.exit);
  return isOver && target
    ? [order(`sessions/clear/${s.uuid}`, { type: 'clear', target, tree: [], unsaved: true })]
    : [];
}

/** Whether a finding can change anything. A thousand quiet sessions are walked once a scan, and no further. */
const isNotable = (r: SessionRecord | undefined, s: SeenSession): boolean =>
  r !== undefined && (s.life !== 'alive' || !isCalm(r) || r.unknownTold === true);
const hasAny = (some: object): boolean => Object.keys(some).length > 0;

/** Blindness that lasts is told, and its end too (alerts.ts). */
function blindness(book: SessionsState, isBlind: boolean, now: Stamp): Partial<SessionsState> {
  if (!isBlind) return { unknownSince: null, unknownTold: false };
  const unknownSince = book.unknownSince ?? now.at;
  return { unknownSince, unknownTold: book.unknownTold || now.at - unknownSince >= book.policy.unknownAlarmMs };
}

/** tmux answered, or nobody is left who needs it: only now it can be told what earlier processes told of it and is over. */
export const isSettled = ({ settled, records }: Pick<SessionsState, 'settled' | 'records'>, isWell: boolean): boolean =>
  settled || isWell || Object.values(records).every(({ state }) => state === 'ended');

/** What the scan means for each session: who is unknown, steady or dead. */
function findings(book: SessionsState, seen: readonly SeenSession[], server: Server, now: Stamp): Turn {
  const isBlind = server === 'unknown';
  const unknown = isBlind ? {} : noteUnknown(book, seen, now);
  const stable = isBlind ? {} : noteStable({ ...book, ...unknown }, seen, now);
  const judged = judge({ ...book, ...unknown, ...stable }, seen, server, now);
  return { book: { ...unknown, ...stable, ...judged.book }, orders: judged.orders };
}

/** What it means for the server itself. */
const standing = (book: SessionsState, server: Server, now: Stamp): Partial<SessionsState> => ({
  ...blindness(book, server === 'unknown', now),
  ...(server === 'up' && serverStands(book, now)),
  settled: isSettled(book, server === 'up'),
  serverGone: server === 'gone' || (book.serverGone && server !== 'up'),
});

/** A scan is back; null = it failed. */
export function afterScan(
  before: SessionsState,
  result: { server: Server; seen: readonly SeenSession[]; lost?: readonly LostLife[] } | null,
  now: Stamp,
): Turn {
  const taken = takeLost(before, result?.lost ?? []);
  const book = { ...before, ...taken.book };
  const server = result?.server ?? 'unknown';
  const isBlind = server === 'unknown';
  const seen = (result?.seen ?? []).filter((s) => isNotable(book.records[s.name], s));
  const found = findings(book, seen, server, now);
  const { records, live = book.live } = found.book;
  const hasDied = records !== undefined && book.remainsAt === null;
  const remainsAt = hasDied ? nextLook({ policy: book.policy, records }, now) : book.remainsAt;
  const { minScanGapMs, scanEveryMs } = book.policy;
  const nextScanAt = book.scanAgain ? now.at + minScanGapMs : nextBeat(now.at, scanEveryMs);
  return {
    book: {
      ...taken.book,
      ...found.book,
      ...standing(book, server, now),
      seekLost: book.seekLost && result?.lost === undefined,
      ...{ scanning: false, scanAgain: false, scannedAt: isBlind ? null : now.at, nextScanAt },
      ...(isBlind || records === undefined ? {} : age(book, records, now)),
      remainsAt,
      wakeAt: wakeOf({ policy: book.policy, records: records ?? book.records, live, nextScanAt, remainsAt }),
    },
    orders: [...taken.orders, ...found.orders],
  };
}

/** Ages are brought up to date only when a restart was recorded, so that quiet sessions keep their record. */
function age(
  book: SessionsState,
  records: Readonly<Record<string, SessionRecord>>,
  now: Stamp,
): Partial<SessionsState> {
  const hasNew = Object.values(records).some((r) => book.records[r.spec.name]?.restartAgesMs !== r.restartAgesMs);
  if (!hasNew) return {};
  const elapsedMs = book.agedAt === null ? 0 : now.at - book.agedAt;
  const aged = Object.values(records).map((r) => {
    const isNew = book.records[r.spec.name]?.restartAgesMs !== r.restartAgesMs;
    const { restartAgesMs, cleanAgesMs = [] } = r;
    if (isNew || elapsedMs === 0 || restartAgesMs.length + cleanAgesMs.length === 0) return r;
    const older = (agesMs: readonly Ms[]): readonly Ms[] => agesMs.map((ms) => ms + elapsedMs);
    return {
      ...{ ...r, restartAgesMs: older(restartAgesMs) },
      ...(cleanAgesMs.length > 0 && { cleanAgesMs: older(cleanAgesMs) }),
    };
  });
  return { records: Object.fromEntries(aged.map((r) => [r.spec.name, r])), agedAt: now.at };
}
