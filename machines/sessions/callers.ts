/**
 * Turns callers' requests into happenings of a session, and outcomes into replies. Each caller gets exactly one reply
 * (C-6).
 */
import { NOTHING } from '../kernel/decision.ts';
import { orderName, type Outcome, type Reply, type Request, type Stamp, type Via } from '../protocol.ts';
import { refusedBy } from './nudge.ts';
import { afterOrder } from './conversation.ts';
import type { SessionEvent } from './session.ts';
import { isLatched, refusal, replies, type Call, type SessionsState, type SessionsDecision } from './state.ts';
import { recordSurvivors } from './survivors.ts';
import { happen } from './table.ts';

const VERBS = ['startSession', 'adoptSession', 'nudge', 'answer', 'stopSession', 'removeSession'] as const;
export type Ours = Request & { readonly verb: (typeof VERBS)[number] };
export const isOurs = (request: Request): request is Ours => VERBS.some((verb) => verb === request.verb);

/** A caller that waits for the reply. */
export interface Caller {
  readonly rpc: string;
  /** Absent = the operator. */
  readonly via?: Via | undefined;
}

/** Why an operator's order is not carried out, wherever a session that the town started is; null = it is. */
function whyNot({ records, isProtected }: SessionsState, asked: Request & { verb: 'stopSession' }): Reply | null {
  const { name, then, force, fresh } = asked;
  const r = records[name];
  if (r === undefined || r.state === 'observed') return null;
  if (fresh === true && r.state === 'starting') {
    const text = `${name} is being started with a conversation at this moment; type it again once it runs`;
    return refusal('starting', text);
  }
  if (!force && isProtected?.(name) === true) {
    const word = then === 'end' ? 'stop' : 'restart';
    const text = `${name} is protected by [town] protected; an operator may: town session ${word} ${name} --force`;
    return refusal('protected_target', text, 5);
  }
  if (then === 'end' || r.spec.command.length > 0) return null;
  const text = `no command for ${name} is known; write it after --: town session start ${name} -- claude`;
  return refusal('no_command', text, 2);
}

/**
 * What the operator stopped stays down, and what the operator restarts is not stopped meanwhile: neither a patrol of the town nor
 * an agent decides otherwise (C-13). null = it may be started and stopped.
 */
function latched({ records }: SessionsState, asked: Ours): Reply | null {
  if (asked.verb !== 'startSession' && asked.verb !== 'stopSession') return null;
  const name = asked.verb === 'startSession' ? asked.spec.name : asked.name;
  const r = records[name];
  if (r === undefined || !isLatched(r)) return null;
  const text = `the operator stopped ${name}, and only the operator starts it again: town session start ${name}`;
  return refusal('stopped_by_operator', text, 5);
}

function eventOf(book: SessionsState, asked: Ours, { rpc, via = 'operator' }: Caller): SessionEvent | Reply {
  const byHand = via === 'operator';
  const kept = byHand ? null : latched(book, asked);
  if (kept !== null) return kept;
  const start = { by: rpc, rpc, byHand };
  switch (asked.verb) {
    case 'startSession':
      return { type: 'START_ASKED', ...start, spec: asked.spec };
    case 'stopSession': {
      const refused = whyNot(book, asked);
      if (refused !== null) return refused;
      return asked.then === 'end' ? { type: 'STOP_ASKED', rpc, byHand } : { type: 'RESTART_ASKED', ...start };
    }
    case 'removeSession':
      return { type: 'REMOVAL_ASKED', rpc, isLooked: false, isCleared: false };
    case 'adoptSession':
      return { type: 'ADOPTION_ASKED', ...asked, rpc };
    case 'nudge':
      return { type: 'NUDGE_ASKED', ...asked, rpc };
    case 'answer':
      return { type: 'ANSWER_ASKED', ...asked, rpc };
  }
}

/** The record of one whose next life begins another conversation says so before it ends. */
function begunAnew(book: SessionsState, asked: Ours): SessionsState {
  if (asked.verb !== 'stopSession' || asked.fresh !== true) return book;
  const r = book.records[asked.name];
  if (r?.conversation === undefined) return book;
  return { ...book, records: { ...book.records, [asked.name]: { ...r, conversation: afterOrder(r.conversation) } } };
}

export function takeRequest(book: SessionsState, asked: Ours, caller: Caller, now: Stamp): SessionsDecision {
  const event = eventOf(book, asked, caller);
  if (!('type' in event)) return { changes: {}, orders: replies(caller.rpc, event) };
  const name = asked.verb === 'startSession' ? asked.spec.name : asked.name;
  return happen(begunAnew(book, asked), [{ name, event }], now);
}

/** What came of the order that a caller waits for: another step, or a reply. */
function answer({ name, ...call }: Call, event: Outcome): SessionEvent | Reply {
  const { rpc } = call;
  if (call.verb === 'nudge') {
    if (event.type === 'NUDGED') return { ok: true, value: { session: name } };
    return refusedBy(name, event.type === 'NOT_NUDGED' ? event.obstacle : { kind: 'unknown', why: whyOf(event) });
  }
  if (call.verb === 'answer') {
    if (event.type === 'DIALOG_ANSWERED') return { ok: true, value: { session: name, then: event.then } };
    const { exit = 1, given } = event.type === 'DIALOG_NOT_ANSWERED' ? event : { given: true };
    return refusal(
      given || exit !== 1 ? 'not_answered' : 'not_given',
      `the dialog of ${name} was not answered: ${whyOf(event)}`,
      exit,
    );
  }
  if (call.verb === 'adopt') {
    if (event.type === 'SESSION_ADOPTED') return { ...event, ...call, type: 'ADOPTED' };
    const exit = event.type === 'SESSION_NOT_ADOPTED' ? event.exit : 1;
    return refusal('not_adopted', `session ${name} was not adopted: ${whyOf(event)}`, exit);
  }
  if (event.type === 'SURVIVORS_LISTED') return { type: 'REMOVAL_ASKED', rpc, isLooked: true, isCleared: false };
  if (event.type === 'CLEARED' && event.whyPaneStays === undefined)
    return { type: 'REMOVAL_ASKED', rpc, isLooked: true, isCleared: true };
  const why = event.type === 'CLEARED' ? (event.whyPaneStays ?? '') : `${whyOf(event)}; try again`;
  return refusal('not_cleared', `${name} is not forgotten yet: ${why}`);
}
const whyOf = (event: Outcome): string => ('why' in event ? event.why : '');

/** A dialog that is proved to be gone is asked no more, though no pack may know the screen behind it. A scan that shows another one says so. */
function withoutDialog({ asking, records }: SessionsState, name: string): Pick<SessionsState, 'asking'> {
  const uuid = records[name]?.incarnation?.uuid;
  return uuid === undefined ? { asking } : { asking: { ...asking, [name]: { uuid, what: null } } };
}

/** The decision for an outcome that a caller waits for; null = none waits. */
export function takeOutcome(before: SessionsState, event: Outcome): SessionsDecision | null {
  const { [orderName(event.re)]: call, ...calls } = before.calls;
  if (call === undefined) return null;
  const looked = event.type === 'SURVIVORS_LISTED' ? recordSurvivors(before, event.of) : {};
  const proved = event.type === 'DIALOG_ANSWERED' ? withoutDialog(before, call.name) : {};
  const book = { ...before, ...looked, ...proved, calls };
  const next = answer(call, event);
  const decision = 'type' in next ? happen(book, [{ name: call.name, event: next }], event) : NOTHING;
  const orders = 'type' in next ? decision.orders : replies(call.rpc, next);
  return { changes: { ...looked, ...proved, calls, ...decision.changes }, orders };
}
