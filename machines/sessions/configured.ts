/**
 * Cells of town.toml, read once the records are. What runs is left, whatever the file says by now.
 * 1. An agent without a record is started, one after the other; one that ended stays ended unless it is `permanent`, and
 *    always if its agent asked for its end itself (C-10) or an operator stopped it.
 * 2. A changed entry and a removed one are told to a person as episodes; nothing is started, stopped or replaced for it.
 */
import type { SessionRecord, SessionSpec } from '../protocol.ts';
import type { Anybody, Events, Next, Scene, States } from './session.ts';
import { begins } from './starts.ts';

/** The keys in which an entry differs from what its record was started with. */
export function differences(one: SessionSpec, other: SessionSpec): string[] {
  const keys = ['command', 'dir', 'tags', 'restart', 'env'] as const;
  return keys.filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]));
}

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
