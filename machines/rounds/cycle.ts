/** A witness's cycle under way: what it saw, which acts are left, and what it comes to. Pure. */
import type { Fact } from '../protocol.ts';
import type { ActOutcome, Deed, Patrolled } from '../protocol/patrols.ts';
import { beginActing, nextBatch } from '../witness/acting.ts';
import { standsIn, witnessCycle } from '../witness/cycle.ts';
import { foundBy } from '../witness/cycle-result.ts';
import type { RoundState, UnderWay } from './state.ts';
import { withWatched } from './steps.ts';

/** What a look of a witness leads to. */
export function cycleFor(
  { record }: Pick<RoundState, 'record'>,
  { seen, policies, watched }: Extract<Fact, { type: 'SURVEYED' }>,
): UnderWay {
  const steps = witnessCycle(seen, policies);
  const claims = standsIn(steps, record?.claims ?? null, { seen, policies });
  return { seen, watched, claims, batch: null, ...beginActing(steps) };
}

/** With the next acts that may follow what was done. */
export function cycleAfter(cycle: UnderWay): UnderWay {
  const next = nextBatch(cycle);
  return next === null ? { ...cycle, batch: null, left: [] } : { ...cycle, ...next };
}

/** With what became of the acts under way. */
export function took(cycle: UnderWay, outcomes: readonly ActOutcome[]): UnderWay {
  const step = cycle.batch?.step ?? '';
  return { ...cycle, deeds: [...cycle.deeds, ...outcomes.map((one) => ({ step, ...one }))] };
}

/** What the cycle comes to, with what the town did for the agent that patrols here. */
export function foundIn(
  { policies }: Pick<RoundState, 'policies'>,
  { seen, deeds, watched, claims }: UnderWay,
): Patrolled {
  return withWatched({ ...foundBy(seen, deeds, policies.witness), stands: claims }, watched);
}

/** What follows is another round's: a convoy lands, work that waited or lost its holder is given out. */
const FREES: ReadonlySet<string> = new Set(['close', 'open', 'unhook', 'resolve']);
export const freesWork = (deeds: readonly Deed[]): boolean => deeds.some(({ act, done }) => done && FREES.has(act));

/** It left an escalation, which reaches a person at once. */
const TELLS: ReadonlySet<string> = new Set(['tell', 'fail', 'escalate']);
export const tellsPerson = (outcomes: readonly ActOutcome[]): boolean => outcomes.some(({ act }) => TELLS.has(act));
