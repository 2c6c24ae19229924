/** What is claimed of a thousand quiet sessions, kept: to compare a claim with the one before costs more than to make it. */
import type { Claim } from '../alerts/levels.ts';
import type { SessionsState } from './state.ts';

/**
 * `make`, whose answer is the same object as long as what it is made of is the same, and as long as it says the same.
 * `key`: what the scans found of this kind. `of`: what else the claim is made of.
 */
export function keptClaim<Key extends keyof SessionsState, Of extends keyof SessionsState>(
  key: SessionsState[Key] extends object ? Key : never,
  of: readonly Of[],
  make: (book: Pick<SessionsState, Key | Of>) => Claim,
): (book: SessionsState) => Claim {
  const kept = new WeakMap<object, { readonly book: SessionsState; readonly claim: Claim }>();
  return (book) => {
    const at = book[key] as object;
    const before = kept.get(at);
    if (before !== undefined && of.every((one) => before.book[one] === book[one])) return before.claim;
    const made = make(book);
    const claim = before !== undefined && JSON.stringify(before.claim) === JSON.stringify(made) ? before.claim : made;
    kept.set(at, { book, claim });
    return claim;
  };
}
