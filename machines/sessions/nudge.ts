/** Cells of a caller's nudge (law 5): its target, and the caller's reply. */
import { order } from '../kernel/decision.ts';
import type { NudgeObstacle, Reply } from '../protocol.ts';
import { refuses, type Events, type Next, type States } from './session.ts';
import { idOf, refusal } from './state.ts';

type Asked = Events['NUDGE_ASKED'];

export const isNudged = ({ name, life: target }: States['running'], { rpc, text, from, raw, atRest }: Asked): Next => ({
  orders: [order(idOf('nudge', { name: rpc }), { type: 'nudge', target, text, from, raw, ...(atRest && { atRest }) })],
  call: { verb: 'nudge', rpc, name },
});
export const isAway = ({ name, r }: States['ended'], { rpc }: Asked): Next => {
  const text = `${name} was not nudged: it is ${r.state} (${r.note}). See: town session status ${name}`;
  return refuses(rpc, 'not_running', text);
};
export const isNobody = ({ name }: States['absent'], { rpc }: Asked): Next =>
  refuses(rpc, 'unknown_session', `no session ${name} is known here. See: town session list`, 2);

function obstacleText(obstacle: NudgeObstacle): string {
  switch (obstacle.kind) {
    case 'dialog':
      return `a question to a person is on its screen: ${obstacle.what}`;
    case 'limited':
      return `a usage limit keeps it from answering: ${obstacle.what}`;
    case 'working':
      return `it works: ${obstacle.what}`;
    case 'gone':
      return 'its agent is gone';
    case 'replaced':
      return 'another life has its name by now';
    case 'unknown':
      return `it is not known whether it is safe: ${obstacle.why}`;
    case 'person':
    case 'paneless':
    case 'busy':
    case 'recent':
    case 'protected':
    case 'refused':
    case 'unfit':
      return obstacle.what;
  }
}

export function refusedBy(name: string, obstacle: NudgeObstacle): Reply {
  const exit = obstacle.kind === 'protected' ? 5 : obstacle.kind === 'unfit' ? 2 : 1;
  return refusal(`nudge_${obstacle.kind}`, `${name} was not nudged: ${obstacleText(obstacle)}`, exit);
}
