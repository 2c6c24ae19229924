/**
 * Cells of a removal: the town forgets a session. Only its record goes (journal, rescues and kept output stay).
 * 1. A session can go only if it does not run and no configuration starts it: otherwise it would come back.
 * 2. Nothing of it may stay in tmux or run unwatched afterwards. The town looks for remains of earlier lives, saves and
 *    clears a dead pane, and takes its marks off an adopted one. If any of this fails, the record stays.
 */
import { order } from '../kernel/decision.ts';
import type { OrderBody } from '../protocol.ts';
import { placeOf } from './configured.ts';
import { refuses, type Events, type Next, type Scene, type States } from './session.ts';
import { idOf, NOT_LIVE, replies } from './state.ts';
import { foundOf, survivorsText } from './survivors.ts';

type Asked = Events['REMOVAL_ASKED'];

export const stillWatched = ({ name, life: { agent } }: States['observed'], { rpc }: Asked): Next => {
  const text = `${name} was adopted and runs (pid ${agent.pid}): it is forgotten once its agent has ended; look at it: town session attach ${name}`;
  return refuses(rpc, 'still_running', text, 5);
};
const stillThere = (name: string, what: string, rpc: string): Next =>
  refuses(rpc, 'still_running', `${name} ${what}; stop it first: town session stop ${name}`, 5);
export const stillRuns = ({ name, life: { agent } }: States['running'], { rpc }: Asked): Next =>
  stillThere(name, `runs (pid ${agent.pid})`, rpc);
export const stillStarts = ({ name, r }: States['starting'], { rpc }: Asked): Next =>
  stillThere(name, `is ${r.state}`, rpc);

/** The next step of it; after the last one it is forgotten. */
export function goesAway(session: States['ended'], { rpc, isLooked, isCleared }: Asked, { book }: Scene): Next {
  const { name, r } = session;
  if (book.agents.some((one) => one.name === name)) {
    const { key, takeOut } = placeOf(book, name);
    const text = `${name} stands in town.toml (${key}), so the town's next start would bring it back; ${takeOut} and restart the town first. Until then it stays down once it is stopped: town session stop ${name}`;
    return refuses(rpc, 'configured', text, 5);
  }
  const { remains = [], incarnation } = r;
  const ask = (step: string, body: OrderBody): Next => ({
    orders: [order(idOf('remove', { session: name, name: rpc, step }), body)],
    call: { verb: 'remove', rpc, name },
  });
  if (remains.length > 0 && !isLooked) return ask('look', { type: 'listSurvivors', of: remains });
  const left = foundOf(r);
  if (left.length > 0) {
    const pids = left.flatMap(({ survivors }) => survivors.map(({ pid }) => pid));
    const text = `of ${name} live on ${survivorsText(left)}; a town that forgets it would not know of them. End them first: kill ${pids.join(' ')}`;
    return refuses(rpc, 'survivors', text, 5);
  }
  if (incarnation !== null && !isCleared)
    return ask('clear', { type: 'clear', target: incarnation, tree: [], unsaved: true, forgets: true });
  const news = order(idOf('announce', { session: name, name: rpc }), {
    type: 'announce',
    news: { type: 'SESSION_REMOVED', session: name },
  });
  return { record: null, live: NOT_LIVE, orders: [news, ...replies(rpc, { ok: true, value: { name } })] };
}
