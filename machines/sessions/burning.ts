/**
 * Agents that spend tokens and do nothing new (M-12): one is an alert. Nothing is ended for it, since only a person knows whether it is
 * lost. It burns while all of these are so, for `BURNING.afterMs` on end:
 * 1. A turn of it runs, its tokens grow, and it makes the same call with the same words again and again, or a few by turns.
 * 2. It writes no word and makes no call that is not among its last few.
 * 3. Nothing is committed and no file is changed in its worktree.
 * What is not known of any of them begins nothing and ends nothing (law 1).
 */
import type { Claim, Level, Standing } from '../alerts/levels.ts';
import { attach } from '../alerts/asks.ts';
import { countText, span } from '../kernel/span.ts';
import type { Instant, Ms, SeenSession, Spending } from '../protocol.ts';
import type { Burn } from './burn.ts';
import { keptClaim } from './kept-claim.ts';
import { BURNING } from './policy.ts';
import { isWatched, type SessionsState } from './state.ts';

type Book = Pick<SessionsState, 'records' | 'burning'>;

/** With what a scan saw; the same object where that changes nothing. */
export function burningNow(book: Book, seen: readonly SeenSession[], now: Instant): SessionsState['burning'] {
  const news = seen.flatMap(({ name, uuid, spending }) => {
    const before = book.burning[name];
    const own = before?.uuid === uuid ? before : undefined;
    const next = spending === undefined ? own : after(own, { uuid, spending, now });
    return next === own || next === undefined ? [] : [[name, next] as const];
  });
  if (news.length === 0) return book.burning;
  const known = Object.entries(book.burning).filter(([name]) => name in book.records);
  return Object.fromEntries([...known, ...news]);
}

interface Look {
  readonly uuid: string;
  readonly spending: Spending;
  readonly now: Instant;
}

/** undefined = not known. */
function after(before: Burn | undefined, { uuid, spending, now }: Look): Burn | undefined {
  const { conversation, tokens, isAtWork, news, repeated, tree } = spending;
  if (isAtWork === null || news === null) return before;
  const isRepeated = repeated !== null && repeated.count >= BURNING.minRepeats;
  if (!isAtWork || !isRepeated) return before?.state === 'calm' ? before : { uuid, state: 'calm' };
  if (tree === null) return before;
  const sign = [conversation, news, tree].join('\n');
  const to = { tokens, calls: repeated.count };
  const isFirst = before === undefined;
  const fresh = { state: 'suspected', uuid, sign, since: now, from: to, to, grewAt: now, call: repeated.call } as const;
  if (isFirst || before.state === 'calm' || before.sign !== sign) return { ...fresh, isFirst };
  const hasGrown = to.calls > before.to.calls && to.tokens > before.to.tokens;
  if (before.state === 'burning' || !hasGrown) return before;
  // One long call, or a wait, is no burning: what comes after it is counted from there.
  if (now - before.grewAt > BURNING.quietMs) return { ...fresh, isFirst: before.isFirst };
  const state = now - before.since >= BURNING.afterMs ? 'burning' : 'suspected';
  return { ...before, state, to, grewAt: now };
}

function claim({ records, burning }: Book): Claim {
  const stands: Standing[] = [];
  const only: string[] = [];
  for (const r of Object.values(records)) {
    if (!isWatched(r)) continue;
    const { name } = r.spec;
    const burn = burning[name];
    const isOfThisLife = burn?.uuid === r.incarnation?.uuid;
    if (burn === undefined || (isOfThisLife && burn.state === 'suspected' && burn.isFirst)) only.push(name);
    else if (isOfThisLife && burn.state === 'burning')
      stands.push({ name, severity: 'high', session: name, text: textOf(name, burn) });
  }
  return { stands, only };
}

function textOf(name: string, { from, to, since, grewAt, call }: Exclude<Burn, { readonly state: 'calm' }>): string {
  const took: Ms = grewAt - since;
  return `${name} used ${countText(to.tokens - from.tokens)} tokens in ${span(took)} and did nothing new: it repeated earlier calls ${to.calls - from.calls} times: ${JSON.stringify(call)}. It wrote nothing new, committed nothing and changed no file. Nothing is ended for that. To end it with its work saved: town session stop ${name}`;
}

export const BURNING_LEVEL: Level<SessionsState> = {
  kind: 'burning',
  subject: { lifeShows: 'anything' },
  asks: (about) => [...attach(about), `town costs ${about.session}`, `town session stop ${about.session}`],
  claim: keptClaim('burning', ['records'], claim),
  ended: (name, { records }) => {
    const r = name === null ? undefined : records[name];
    return r !== undefined && isWatched(r) ? 'It did something new, or its turn ended.' : 'It does not run any more.';
  },
};
