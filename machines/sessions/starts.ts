/**
 * Starting and adopting (C-6): what is due, what a caller asks for, and what came of an adoption.
 * 1. One start of a name at a time, and of all names only so many; a place is free again whatever came of its start.
 * 2. A caller gets exactly one reply.
 */
import { uuidOf } from '../kernel/seeded-random.ts';
import type {
  Incarnation,
  Instant,
  NewsBody,
  Order,
  OutcomeBody,
  Reply,
  Request,
  SessionRecord,
  SessionSpec,
  Stamp,
} from '../protocol.ts';
import {
  isStopping,
  isTaken,
  isWatched,
  NOT_LIVE,
  NOTHING,
  order,
  paneKey,
  refusal,
  replies,
  startsLeft,
  viewOf,
  woken,
  withSession,
  type SessionsState,
  type Live,
  type Turn,
} from './state.ts';
import { nextBeat } from '../kernel/schedule.ts';
import { requestNudge } from './nudge.ts';
import { endsFirst, lookOrder, startOrder } from './survivors.ts';
import { isSettled } from './scan.ts';
import { CALM, freshSession, isFailing, renewRecord } from './lifecycle.ts';

/** Records as found at opening: what was starting is started again under the same uuid, what waited waits the rest. */
export function adoptRecords(book: SessionsState, found: readonly SessionRecord[], now: Stamp): Partial<SessionsState> {
  const live: Record<string, Live> = {};
  for (const r of found) {
    if (r.state === 'starting') live[r.spec.name] = { dueAt: now.at, rpc: null };
    if (r.state === 'backing_off') live[r.spec.name] = { dueAt: now.at + r.waitMs, rpc: null };
  }
  const records = Object.fromEntries(found.map((r) => [r.spec.name, r]));
  const remainsAt = found.some(({ remains }) => remains !== undefined) ? now.at : null;
  return woken(book, { records, live, remainsAt, agedAt: now.at, serverAgedAt: now.at, nextScanAt: now.at });
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
  const key = paneKey(server, paneId);
  const ours = new Set(
    Object.values(book.records).flatMap((r) =>
      r.incarnation ? [paneKey(r.incarnation.server.pid, r.incarnation.paneId)] : [],
    ),
  );
  const isStarting = Object.values(book.records).some(({ state }) => state === 'starting');
  const kept = Object.entries({ ...book.deaths, [key]: exit }).filter(([pane]) => isStarting || ours.has(pane));
  return { ...scanSoon(book, now), deaths: Object.fromEntries(kept) };
}

/** A hint that something changed: look now, but hints in a row do not make us look all the time. */
export function scanSoon(book: SessionsState, now: Stamp): Partial<SessionsState> {
  if (book.scanning) return { scanAgain: true };
  const earliest = Math.max(now.at, (book.scannedAt ?? -Infinity) + book.policy.minScanGapMs);
  return woken(book, { nextScanAt: Math.min(book.nextScanAt ?? Infinity, earliest) });
}

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

/** The starts that are due and have their turn: who is due first comes first, whoever asked for it. */
function inTurn(
  book: SessionsState,
  now: Stamp,
): readonly (Pick<Live, 'rpc' | 'byHand'> & { readonly r: SessionRecord })[] {
  const due: (Live & { r: SessionRecord; at: Instant })[] = [];
  for (const name in book.live) {
    const live = book.live[name] ?? NOT_LIVE;
    const r = book.records[name];
    if (live.dueAt !== null && live.dueAt <= now.at && r) due.push({ ...live, r, at: live.dueAt });
  }
  return due.length === 0 ? due : due.sort((one, other) => one.at - other.at).slice(0, Math.max(0, startsLeft(book)));
}

/** Time has come: starts that are due, and the scan. */
export function doDue(book: SessionsState, now: Stamp): Turn {
  let { records, live, starts, ending } = book;
  const orders: Order[] = [];
  for (const { r, rpc, byHand = false } of inTurn(book, now)) {
    const { name } = r.spec;
    starts += 1;
    const pending = r.pending ?? uuidOf(book.entropy, `${name}/${starts}/${now.at}/${now.wall}`);
    const record: SessionRecord = { ...r, state: 'starting', pending, waitMs: 0 };
    records = { ...records, [name]: record };
    live = { ...live, [name]: { dueAt: null, rpc, ...(byHand && { byHand }) } };
    const first = endsFirst(book, record, pending);
    if (first !== null) ending = { ...ending, [name]: first.ending };
    orders.push(first?.order ?? startOrder(record, { byHand }));
  }
  const isLookDue = book.remainsAt !== null && book.remainsAt <= now.at;
  if (isLookDue) orders.push(lookOrder(records));
  const remainsAt = isLookDue ? null : book.remainsAt;
  const scan = scanDue({ ...book, records }, now);
  const settled = scan.book.scanning ? book.settled : isSettled({ settled: book.settled, records }, false);
  orders.push(...scan.orders);
  return { book: woken(book, { settled, records, live, starts, ending, remainsAt, ...scan.book }), orders };
}

/** A look at all sessions, when it is time for one and there is something to look for. */
function scanDue(
  { nextScanAt, scanning, records, seekLost, policy }: SessionsState,
  now: Stamp,
): { readonly book: Pick<SessionsState, 'nextScanAt' | 'scanning'>; readonly orders: readonly Order[] } {
  if (nextScanAt === null || nextScanAt > now.at || scanning) return { book: { nextScanAt, scanning }, orders: [] };
  const known = watchedIn(records);
  if (known.length === 0 && !seekLost)
    return { book: { nextScanAt: nextBeat(now.at, policy.scanEveryMs), scanning }, orders: [] };
  const seek = seekLost && { seek: true };
  return {
    book: { nextScanAt: null, scanning: true },
    orders: [order('sessions/scan', { type: 'scan', known, ...seek })],
  };
}

/** A start by hand of one that keeps dying, while it runs between two tries: it is left as it is, and counted anew (C-6). */
function calmed(book: SessionsState, old: SessionRecord, { rpc, via }: Call, now: Stamp): Turn {
  const { failedStarts: _, nameTaken: _taken, ...kept } = old;
  const record: SessionRecord = { ...kept, crashLoop: false, streak: 0, restartAgesMs: [], stableMs: 0, ...CALM };
  const live = book.live[old.spec.name] ?? NOT_LIVE;
  // It waits for its next try: that one is made now, or in its turn if it waits for that, and its outcome is the reply.
  if (live.dueAt !== null) {
    const dueAt = Math.min(live.dueAt, now.at);
    return { book: woken(book, withSession(book, record, { ...wantedNow({ rpc, via }, now), dueAt })), orders: [] };
  }
  const reply = { ok: true, value: { ...viewOf(record), reset: true } } as const;
  return { book: withSession(book, record, live), orders: replies(rpc, reply) };
}

/** Whoever asks, and waits for the reply. */
export interface Call {
  readonly rpc: string;
  readonly via?: 'operator' | 'agent' | undefined;
}
const wantedNow = ({ rpc, via }: Call, now: Stamp): Live => ({ dueAt: now.at, rpc, byHand: via !== 'agent' });

export function requestStart(book: SessionsState, spec: SessionSpec, call: Call, now: Stamp): Turn {
  const { rpc } = call;
  const { name } = spec;
  const old = book.records[name];
  if (old && isTaken(old)) {
    if (isStopping(old)) return { book: {}, orders: replies(rpc, refusal('stopping', stoppingText(name))) };
    if (old.crashLoop || old.restless === true || isFailing(old, book.policy)) return calmed(book, old, call, now);
    const text = `session ${name} is ${old.state} already. See: town session status ${name}`;
    return { book: {}, orders: replies(rpc, refusal('already_running', text)) };
  }
  const pending = uuidOf(book.entropy, `${name}/${rpc}/${book.starts}/${now.at}/${now.wall}`);
  const changes = {
    ...withSession(book, renewRecord(old, spec, pending), wantedNow(call, now)),
    starts: book.starts + 1,
  };
  return { book: woken(book, changes), orders: [] };
}

const stoppingText = (name: string): string =>
  `session ${name} is being ended by an operator's order; once it has ended: town session start ${name}; or, to have it end and start again: town session restart ${name}`;

/** Whoever is watched already keeps its life: another uuid would void its hearings, its token and its counters (law 3). */
function adoptedAlready(r: SessionRecord, process: string | null): Reply {
  const { name, process: known } = r.spec;
  if (isWatched(r) && (process === null || process === known))
    return { ok: true, value: { ...viewOf(r), already: true } };
  const as = `${known ?? 'the agent in its pane'} (pid ${r.incarnation?.agent.pid ?? 'unknown'})`;
  const text = isWatched(r)
    ? `session ${name} is ${r.state} already, with ${as} as its agent; adopt it with another --process once that one has ended`
    : `session ${name} is ${r.state} already. See: town session status ${name}`;
  return refusal('already_known', text, isWatched(r) ? 5 : 1);
}

function requestAdoption(
  book: SessionsState,
  request: Request & { verb: 'adoptSession' },
  rpc: string,
  now: Stamp,
): Turn {
  const { name, process, tags } = request;
  const old = book.records[name];
  if (old && isTaken(old)) return { book: {}, orders: replies(rpc, adoptedAlready(old, process)) };
  const uuid = uuidOf(book.entropy, `${name}/${rpc}/${book.starts}/${now.at}/${now.wall}`);
  const id = `sessions/adopt/${uuid}`;
  const adopting = { ...book.adopting, [id]: { rpc, name, process, tags } };
  return {
    book: { starts: book.starts + 1, adopting },
    orders: [order(id, { type: 'adoptSession', name, process, tags, uuid })],
  };
}

/** What a caller asks for. */
export function request(book: SessionsState, asked: Request, call: Call, now: Stamp): Turn {
  const { rpc } = call;
  switch (asked.verb) {
    case 'startSession':
      return requestStart(book, asked.spec, call, now);
    case 'adoptSession':
      return requestAdoption(book, asked, rpc, now);
    case 'nudge':
      return requestNudge(book, asked, rpc);
    case 'stopSession': // stop.ts
    case 'removeSession': // remove.ts
    case 'cancelWarrant': // the kennel's
    case 'bootTriage': // Boot's
    case 'healthCheck': // the health checks'
      return NOTHING;
  }
}

type Adopted = Extract<OutcomeBody, { type: 'SESSION_ADOPTED' }>;
/** A foreign session was promoted: watched from now on, never started by us. */
export function recordAdoption(
  book: SessionsState,
  re: string,
  { incarnation, tokenHash, dir }: Adopted,
  now: Stamp,
): Turn {
  const asked = book.adopting[re];
  if (!asked) return NOTHING;
  const { [re]: _, ...adopting } = book.adopting;
  const { name, process, tags, rpc } = asked;
  const old = book.records[name];
  const record: SessionRecord = {
    ...freshSession({ name, command: [], dir, tags, restart: 'temporary', process }, incarnation.uuid),
    state: 'observed',
    pending: null,
    incarnation,
    tokenHash,
    startedAt: now.wall,
    note: 'adopted',
    ...(old?.remains !== undefined && { remains: old.remains }),
  };
  return {
    // Whatever was to be started under this name is not: somebody is in it now.
    book: { adopting, ...woken(book, withSession(book, record, NOT_LIVE)) },
    orders: replies(rpc, { ok: true, value: viewOf(record) }),
  };
}

/** An adoption did not get through. */
export function notAdopted(book: SessionsState, re: string, failed: { why: string; exit?: 1 | 2 | 5 }): Turn {
  const asked = book.adopting[re];
  if (!asked) return NOTHING;
  const { [re]: _, ...adopting } = book.adopting;
  const text = `session ${asked.name} was not adopted: ${failed.why}`;
  return { book: { adopting }, orders: replies(asked.rpc, refusal('not_adopted', text, failed.exit ?? 1)) };
}
