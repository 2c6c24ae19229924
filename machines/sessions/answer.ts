/** Cells of an operator's answer to a dialog: its target, and the caller's reply. */
import { order } from '../kernel/turn.ts';
import { refuses, type Events, type Next, type States } from './session.ts';
import { idOf } from './state.ts';

type Asked = Events['ANSWER_ASKED'];

export const isAnswered = ({ name, life: target }: States['running'], { rpc, dialog, option }: Asked): Next => ({
  orders: [order(idOf('answer', { name: rpc }), { type: 'answerDialog', target, dialog, option })],
  call: { verb: 'answer', rpc, name },
});

export const asksNothing = ({ name, r }: States['ended'], { rpc }: Asked): Next =>
  refuses(rpc, 'not_running', `${name} asks nothing: it is ${r.state} (${r.note}). See: town questions`);
