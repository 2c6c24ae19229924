/**
 * What becomes of processes that outlive an agent which is not started again (P-16): a table, without a machine. Only such as are
 * proved to be of that life come here.
 * 1. Each is seen twice before it gets a signal, then TERM, then KILL, a grace apart; one that outlives that is told.
 * 2. Unasked those of sessions end that patrols started: of polecats, in whose worktrees they are in the way, refineries and witnesses.
 *    All others where the configuration wants survivors ended.
 */
import type { Ms } from '../protocol.ts';
import type { PatrolPolicy } from './policy.ts';

interface OrphanSeen {
  /** A patrol started its session. */
  readonly isPatrols: boolean;
  /** What was done to it last, and how long ago; null = it is new. */
  readonly last: { readonly did: OrphanDid; readonly agoMs: Ms } | null;
}

export type OrphanDid = 'saw' | 'TERM' | 'KILL' | 'told';

const NEXT: Readonly<Record<OrphanDid, OrphanDid | null>> = { saw: 'TERM', TERM: 'KILL', KILL: 'told', told: null };

/** What is done to it now; null = nothing. */
export function orphanAct(
  { isPatrols, last }: OrphanSeen,
  { orphanGraceMs }: Pick<PatrolPolicy, 'orphanGraceMs'>,
  survivors: 'tell' | 'end',
): OrphanDid | null {
  if (!isPatrols && survivors === 'tell') return null;
  if (last === null) return 'saw';
  return last.agoMs >= orphanGraceMs ? NEXT[last.did] : null;
}
