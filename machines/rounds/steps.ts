/**
 * The Deacon's round over the whole town: its steps, as orders that are given one after another. A step that fails neither stops nor
 * hides another; the cycle came to nothing then, and says which step failed. Pure.
 */
import { hasChanged } from '../patrols/changes.ts';
import type { Fact } from '../protocol.ts';
import {
  TOWN_STEPS,
  type Deed,
  type Patrolled,
  type PatrolRecord,
  type TownStep,
  type Wanted,
} from '../protocol/patrols.ts';

export interface Steps {
  /** What the town did for the agent that patrols here. */
  readonly watched: readonly Deed[];
  /** The first of them is under way, where nothing is wanted. */
  readonly left: readonly TownStep[];
  /** What steps want done; the first is under way. */
  readonly wants: readonly (Wanted & { readonly step: TownStep })[];
  readonly deeds: readonly Deed[];
  readonly observed: Patrolled['observed'];
  readonly isActive: boolean;
  /** Steps that came to nothing, each with why. */
  readonly failed: readonly string[];
  /** As of the record: a step that came to nothing changes neither. */
  readonly memory: PatrolRecord['memory'];
  readonly stands: PatrolRecord['stands'];
}

const NONE = { wants: [], deeds: [], observed: {}, isActive: false, failed: [], memory: {}, stands: {} } as const;

/** `record`: of the cycle before; null = there was none. */
export function beginSteps(watched: readonly Deed[], record: Pick<PatrolRecord, 'memory' | 'stands'> | null): Steps {
  const { memory, stands } = record ?? NONE;
  return { ...NONE, watched, left: TOWN_STEPS, memory, stands };
}

/** With the outcome of what is under way. */
export function afterStep(steps: Steps, fact: Fact): Steps {
  const [wanted, ...wants] = steps.wants;
  if (wanted !== undefined) {
    const left = fact.type === 'ACTED' && fact.isMore === true ? steps.wants : wants;
    return { ...steps, wants: left, deeds: [...steps.deeds, ...begunBy(wanted, fact)] };
  }
  const [step, ...left] = steps.left;
  if (step === undefined) return steps;
  if (fact.type === 'ORDER_FAILED') return { ...steps, left, failed: [...steps.failed, `${step}: ${fact.why}`] };
  if (fact.type !== 'STEP_DONE') return steps;
  return {
    ...steps,
    left,
    deeds: [...steps.deeds, ...fact.outcomes.map((one) => ({ step, ...one }))],
    observed: { ...steps.observed, ...fact.observed },
    isActive: steps.isActive || fact.isActive,
    memory: fact.memory === undefined ? steps.memory : { ...steps.memory, [step]: fact.memory },
    wants: (fact.wants ?? []).map((one) => ({ step, ...one })),
    stands: fact.stands === undefined ? steps.stands : { ...steps.stands, [step]: fact.stands },
  };
}

function begunBy({ step, act, about }: Steps['wants'][number], fact: Fact): Deed[] {
  if (fact.type === 'ORDER_FAILED') return [{ step, act, about, done: false, text: fact.why }];
  return fact.type === 'ACTED' ? fact.outcomes.map((one) => ({ step, ...one })) : [];
}

/** Nothing of the round is left to be done. */
export const isThrough = ({ left, wants }: Steps): boolean => left.length + wants.length === 0;

/** What the round comes to: a reason where a step came to nothing. */
export function foundBySteps({ watched, deeds, observed, isActive, failed }: Steps): Patrolled | string {
  if (failed.length > 0) return failed.join('; ');
  const found = { observed, deeds, stranded: [], isActive: isActive || hasChanged(deeds), isPaused: false };
  return withWatched(found, watched);
}

/** The town does this cycle in the place of an agent: it says so, and looks again soon. */
export function withWatched(found: Patrolled, watched: readonly Deed[]): Patrolled {
  if (watched.length === 0) return found;
  const observed = { ...found.observed, stands_in: 1 };
  return { ...found, observed, deeds: [...watched, ...found.deeds], isActive: true };
}
