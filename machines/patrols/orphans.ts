/**
 * What becomes of processes that outlive an agent which is not started again (P-16): a table, without a machine. Only such as are
 * proved to be of that life come here.
 * 1. Each is seen twice before it gets a signal, then TERM, then KILL, a grace apart; one that outlives that is told.
 * 2. Unasked only those of polecats end: what works in a worktree that is to go is in its way. All others where the configuration
 *    wants survivors ended.
 */
import type { Ms } from '../protocol.ts';
import type { PatrolPolicy } from './policy.ts';

export interface OrphanSeen {
  /** The same process in every cycle. */
  readonly key: string;
  readonly isPolecats: boolean;
  /** What was done to it last, and how long ago; null = it is new. */
  readonly last: { readonly did: OrphanDid; readonly agoMs: Ms } | null;
}

export type OrphanDid = 'saw' | 'TERM' | 'KILL' | 'told';

const NEXT: Readonly<Record<OrphanDid, OrphanDid | null>> = { saw: 'TERM', TERM: 'KILL', KILL: 'told', told: null };

/** What is done to it now; null = nothing. */
export function orphanAct(
  { isPolecats, last }: Pick<OrphanSeen, 'isPolecats' | 'last'>,
  { orphanGraceMs }: Pick<PatrolPolicy, 'orphanGraceMs'>,
  survivors: 'tell' | 'end',
): OrphanDid | null {
  if (!isPolecats && survivors === 'tell') return null;
  if (last === null) return 'saw';
  return last.agoMs >= orphanGraceMs ? NEXT[last.did] : null;
}
