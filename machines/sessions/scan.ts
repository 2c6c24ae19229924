/**
 * What a scan means (C-6, C-9, law 1): deaths, spells of stability, the death of the whole tmux server, blindness.
 * 1. A life that is unknown changes nothing; only `dead` and `absent` are deaths, and only of the recorded incarnation.
 * 2. The death of the tmux server is one incident: staggered starts, nobody's own budget is charged.
 */
import { nextBeat } from '../kernel/schedule.ts';
import { takeLost } from './unrecorded.ts';
import type { Exit, LostLife, Ms, Order, SeenSession, SessionRecord, Stamp } from '../protocol.ts';
import {
  alertOrder,
  endAlert,
  isJudged,
  NOTHING,
  order,
  paneKey,
  waitingEnd,
  wakeOf,
  type SessionsState,
  type Live,
  type Turn,
} from './state.ts';
import { whoeverTold } from '../alerts/episodes.ts';
import { afterDeath, crashLooping, endsAtOnce, exitText } from './lifecycle.ts';
import { nextLook, withRemains } from './survivors.ts';
import { isCalm, noteStable } from './stable.ts';
import { noteUnknown } from './unknown.ts';
import { goesWithServer, incident, ROW, serverNews, serverStands } from './server-deaths.ts';

type Server = 'up' | 'gone' | 'none' | 'unknown';

const MINUTE = 60_000;
const isClean = (exit: Exit | null) => exit?.kind === 'code' && exit.code === 0;

/** This alarm and the next are raised at every death from then on: one that a crash of the town swallowed is not lost. */
const crashLoopAlert = (r: SessionRecord, now: Stamp): Order =>
  alertOrder(
    {
      episode: crashLooping(r.spec.name),
      severity: 'high',
      session: r.spec.name,
      text: `${r.spec.name} keeps dying (last: ended ${exitText(r.lastExit)}). It is tried on at a slower pace. After mending it: town session start ${r.spec.name}`,
    },
    now,
  );

const restlessAlert = ({ spec: { name } }: SessionRecord, { policy }: SessionsState, now: Stamp): Order => {
  const minutes = Math.round(policy.withinMs / MINUTE);
  return alertOrder(
    {
      episode: endsAtOnce(name),
      severity: 'medium',
      session: name,
      text: `${name} ends at once, again and again (${policy.crashLoopRestarts} times within ${minutes} min, with exit code 0). That is no crash; it is started again ever later. If it is meant to end, its restart policy should be transient; see: town why ${name}`,
    },
    now,
  );
};

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
  const orders: Order[] = [...shared.orders];
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
    orders.push(...deathOrders(r, s, after, now), ...restlessOrders(book, r, after, now));
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

/** What goes with one death: who is told, and the pane that it leaves. */
function deathOrders(r: SessionRecord, s: SeenSession, after: SessionRecord, now: Stamp): readonly Order[] {
  const target = r.incarnation;
  const isAwaited = target?.origin === 'detached' && r.asked?.uuid === target.uuid;
  const isOver = after.state === 'ended' && r.state === 'running' && s.life === 'dead' && isClean(s.exit);
  return [
    ...(isAwaited ? [endAlert(waitingEnd(s.name), `${s.name} has ended.`)] : []),
    ...(after.crashLoop ? [crashLoopAlert(after, now)] : []),
    ...(r.crashLoop && !after.crashLoop
      ? [endAlert(crashLooping(s.name), `${s.name} ended, and is not started again.`)]
      : []),
    ...(isOver && target
      ? [order(`sessions/clear/${s.uuid}`, { type: 'clear', target, tree: [], unsaved: true })]
      : []),
  ];
}

/** Whether a person learns that it ends cleanly again and again, or that this is over. */
function restlessOrders(book: SessionsState, r: SessionRecord, after: SessionRecord, now: Stamp): readonly Order[] {
  const { name } = r.spec;
  if (after.restless === true) return [restlessAlert(after, book, now)];
  return r.restless === true ? [endAlert(endsAtOnce(name), `${name} ended, and is not started again.`)] : [];
}

/** Whether a finding can change anything. A thousand quiet sessions are walked once a scan, and no further. */
const isNotable = (r: SessionRecord | undefined, s: SeenSession): boolean =>
  r !== undefined && (s.life !== 'alive' || !isCalm(r) || r.unknownTold === true);
const hasAny = (some: object): boolean => Object.keys(some).length > 0;

/** Blindness that lasts is told once, and its end too. */
function blindness(book: SessionsState, isBlind: boolean, now: Stamp): Turn {
  if (!isBlind) {
    const orders = book.unknownTold ? [endAlert('tmux-unknown', 'tmux answers again.')] : [];
    return { book: { unknownSince: null, unknownTold: false }, orders };
  }
  const unknownSince = book.unknownSince ?? now.at;
  const isLong = now.at - unknownSince >= book.policy.unknownAlarmMs;
  if (!isLong || book.unknownTold) return { book: { unknownSince }, orders: [] };
  const alert = {
    episode: 'tmux-unknown',
    severity: 'high',
    session: null,
    text: 'tmux does not answer. Nothing is judged, killed or restarted meanwhile. Try: town doctor',
  } as const;
  return { book: { unknownSince, unknownTold: true }, orders: [alertOrder(alert, now)] };
}

/**
 * The first time in a process that tmux answers, or that nobody is left who needs it: what an earlier process told of it is
 * over. A row of server deaths that goes on stands in the record, and has its own end.
 */
export function tmuxSettled(book: SessionsState, isWell: boolean): Turn {
  if (book.settled) return NOTHING;
  const isEmpty = Object.values(book.records).every(({ state }) => state === 'ended');
  if (!isWell && !isEmpty) return NOTHING;
  const text = isWell ? 'tmux answers, and its server runs.' : 'No agent is left that needs tmux.';
  const except = book.serverDeaths?.looping === true ? ROW : [];
  return { book: { settled: true }, orders: [order('sessions/settled', whoeverTold('tmux-', text, except))] };
}

/** What the scan means for each session: who is unknown, steady or dead. */
function findings(book: SessionsState, seen: readonly SeenSession[], server: Server, now: Stamp): Turn {
  const isBlind = server === 'unknown';
  const unknown = isBlind ? NOTHING : noteUnknown(book, seen, now);
  const stable = isBlind ? NOTHING : noteStable({ ...book, ...unknown.book }, seen, now);
  const judged = judge({ ...book, ...unknown.book, ...stable.book }, seen, server, now);
  return {
    book: { ...unknown.book, ...stable.book, ...judged.book },
    orders: [...unknown.orders, ...stable.orders, ...judged.orders],
  };
}

/** What it means for the server itself. `deaths`: what is known of it by now. */
function standing(book: SessionsState, server: Server, deaths: SessionsState['serverDeaths'], now: Stamp): Turn {
  const stands = server === 'up' ? serverStands(book, now) : NOTHING;
  const settled = tmuxSettled(book, server === 'up');
  const blind = blindness(book, server === 'unknown', now);
  const serverGone = server === 'gone' || (book.serverGone && server !== 'up');
  return {
    book: { ...blind.book, ...stands.book, ...settled.book, serverGone },
    orders: [...serverNews(book, deaths, server, now), ...stands.orders, ...settled.orders, ...blind.orders],
  };
}

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
  const { records, live = book.live, serverDeaths = book.serverDeaths } = found.book;
  const around = standing(book, server, serverDeaths, now);
  const hasDied = records !== undefined && book.remainsAt === null;
  const remainsAt = hasDied ? nextLook({ policy: book.policy, records }, now) : book.remainsAt;
  const { minScanGapMs, scanEveryMs } = book.policy;
  const nextScanAt = book.scanAgain ? now.at + minScanGapMs : nextBeat(now.at, scanEveryMs);
  return {
    book: {
      ...taken.book,
      ...found.book,
      ...around.book,
      seekLost: book.seekLost && result?.lost === undefined,
      ...{ scanning: false, scanAgain: false, scannedAt: isBlind ? null : now.at, nextScanAt },
      ...(isBlind || records === undefined ? {} : age(book, records, now)),
      remainsAt,
      wakeAt: wakeOf({ policy: book.policy, records: records ?? book.records, live, nextScanAt, remainsAt }),
    },
    orders: [...taken.orders, ...found.orders, ...around.orders],
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
