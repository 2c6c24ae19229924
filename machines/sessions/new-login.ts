/**
 * Lives that still use the old login of an account that is logged in again (M-9): a running program does not read the new one.
 * 1. The town restarts each of them once, by the way of an operator's order. It does so only where nothing is lost: the hand sees
 *    that it is at rest, and that its next life goes on with its conversation.
 * 2. One of an account at a time. The next one's turn comes when the new login was seen in the life before, so that a login
 *    that is dead again ends no more lives.
 */
import type { Ms, SeenSession, SessionRecord, Stamp } from '../protocol.ts';
import { showsDeadLogin } from './accounts.ts';
import { resumedBy } from './conversation.ts';
import { isStopping, isWatched, type SessionsState } from './state.ts';

type Book = Pick<SessionsState, 'records' | 'policy'>;

const mayRenew = (r: SessionRecord, policy: Book['policy']): boolean =>
  r.state === 'running' &&
  r.incarnation?.origin === 'started' &&
  r.account !== undefined &&
  r.bar?.outdated !== undefined &&
  r.bar.life === r.incarnation.uuid &&
  !isStopping(r) &&
  resumedBy(r, policy) !== null;

/** The uuids of the lives that the town would restart, were they at rest. */
export const outdatedLives = ({ records, policy }: Book): readonly string[] =>
  Object.values(records).flatMap((r) => (mayRenew(r, policy) && r.incarnation ? [r.incarnation.uuid] : []));

/** Its present life began a while ago at most, and the town has not seen by which login it works. */
const isUntried = ({ state, login, incarnation, startedAt }: SessionRecord, stableMs: Ms, now: Stamp): boolean =>
  state === 'starting' ||
  (isWatched({ state }) && login?.life !== incarnation?.uuid && startedAt !== null && now.wall - startedAt < stableMs);

/** Names of those that are restarted now, one of an account at most. */
export function renewedNow({ records, policy }: Book, seen: readonly SeenSession[], now: Stamp): readonly string[] {
  const free = seen.filter(({ isFree }) => isFree === true);
  if (free.length === 0) return [];
  const all = Object.values(records);
  const isHeld = (r: SessionRecord): boolean =>
    showsDeadLogin(r) || isStopping(r) || isUntried(r, policy.stableMs, now);
  const taken = new Set(all.flatMap((r) => (r.account !== undefined && isHeld(r) ? [r.account.id] : [])));
  return free.flatMap(({ name, uuid }) => {
    const r = records[name];
    if (r?.account === undefined || r.incarnation?.uuid !== uuid || !mayRenew(r, policy)) return [];
    if (taken.has(r.account.id)) return [];
    taken.add(r.account.id);
    return [name];
  });
}
