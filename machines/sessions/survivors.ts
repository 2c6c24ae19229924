/**
 * What dead lives left running: processes proved to be of a life that ended, beside which its agent is started again (C-6).
 * 1. A life that ended stays in its session's record until a look finds nothing of it: no restart of the town forgets one.
 * 2. They are one episode a session, which ends with the last of them. Which process is whose is the hands' finding.
 * 3. By themselves they are left alone. Where the configuration wants them ended, that comes before each start
 *    (survivors-ending.ts); never those of a protected name (law 6), nor of a life without a pane, where the town ends nobody (C-7).
 */
import type { Incarnation, Order, Remains, SessionRecord, Stamp } from '../protocol.ts';
import { alertOrder, endAlert, order, type SessionsState, type Ending, type Live, type Turn } from './state.ts';
import { whoeverTold } from '../alerts/episodes.ts';

/** The order of the look that nobody waits for. */
export const LOOK = 'sessions/survivors';
const EPISODE = 'survivors/';
/** Processes that a sentence names. */
const MAX_NAMED = 10;

const isFound = ({ survivors }: Remains): boolean => survivors.length > 0;
const foundOf = ({ remains = [] }: SessionRecord): readonly Remains[] => remains.filter(isFound);

/** The life of this record ended: what it may have left is looked for. An adopted pane is a person's shell, and its processes theirs. */
export function withRemains(
  record: SessionRecord,
  life: Incarnation | null,
  { policy }: Pick<SessionsState, 'policy'>,
): SessionRecord {
  const { remains = [] } = record;
  if (life === null || life.origin === 'adopted' || remains.some((one) => one.life.uuid === life.uuid)) return record;
  return { ...record, remains: [...remains, { life, survivors: [] }].slice(-policy.maxRemains) };
}

/** When the next look is due by itself; null = no life is known that may have left something. */
export const nextLook = (
  { policy, records }: Pick<SessionsState, 'policy' | 'records'>,
  now: Stamp,
): SessionsState['remainsAt'] =>
  Object.values(records).some(({ remains }) => remains !== undefined) ? now.at + policy.survivorsEveryMs : null;

/** The records are read: whoever is not known to have left something has no episode. */
export const remainsRead = (records: readonly SessionRecord[]): Order => {
  const open = records.filter((r) => foundOf(r).length > 0).map(({ spec }) => `${EPISODE}${spec.name}`);
  return order('sessions/survivors/settled', whoeverTold(EPISODE, 'Nothing of a dead life runs any more.', open));
};

/** Looks for what all dead lives left. */
export const lookOrder = (records: SessionsState['records']): Order =>
  order(LOOK, { type: 'listSurvivors', of: Object.values(records).flatMap(({ remains = [] }) => remains) });

/** What of this session may be ended before its next start. */
export const endable = (
  { policy, dance, isProtected }: SessionsState,
  { spec, remains = [] }: SessionRecord,
): readonly Remains[] =>
  policy.survivors === 'tell' || dance === undefined || isProtected?.(spec.name) === true
    ? []
    : remains.filter(({ life }) => life.origin === 'started');

/** The start of this record. */
export const startOrder = (
  { spec, incarnation, pending }: SessionRecord,
  { byHand = false }: Pick<Live, 'byHand'>,
): Order =>
  order(`sessions/start/${pending ?? ''}`, {
    ...{ type: 'startSession', spec, uuid: pending ?? '', previous: incarnation },
    ...(byHand && { byHand }),
  });

/** How the orders begin that end survivors before a start. */
export const ENDING = 'sessions/ending/';
export const endingId = (name: string, { pending, step }: Ending): string => `${ENDING}${name}/${pending}/${step}`;

/** The first order of a start that has survivors to end; null = it has none. */
export function endsFirst(
  book: SessionsState,
  r: SessionRecord,
  pending: string,
): { ending: Ending; order: Order } | null {
  const of = endable(book, r);
  if (of.length === 0) return null;
  const ending = { pending, saved: [], rounds: {}, step: 0 };
  return { ending, order: order(endingId(r.spec.name, ending), { type: 'listSurvivors', of }) };
}

const isSame = (one: Remains['survivors'], other: Remains['survivors']): boolean =>
  one.length === other.length &&
  one.every(({ pid, started }, at) => other[at]?.pid === pid && other[at].started === started);

/** The remains by this listing; those of lives that it does not name stay. The same list when nothing is new. */
function after({ remains = [] }: SessionRecord, found: ReadonlyMap<string, Remains['survivors']>): readonly Remains[] {
  const now = remains.flatMap((one) => {
    const survivors = found.get(one.life.uuid) ?? one.survivors;
    if (survivors.length === 0 && found.has(one.life.uuid)) return [];
    return [isSame(survivors, one.survivors) ? one : { ...one, survivors }];
  });
  return now.length === remains.length && now.every((one, at) => one === remains[at]) ? remains : now;
}

/** A look is back: the records as it found them, and who is told. */
export function recordSurvivors(book: SessionsState, of: readonly Remains[], now: Stamp): Turn {
  const by = new Map(of.map(({ life, survivors }) => [life.uuid, survivors]));
  const changed: Record<string, SessionRecord> = {};
  const told = new Set(book.remainsTold);
  const orders: Order[] = [];
  for (const r of Object.values(book.records)) {
    if (r.remains === undefined) continue;
    const { name } = r.spec;
    const remains = after(r, by);
    const record = remains === r.remains ? r : { ...r, remains: remains.length === 0 ? undefined : remains };
    if (record !== r) changed[name] = record;
    const isKnown = told.has(name) || foundOf(r).length > 0;
    if (foundOf(record).length > 0) {
      // Each process tells it anew: an alarm that a crash of the town swallowed is not lost.
      if (record !== r || !told.has(name)) orders.push(alertOf(book, record, now));
      told.add(name);
    } else if (isKnown) {
      told.delete(name);
      orders.push(endAlert(`${EPISODE}${name}`, `Nothing of earlier lives of ${name} runs any more.`));
    }
  }
  const isNew = Object.keys(changed).length > 0;
  return { book: { ...(isNew && { records: { ...book.records, ...changed } }), remainsTold: [...told] }, orders };
}

/** `3 processes of 2 earlier lives`, and which. */
export function survivorsText(remains: readonly Remains[]): string {
  const all = remains.flatMap(({ survivors }) => survivors);
  const named = all.slice(0, MAX_NAMED).map(({ pid, program }) => `pid ${pid} ${program}`);
  const more = all.length > named.length ? `, and ${all.length - named.length} more` : '';
  const lives = remains.filter(isFound).length;
  const of = lives === 1 ? 'an earlier life' : `${lives} earlier lives`;
  return `${all.length === 1 ? '1 process' : `${all.length} processes`} of ${of}: ${named.join(', ')}${more}`;
}

function alertOf(book: SessionsState, r: SessionRecord, now: Stamp): Order {
  const { name } = r.spec;
  const remains = foundOf(r);
  const pids = remains.flatMap(({ survivors }) => survivors.map(({ pid }) => pid));
  const ends = remains.every((one) => endable(book, r).includes(one));
  const what = ends
    ? 'They are ended before its next start.'
    : `The town leaves them alone. Look at them: ps -o pid,lstart,args -p ${pids.join(',')}. To end them: kill ${pids.join(' ')}; with [sessions] survivors = "end" in town.toml the town ends such before a start.`;
  const text = `Of ${name} live on, beside what is started anew, ${survivorsText(remains)}. ${what}`;
  return alertOrder({ episode: `${EPISODE}${name}`, severity: 'medium', session: name, text }, now);
}
