/**
 * Lives that stand in tmux though no record tells of them: their files were damaged or taken away while they ran. They are known
 * again as what they were, with a budget of restarts that begins anew.
 */
import type { LostLife, Order, SessionRecord } from '../protocol.ts';
import { NOT_LIVE, NOTHING, refusal, replies, type SessionsState, type Live, type Turn } from './state.ts';
import { freshSession } from './lifecycle.ts';

const recordOf = ({ spec, incarnation, tokenHash, startedAt }: LostLife): SessionRecord => ({
  ...freshSession(spec, ''),
  state: incarnation.origin === 'adopted' ? 'observed' : 'running',
  pending: null,
  incarnation,
  tokenHash,
  startedAt,
  note: 'known again by its marks in tmux: its record was lost',
});

/** A record that never had a life is no other life's: its start met the one that was lost. */
const isFree = (r: SessionRecord | undefined, { incarnation: { uuid } }: LostLife): boolean =>
  r === undefined || (r.incarnation === null && r.pending !== uuid);

/** The records as they were read, with those that are made anew. */
export function withLost(found: readonly SessionRecord[], lost: readonly LostLife[]): readonly SessionRecord[] {
  const known = new Map(found.map((r) => [r.spec.name, r]));
  for (const life of lost) if (isFree(known.get(life.spec.name), life)) known.set(life.spec.name, recordOf(life));
  return [...known.values()];
}

/** As `withLost`, for a book that is open: whoever waits for a start under such a name is answered. */
export function takeLost(book: SessionsState, lost: readonly LostLife[]): Turn {
  const records: Record<string, SessionRecord> = {};
  const live: Record<string, Live> = {};
  const orders: Order[] = [];
  for (const life of lost) {
    const { name } = life.spec;
    const old = book.records[name];
    if (!isFree(old, life)) continue;
    records[name] = { ...recordOf(life), ...(old?.configured === true && { configured: true }) };
    live[name] = NOT_LIVE;
    const text = `session ${name} runs already, and is known again. See: town session status ${name}`;
    orders.push(...replies(book.live[name]?.rpc ?? null, refusal('already_running', text)));
  }
  if (Object.keys(records).length === 0) return NOTHING;
  return {
    book: { records: { ...book.records, ...records }, live: { ...book.live, ...live } },
    orders,
  };
}
