/** A caller's nudge (law 5): to whom it goes, and what the caller is told came of it. */
import type { NudgeObstacle, Reply, Request } from '../protocol.ts';
import { isWatched, NOTHING, order, refusal, replies, type SessionsState, type Turn } from './state.ts';

/** Ids of such orders begin so. */
export const NUDGE = 'sessions/nudge/';

export function requestNudge(book: SessionsState, asked: Request & { verb: 'nudge' }, rpc: string): Turn {
  const { name, text, from } = asked;
  const r = book.records[name];
  if (!r) {
    const unknown = `no session ${name} is known here. See: town session list`;
    return { book: {}, orders: replies(rpc, refusal('unknown_session', unknown, 2)) };
  }
  if (!isWatched(r) || r.incarnation === null) {
    const away = `${name} was not nudged: it is ${r.state} (${r.note}). See: town session status ${name}`;
    return { book: {}, orders: replies(rpc, refusal('not_running', away)) };
  }
  const id = `${NUDGE}${rpc}`;
  return {
    book: { nudging: { ...book.nudging, [id]: { rpc, name } } },
    orders: [order(id, { type: 'nudge', target: r.incarnation, text, from })],
  };
}

/** A nudge got through (null), or not. */
export function answerNudge(book: SessionsState, re: string, obstacle: NudgeObstacle | null): Turn {
  const { [re]: asked, ...nudging } = book.nudging;
  if (!asked) return NOTHING;
  const { rpc, name } = asked;
  const reply: Reply = obstacle === null ? { ok: true, value: { session: name } } : refusedBy(name, obstacle);
  return { book: { nudging }, orders: replies(rpc, reply) };
}

/** What stood in the way, in words. */
function obstacleText(obstacle: NudgeObstacle): string {
  switch (obstacle.kind) {
    case 'dialog':
      return `a question to a person is on its screen: ${obstacle.what}`;
    case 'limited':
      return `a usage limit keeps it from answering: ${obstacle.what}`;
    case 'gone':
      return 'its agent is gone';
    case 'replaced':
      return 'another life has its name by now';
    case 'unknown':
      return `it could not be told whether it is safe: ${obstacle.why}`;
    case 'person':
    case 'paneless':
    case 'busy':
    case 'recent':
    case 'protected':
    case 'unfit':
      return obstacle.what;
  }
}

function refusedBy(name: string, obstacle: NudgeObstacle): Reply {
  const exit = obstacle.kind === 'protected' ? 5 : obstacle.kind === 'unfit' ? 2 : 1;
  return refusal(`nudge_${obstacle.kind}`, `${name} was not nudged: ${obstacleText(obstacle)}`, exit);
}
