/** Cells of an operator's answer to a dialog: its target, and the caller's reply. */
import { order } from '../kernel/decision.ts';
import { refuses, type Events, type Next, type States } from './session.ts';
import { idOf } from './state.ts';

type Asked = Events['ANSWER_ASKED'];

export function isAnswered({ name, life: target }: States['running'], asked: Asked): Next {
  const { rpc, dialog, option, text } = asked;
  const answer = { type: 'answerDialog', target, dialog, option, ...(text !== undefined && { text }) } as const;
  return { orders: [order(idOf('answer', { name: rpc }), answer)], call: { verb: 'answer', rpc, name } };
}

export const asksNothing = ({ name, r }: States['ended'], { rpc }: Asked): Next =>
  refuses(rpc, 'not_running', `${name} asks nothing: it is ${r.state} (${r.note}). See: town questions`);
