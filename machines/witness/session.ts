/**
 * A patrol that an agent does in a session (W-8): tables, without a machine.
 * 1. Its session is started if there never was one; a later end was meant. One that rests for a patrol's pace is woken.
 * 2. If no cycle comes for long, the town patrols itself, in any state of the session: a sleeping agent leaves no
 *    polecat unwatched.
 * 3. When the town patrols again, or the rig goes, the town ends and forgets its session, its work saved first. An end
 *    that came to nothing is ordered again. A later session under its name belongs to its starter.
 * 4. A life whose context is nearly used up hands off to a fresh one; if its screen does not show context use, after so
 *    many cycles.
 */
import type { Ms, WallMs } from '../protocol.ts';
import { STOP_AGAIN_MS, type RoundsPolicy } from '../patrols/policy.ts';
import { times } from '../kernel/span.ts';

export interface AgentPatrolSeen {
  /** `none`: the town knows no session of the name. */
  readonly session: 'lives' | 'ended' | 'none' | 'unknown';
  /** Since the last cycle by agent or town, or since its session was started; null = never. */
  readonly patrolledMs: Ms | null;
  /** Since it was woken last; null = never. */
  readonly wokenMs: Ms | null;
}
export type AgentPatrolAct = 'start' | 'wake' | 'stand_in';

export function agentPatrolActs(
  { session, patrolledMs, wokenMs }: AgentPatrolSeen,
  { wakeAfterMs, standInMs }: Pick<RoundsPolicy, 'standInMs'> & { readonly wakeAfterMs: Ms },
): AgentPatrolAct[] {
  if (session === 'none' && patrolledMs === null) return ['start'];
  const [restedMs, quietMs] = [patrolledMs ?? Infinity, wokenMs ?? Infinity];
  const acts: AgentPatrolAct[] = [];
  if (session === 'none') acts.push('start');
  if (session === 'lives' && Math.min(restedMs, quietMs) >= wakeAfterMs) acts.push('wake');
  if (restedMs >= standInMs) acts.push('stand_in');
  return acts;
}

export interface UnwantedSeen {
  readonly session: AgentPatrolSeen['session'];
  /** When the town started it, and when it was ended for this reason; null = never. */
  readonly startedAt: WallMs | null;
  readonly stoppedAt: WallMs | null;
  /** Since that end was ordered; null = never. */
  readonly stoppedMs: Ms | null;
  /** The life that it has, or had last, is the one that was ended so. */
  readonly isStoppedLife: boolean;
}

/** What becomes of a session that is no longer wanted; null = nothing now. */
export function unwantedAct(seen: UnwantedSeen): 'stop' | 'forget' | null {
  const { session, startedAt, stoppedAt, stoppedMs, isStoppedLife } = seen;
  if (startedAt === null) return null;
  if (session !== 'lives') return session === 'ended' && isStoppedLife ? 'forget' : null;
  const isOrdered = stoppedAt !== null && stoppedAt >= startedAt;
  const isVain = isStoppedLife && stoppedMs !== null && stoppedMs >= STOP_AGAIN_MS;
  return isOrdered && !isVain ? null : 'stop';
}

export interface LifeSeen {
  /** Percent of its context, as its screen says; null = it says nothing of it. */
  readonly contextUsed: number | null;
  /** Cycles of this life. */
  readonly cycles: number;
}

/** Why it hands off now, in words; null = it goes on. */
export function handoffDue(
  { contextUsed, cycles }: LifeSeen,
  { maxContext, maxCycles }: Pick<RoundsPolicy, 'maxContext'> & { readonly maxCycles: number },
): string | null {
  if (contextUsed !== null) return contextUsed > maxContext ? `${contextUsed} % of its context is used` : null;
  return cycles >= maxCycles ? `it did ${times(cycles, 'cycle')}` : null;
}
