/**
 * What dead lives left running: processes proved to be of a life that ended, beside which its agent is started again
 * (C-6).
 * 1. An ended life stays in its session's record until a look finds nothing of it: no restart of the town forgets one.
 * 2. Each session's survivors are one episode, which ends with the last of them. The hands find which process is whose.
 * 3. The default leaves them alone. If the configuration wants them ended, that comes before each start
 *    (survivors-ending.ts). Protected names (law 6) and lives without a pane (C-7) are exempt.
 */
import { deadLogins } from './accounts.ts';
import { resumedBy } from './conversation.ts';
import { order } from '../kernel/decision.ts';
import { isSameProc, type Incarnation, type Instant, type Order, type OrderId, type Remains } from '../protocol.ts';
import type { SessionRecord, Stamp } from '../protocol.ts';
import { idOf, type SessionsState, type Ending, type Live } from './state.ts';
import { times } from '../kernel/span.ts';

/** The order of the look that no caller waits for. */
const LOOK = idOf('survivors');
/** Processes that a sentence names. */
const MAX_NAMED = 10;

const isFound = ({ survivors }: Remains): boolean => survivors.length > 0;
export const foundOf = ({ remains = [] }: SessionRecord): readonly Remains[] => remains.filter(isFound);

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
export const nextLook = ({ policy, records }: Pick<SessionsState, 'policy' | 'records'>, now: Stamp): Instant | null =>
  Object.values(records).some(({ remains }) => remains !== undefined) ? now.at + policy.survivorsEveryMs : null;

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

export const startId = ({ pending }: SessionRecord): OrderId => idOf('start', { life: pending ?? '' });
export function startOrder(
  { policy, records }: Pick<SessionsState, 'policy' | 'records'>,
  r: SessionRecord,
  { byHand = false }: Pick<Live, 'byHand'>,
): Order {
  const id = resumedBy(r, policy);
  const dead = deadLogins({ ...records, [r.spec.name]: r }, r.spec.name, byHand);
  return order(startId(r), {
    type: 'startSession',
    spec: r.spec,
    uuid: r.pending ?? '',
    previous: r.incarnation,
    ...(id !== null && { resume: { id, why: r.note } }),
    ...(r.prompt !== undefined && { prompt: r.prompt }),
    ...(byHand && { byHand }),
    ...(dead.length > 0 && { dead, ...(r.account !== undefined && { account: r.account }) }),
  });
}

/** A step of what ends survivors before it. */
export const endingId = ({ spec, pending }: SessionRecord, { step }: Ending): OrderId =>
  idOf('ending', { session: spec.name, life: pending ?? '', step });
/** The session whose survivors this order helps to end; absent = it does not. */
export const survivorsOf = ({ verb, session }: OrderId): string | undefined =>
  verb === 'ending' ? session : undefined;

/** None has been saved or signalled yet. */
export const NOT_ENDING: Ending = { saved: [], rounds: {}, step: 0 };
/** The first order of a start that has survivors to end; null = it has none. */
export function endsFirst(book: SessionsState, r: SessionRecord): Order | null {
  const of = endable(book, r);
  return of.length === 0 ? null : order(endingId(r, NOT_ENDING), { type: 'listSurvivors', of });
}

const isSame = (one: Remains['survivors'], other: Remains['survivors']): boolean =>
  one.length === other.length && one.every((proc, at) => isSameProc(other[at] ?? null, proc));

/** The remains by this listing; those of lives that it does not name stay. The same list when nothing is new. */
function after({ remains = [] }: SessionRecord, found: ReadonlyMap<string, Remains['survivors']>): readonly Remains[] {
  const now = remains.flatMap((one) => {
    const survivors = found.get(one.life.uuid) ?? one.survivors;
    if (survivors.length === 0 && found.has(one.life.uuid)) return [];
    return [isSame(survivors, one.survivors) ? one : { ...one, survivors }];
  });
  return now.length === remains.length && now.every((one, at) => one === remains[at]) ? remains : now;
}

/** A look is back: the records as it found them. */
export function recordSurvivors(book: SessionsState, of: readonly Remains[]): Partial<SessionsState> {
  const by = new Map(of.map(({ life, survivors }) => [life.uuid, survivors]));
  const changed: Record<string, SessionRecord> = {};
  for (const r of Object.values(book.records)) {
    if (r.remains === undefined) continue;
    const remains = after(r, by);
    if (remains !== r.remains) changed[r.spec.name] = { ...r, remains: remains.length === 0 ? undefined : remains };
  }
  return Object.keys(changed).length === 0 ? {} : { records: { ...book.records, ...changed } };
}

/** `3 processes of 2 earlier lives`, and which. */
export function survivorsText(remains: readonly Remains[]): string {
  const all = remains.flatMap(({ survivors }) => survivors);
  const named = all.slice(0, MAX_NAMED).map(({ pid, program }) => `pid ${pid} ${program}`);
  const more = all.length > named.length ? `, and ${all.length - named.length} more` : '';
  const lives = remains.filter(isFound).length;
  const of = lives === 1 ? 'an earlier life' : `${lives} earlier lives`;
  return `${times(all.length, 'process', 'processes')} of ${of}: ${named.join(', ')}${more}`;
}

export function survivorsAlertText(book: SessionsState, r: SessionRecord): string {
  const { name } = r.spec;
  const remains = foundOf(r);
  const pids = remains.flatMap(({ survivors }) => survivors.map(({ pid }) => pid));
  const ends = remains.every((one) => endable(book, r).includes(one));
  const what = ends
    ? 'They are ended before its next start.'
    : `The town leaves them alone. Look at them: ps -o pid,lstart,args -p ${pids.join(',')}. To end them: kill ${pids.join(' ')}; with [sessions] survivors = "end" in town.toml the town ends such before a start.`;
  return `Of ${name} live on ${survivorsText(remains)}. ${what}`;
}
