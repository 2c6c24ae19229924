/**
 * Lives that a usage limit cut off (M-9): when the town tells one of them to go on. A program in a detached pane often does not go on
 * by itself. Pure decisions over the records.
 * 1. Only a life whose turn the limit ended is told, once for each limit, and never before the time that the limit names.
 * 2. That time is no proof. One life of an account is told first. The next one's turn comes once that one shows no limit any more, or
 *    has shown nothing for a while.
 * 3. A limit that comes anew, with a later end or by a later word of the program, is another one. Those of its account that were not
 *    told yet wait for its end, too.
 * 4. Without a time that it names, one life of the account tries at a slow rhythm.
 * 5. That a life is told is on record before its first key. What a killed town may have typed counts as typed, until the life shows for
 *    long that it was not.
 */
import { spread } from '../kernel/seeded-random.ts';
import { NOTHING, order } from '../kernel/decision.ts';
import type {
  Bar,
  GoOn,
  Incarnation,
  Order,
  Outcome,
  SeenSession,
  SessionRecord,
  Stamp,
  Standing,
  WallMs,
} from '../protocol.ts';
import { idOf, isStopping, type SessionsState, type SessionsDecision } from './state.ts';

type Records = SessionsState['records'];
type Book = Pick<SessionsState, 'records' | 'policy' | 'entropy' | 'isProtected'>;
type Shown = Standing & { readonly state: 'limited' };
type Cut = SessionRecord & { readonly bar: Bar; readonly incarnation: Incarnation };

const VERB = 'goOn';
const TEXT = 'The usage limit that stopped your work should be over. Go on where you stopped.';

/** How a life that shows a limit is barred. */
export function limitBar(bar: Bar | undefined, shown: Shown, life: string, now: Stamp): Bar {
  const { resets, since = 0, isCut } = shown;
  const before = bar?.by === 'limited' ? bar : undefined;
  const endsAt = endOf(shown);
  const said = { ...(resets !== null && { resets }), ...(endsAt !== undefined && { resetsAt: endsAt }) };
  const isAnew = before === undefined || since > before.since || isOver(before, endsAt, now);
  const begun = isAnew ? Math.max(now.wall, since) : before.since;
  if (isAnew || before.life !== life) return { by: 'limited', life, since: begun, ...said, ...(isCut && { isCut }) };
  const isKnown = resets === null || resets === before.resets;
  if (isKnown && (isCut !== true || before.isCut === true)) return before;
  return { ...before, ...(!isKnown && said), ...(isCut && { isCut }) };
}

/** A limit that was met after the time that it names does not end then. */
const endOf = ({ resetsAt, since = 0 }: Shown): WallMs | undefined =>
  resetsAt !== null && resetsAt > since ? resetsAt : undefined;

/** The one before is over: this one names a later end. */
const isOver = ({ goOn, resetsAt }: Bar, endsAt: WallMs | undefined, now: Stamp): boolean =>
  resetsAt !== undefined && endsAt !== undefined && endsAt > resetsAt && (goOn !== undefined || resetsAt <= now.wall);

const isLimited = (r: SessionRecord): r is SessionRecord & { readonly bar: Bar } => r.bar?.by === 'limited';
/** Its present life may be told, now or later. */
export const isCutOff = ({ isProtected }: Pick<Book, 'isProtected'>, r: SessionRecord): r is Cut =>
  r.state === 'running' &&
  isLimited(r) &&
  r.bar.isCut === true &&
  r.bar.life === r.incarnation?.uuid &&
  !isStopping(r) &&
  r.asked?.uuid !== r.incarnation.uuid &&
  isProtected?.(r.spec.name) !== true;

const fleetOf = ({ account, spec }: SessionRecord): string => account?.id ?? spec.name;

/** When it may be told; Infinity = it was, and its limit names an end. */
function dueAt({ policy, entropy }: Book, r: SessionRecord & { readonly bar: Bar }): WallMs {
  const { goOn, resetsAt, since } = r.bar;
  const { limitOverMs, limitProbeMs, jitter } = policy;
  switch (goOn?.is) {
    case 'told':
      return resetsAt === undefined ? goOn.at + limitProbeMs : Infinity;
    case 'asked':
      return goOn.at + limitProbeMs;
    case 'later':
      return goOn.at;
    case undefined:
      return resetsAt === undefined
        ? since + limitProbeMs
        : resetsAt + spread(limitOverMs, jitter, entropy, fleetOf(r));
  }
}

/** Whether the others of its account wait for what becomes of it. */
function isTrying({ policy }: Book, { bar: { goOn, resetsAt } }: { readonly bar: Bar }, now: Stamp): boolean {
  if (goOn === undefined || goOn.is === 'later') return false;
  return now.wall < goOn.at + (resetsAt === undefined ? policy.limitProbeMs : policy.limitProofMs);
}

/** The same records, where those that are to be told now, or again, wait for the end of a limit that came anew. */
export function afterNewLimits(before: Records, book: Book, now: Stamp): Records {
  const { records } = book;
  const ends = new Map<string, WallMs>();
  for (const r of Object.values(records)) {
    const was = before[r.spec.name]?.bar;
    if (r.bar === was || !isLimited(r) || (was?.by === 'limited' && was.since === r.bar.since)) continue;
    ends.set(fleetOf(r), Math.max(dueAt(book, r), ends.get(fleetOf(r)) ?? 0));
  }
  const later = Object.entries(records).flatMap(([name, r]): [string, SessionRecord][] => {
    const at = ends.get(fleetOf(r)) ?? 0;
    if (at <= now.wall || !isCutOff(book, r)) return [];
    const { goOn } = r.bar;
    const isAgain = goOn !== undefined && goOn.is !== 'asked';
    if (dueAt(book, r) > (isAgain ? at : now.wall)) return [];
    return [[name, { ...r, bar: { ...r.bar, goOn: { is: 'later', at } } }]];
  });
  return later.length === 0 ? records : { ...records, ...Object.fromEntries(later) };
}

const withGoOn = (r: SessionRecord & { readonly bar: Bar }, goOn: GoOn): SessionRecord => ({
  ...r,
  bar: { ...r.bar, goOn },
});

/** Tells those whose turn it is, one of an account at most. Only what a scan saw at its limit just now is told. */
export function goOnNow(book: Book, seen: readonly SeenSession[], now: Stamp): SessionsDecision {
  const all = Object.values(book.records).filter(isLimited);
  if (all.length === 0) return NOTHING;
  const busy = new Set(all.filter((r) => isTrying(book, r, now)).map(fleetOf));
  const stands = new Set(seen.flatMap((one) => (one.standing?.state === 'limited' ? [one.uuid] : [])));
  const due = all.flatMap((r) => {
    if (!isCutOff(book, r) || !stands.has(r.incarnation.uuid)) return [];
    const at = dueAt(book, r);
    return at > now.wall ? [] : [{ r, at }];
  });
  const records: Record<string, SessionRecord> = {};
  const orders: Order[] = [];
  for (const { r } of due.toSorted((one, other) => one.at - other.at || one.r.bar.since - other.r.bar.since)) {
    if (busy.has(fleetOf(r))) continue;
    busy.add(fleetOf(r));
    records[r.spec.name] = withGoOn(r, { is: 'asked', at: now.wall });
    const { incarnation: target, bar } = r;
    const id = idOf(VERB, { life: target.uuid, turn: bar.since });
    orders.push(
      order(id, { type: 'nudge', target, text: TEXT, from: 'town', raw: false, atRest: true, atLimit: true }),
    );
  }
  return orders.length === 0 ? NOTHING : { changes: { records: { ...book.records, ...records } }, orders };
}

/** What came of it. Where that is not known, it counts as typed. */
export function afterGoOn(book: Pick<SessionsState, 'records' | 'policy'>, fact: Outcome): SessionsDecision {
  const { re, wall } = fact;
  const r = Object.values(book.records).find(({ incarnation }) => incarnation !== null && incarnation.uuid === re.life);
  if (re.verb !== VERB || r === undefined || !isLimited(r) || r.bar.goOn?.is !== 'asked') return NOTHING;
  if (fact.type !== 'NUDGED' && fact.type !== 'NOT_NUDGED') return NOTHING;
  const goOn: GoOn =
    fact.type === 'NUDGED' ? { is: 'told', at: r.bar.goOn.at } : { is: 'later', at: wall + book.policy.limitAgainMs };
  return { changes: { records: { ...book.records, [r.spec.name]: withGoOn(r, goOn) } }, orders: [] };
}
