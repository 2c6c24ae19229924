/**
 * A session is forgotten: its record goes, and nothing else of it (journal, rescues and kept output stay).
 * 1. Only one that does not run, and that nobody starts by himself: else it would be back.
 * 2. Nothing of it may stand in tmux or run afterwards without anybody who knows of it: what earlier lives left is looked for,
 *    a dead pane is saved and cleared, an adopted one loses our marks. What cannot be done leaves the record.
 */
import type { OrderBody, OutcomeBody, Reply, SessionRecord, Stamp } from '../protocol.ts';
import { NOTHING, order, refusal, replies, type SessionsState, type Turn, woken } from './state.ts';
import { recordSurvivors, survivorsText } from './survivors.ts';

const REMOVE = 'sessions/remove/';
export const isRemoving = (re: string): boolean => re.startsWith(REMOVE);

interface Waiting {
  readonly rpc: string;
  readonly name: string;
}

/** Why it is not forgotten; null = it is. */
function whyNot({ agents }: SessionsState, name: string, r: SessionRecord | undefined): Reply | null {
  if (r === undefined)
    return refusal('unknown_session', `no session ${name} was ever seen here; see \`town session list\``, 2);
  if (r.state === 'observed') {
    const text = `${name} was adopted and runs (pid ${r.incarnation?.agent.pid ?? 'unknown'}): it is forgotten once its agent has ended; look at it: town session attach ${name}`;
    return refusal('still_running', text, 5);
  }
  if (r.state !== 'ended') {
    const what = r.state === 'running' ? `runs (pid ${r.incarnation?.agent.pid ?? 'unknown'})` : `is ${r.state}`;
    return refusal('still_running', `${name} ${what}; stop it first: town session stop ${name}`, 5);
  }
  if (agents.some((one) => one.name === name)) {
    const text = `${name} stands in town.toml, so the town's next start would bring it back; take it out there and restart the town first. Until then it stays down once it is stopped: town session stop ${name}`;
    return refusal('configured', text, 5);
  }
  return null;
}

const stays = (known: Partial<SessionsState>, { rpc }: Waiting, reply: Reply): Turn => ({
  book: known,
  orders: replies(rpc, reply),
});

/** The next step, with what the last one changed. Only changes are given back: a book holds functions, which no assignment takes. */
function goOn(
  book: SessionsState,
  known: Partial<SessionsState>,
  of: Waiting,
  { now, isLooked, isCleared }: Steps,
): Turn {
  const { rpc, name } = of;
  const all = { ...book, ...known };
  const r = all.records[name];
  const refused = whyNot(all, name, r);
  if (r === undefined || refused !== null) return refused === null ? NOTHING : stays(known, of, refused);
  const { remains = [], incarnation } = r;
  const ask = (step: string, body: OrderBody): Turn => {
    const id = `${REMOVE}${name}/${rpc}/${step}`;
    return { book: { ...known, removing: { ...all.removing, [id]: of } }, orders: [order(id, body)] };
  };
  if (remains.length > 0 && !isLooked) return ask('look', { type: 'listSurvivors', of: remains });
  const left = remains.filter(({ survivors }) => survivors.length > 0);
  if (left.length > 0) {
    const pids = left.flatMap(({ survivors }) => survivors.map(({ pid }) => pid));
    const text = `of ${name} live on ${survivorsText(left)}; a town that forgets it would not know of them. End them first: kill ${pids.join(' ')}`;
    return stays(known, of, refusal('survivors', text, 5));
  }
  if (incarnation !== null && !isCleared)
    return ask('clear', { type: 'clear', target: incarnation, tree: [], unsaved: true, forgets: true });
  const over = forgotten(all, r, now, rpc);
  return { book: { ...known, ...over.book }, orders: over.orders };
}

interface Steps {
  readonly now: Stamp;
  readonly isLooked: boolean;
  readonly isCleared: boolean;
}

/** The book without it. */
export function forgotten(book: SessionsState, r: SessionRecord, now: Stamp, rpc: string | null): Turn {
  const { name } = r.spec;
  const { [name]: _, ...records } = book.records;
  const { [name]: _live, ...live } = book.live;
  const { [name]: _person, ...personSince } = book.personSince;
  return {
    book: woken(book, { records, live, personSince, forgotten: { ...book.forgotten, [name]: now.wall } }),
    orders: replies(rpc, { ok: true, value: { name } }),
  };
}

/** An operator wants it forgotten. */
export const requestRemoval = (book: SessionsState, name: string, rpc: string, now: Stamp): Turn =>
  goOn(book, {}, { rpc, name }, { now, isLooked: false, isCleared: false });

type Outcome = Extract<OutcomeBody, { type: 'SURVIVORS_LISTED' | 'CLEARED' | 'ORDER_FAILED' }>;

/** A step of it came out. */
export function removalStep(book: SessionsState, re: string, outcome: Outcome, now: Stamp): Turn {
  const { [re]: of, ...removing } = book.removing;
  if (of === undefined) return NOTHING;
  const { name } = of;
  switch (outcome.type) {
    case 'SURVIVORS_LISTED': {
      const known = { ...recordSurvivors(book, outcome.of), removing };
      return goOn(book, known, of, { now, isLooked: true, isCleared: false });
    }
    case 'CLEARED':
      return outcome.left === undefined
        ? goOn(book, { removing }, of, { now, isLooked: true, isCleared: true })
        : stays({ removing }, of, refusal('not_cleared', `${name} is not forgotten yet: ${outcome.left}`));
    case 'ORDER_FAILED':
      return stays({ removing }, of, refusal('not_cleared', `${name} is not forgotten yet: ${outcome.why}; try again`));
  }
}
