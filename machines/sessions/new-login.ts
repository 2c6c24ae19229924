/**
 * Lives that still use the old login of an account that is logged in again (M-9): a running program does not read the new one.
 * 1. The town restarts each of them once. It does so only where nothing is lost: the hand sees that it is at rest and that its next
 *    life goes on with its conversation, and the hearing goes on only while each of its looks sees it so.
 * 2. One of an account at a time. The next one's turn comes once the one before is up and shows no dead login, so that a login that is
 *    dead again ends no more lives.
 * 3. A protected name is left to its person, and so is an agent that wishes its own end.
 */
import type { Ms, SeenSession, SessionRecord, Stamp } from '../protocol.ts';
import { showsDeadLogin } from './accounts.ts';
import { resumedBy } from './conversation.ts';
import { RENEWAL } from './policy.ts';
import { isStopping, isWatched, type SessionsState } from './state.ts';

type Book = Pick<SessionsState, 'records' | 'policy' | 'isProtected'>;

/** That its end was ordered for this, of its present life; null = it was not. */
const renewedAt = ({ asked, incarnation }: SessionRecord): number | null =>
  asked?.uuid === incarnation?.uuid ? (asked?.renewedAt ?? null) : null;

/** Whether the town restarts it once it is at rest. */
export function isRenewable({ policy, isProtected }: Omit<Book, 'records'>, r: SessionRecord): boolean {
  const { state, incarnation, account, bar, asked, spec } = r;
  return (
    state === 'running' &&
    incarnation?.origin === 'started' &&
    account !== undefined &&
    bar?.outdated !== undefined &&
    bar.life === incarnation.uuid &&
    (asked?.uuid !== incarnation.uuid || asked.renewedAt !== undefined) &&
    isProtected?.(spec.name) !== true &&
    resumedBy(r, policy) !== null
  );
}

const isOrdered = (r: SessionRecord, now: Stamp): boolean => {
  const at = renewedAt(r);
  return at !== null && now.wall - at < RENEWAL.againMs;
};

/** The uuids of the lives that the town would restart now, were they at rest. */
export function outdatedLives(book: Book, now: Stamp): readonly string[] {
  const held = heldAccounts(book, now);
  return Object.values(book.records).flatMap((r) =>
    isRenewable(book, r) && !held.has(r.account?.id) && r.incarnation ? [r.incarnation.uuid] : [],
  );
}

/** Its present life began a while ago at most, and the town has not seen how it stands. */
const isUntried = ({ state, login, incarnation, startedAt }: SessionRecord, stableMs: Ms, now: Stamp): boolean =>
  isWatched({ state }) && login?.life !== incarnation?.uuid && startedAt !== null && now.wall - startedAt < stableMs;

/** Accounts of which no life is restarted now. One that does not start tells nothing of their login. */
function heldAccounts({ records, policy }: Book, now: Stamp): ReadonlySet<string | undefined> {
  const all = Object.values(records).filter(
    (r) =>
      r.state === 'starting' ||
      r.state === 'backing_off' ||
      showsDeadLogin(r) ||
      isStopping(r) ||
      isOrdered(r, now) ||
      isUntried(r, policy.stableMs, now),
  );
  return new Set(all.flatMap(({ account }) => account?.id ?? []));
}

/** Names of those that are restarted now, one of an account at most. */
export function renewedNow(book: Book, seen: readonly SeenSession[], now: Stamp): readonly string[] {
  const free = seen.filter(({ isFree }) => isFree === true);
  if (free.length === 0) return [];
  const taken = new Set(heldAccounts(book, now));
  return free.flatMap(({ name, uuid }) => {
    const r = book.records[name];
    if (r === undefined || r.incarnation?.uuid !== uuid || !isRenewable(book, r) || taken.has(r.account?.id)) return [];
    taken.add(r.account?.id);
    return [name];
  });
}
