/**
 * Cells of town.toml, read after the records. A running agent is left alone, even if the file has changed.
 * 1. Agents without a record start one after the other. One that ended stays ended unless it is `permanent`. It also
 *    stays ended if its agent asked for its end (C-10) or an operator stopped it.
 * 2. A changed or removed entry is alerted as an episode; it starts, stops and replaces no agent.
 */
import type { SessionRecord } from '../protocol.ts';
import type { Anybody, Events, Next, Scene, States } from './session.ts';
import { begins } from './starts.ts';
import type { SessionsInput } from './state.ts';

/** Where town.toml has this agent, and how it is taken out there. */
export const placeOf = ({ monitor }: SessionsInput, name: string): { readonly key: string; readonly takeOut: string } =>
  name === monitor
    ? { key: '[monitor] mode', takeOut: 'set that to "actor"' }
    : { key: '[[agents]]', takeOut: 'take it out there' };

export function beginsInTurn(session: Anybody, { spec, first }: Events['LISTED'], at: Scene): Next {
  const { record, live, ...next } = begins(session, { spec, by: 'configured', rpc: null }, at);
  if (!record || !live) return next;
  const dueAt = at.now.at + (at.starts - first) * at.book.policy.staggerMs;
  return { ...next, record: { ...record, configured: true }, live: { ...live, dueAt } };
}
const marked = (r: SessionRecord, configured: boolean): Next =>
  r.configured === configured ? {} : { record: { ...r, configured } };
export const isListed = ({ r }: States['starting']): Next => marked(r, true);
export const mayBegin = (session: States['ended'], listed: Events['LISTED'], at: Scene): Next =>
  listed.spec.restart === 'permanent' ? beginsInTurn(session, listed, at) : isListed(session);
export const isLeftOut = ({ r }: States['ended']): Next => marked(r, false);
