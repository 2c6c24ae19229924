/**
 * Steps of the wall clock, and the age of a stored wall time across later steps. Time that really passed is steady: it
 * grows with the monotonic clock, and over a reboot with the wall. A stretch is a time without a step, in which the
 * wall has one distance to it. Where a wall time fits two stretches the younger age counts (D-15): no deadline is over
 * by a step.
 */
import type { Ms, Stamp, WallMs } from '../protocol.ts';

export interface Stretch {
  /** Wall minus steady time. */
  readonly ahead: Ms;
  /** Steady; the first stretch begins before all, the last one has not ended. */
  readonly from: Ms | null;
  readonly until: Ms | null;
}

export interface WallSteps {
  /** The last look. */
  readonly at: Ms;
  readonly wall: WallMs;
  readonly steady: Ms;
  readonly stretches: readonly Stretch[];
}

export interface StepPolicy {
  /** A smaller difference is the clock's own drift, or how long a look takes. */
  readonly stepMs: Ms;
  /** The oldest ones beyond these are forgotten. */
  readonly maxStretches: number;
}

/** After one more look. A monotonic clock that is behind began anew: the machine was started again. */
export function lookedAgain(before: WallSteps | null, { at, wall }: Stamp, policy: StepPolicy): WallSteps {
  if (before === null) return { at, wall, steady: wall, stretches: [{ ahead: 0, from: null, until: null }] };
  const passed = at < before.at ? Math.max(0, wall - before.wall) : at - before.at;
  const steady = before.steady + passed;
  const ahead = wall - steady;
  const last = before.stretches.at(-1);
  const isStep = last === undefined || Math.abs(ahead - last.ahead) > policy.stepMs;
  if (!isStep) return { at, wall, steady, stretches: before.stretches };
  const closed = last === undefined ? [] : [{ ...last, until: steady }];
  const all = [...before.stretches.slice(0, -1), ...closed, { ahead, from: before.steady, until: null }];
  const [first, ...rest] = all.slice(-policy.maxStretches);
  return { at, wall, steady, stretches: first === undefined ? rest : [{ ...first, from: null }, ...rest] };
}

/** What is written while a round goes on is later than the round's own time by no more than this. */
const ROUND_MS = 5 * 60_000;

/** The steady time of a wall time: by it two wall times are compared. */
export function steadyOf({ steady, stretches }: WallSteps, at: WallMs): Ms {
  const thens = stretches.map(({ ahead, from, until }) => {
    const then = at - ahead;
    return { then, fits: (from ?? -Infinity) <= then && then <= (until ?? steady + ROUND_MS) };
  });
  const fitting = thens.filter(({ fits }) => fits);
  return Math.max(...(fitting.length > 0 ? fitting : thens).map(({ then }) => then));
}

/** How long ago a wall time was, at a wall time of the last stretch. */
export function ageBy(steps: WallSteps, at: WallMs, now: WallMs): Ms {
  return Math.max(0, steps.steady + (now - steps.wall) - steadyOf(steps, at));
}

/** What the wall showed in each stretch, the last one first. Some times are in two of them, and those that a step skipped in none. */
export const wallSpans = ({ stretches, steady }: WallSteps): readonly WallSpan[] =>
  stretches
    .map(({ ahead, from, until }) => ({
      from: from === null ? -Infinity : from + ahead,
      until: (until ?? steady + ROUND_MS) + ahead,
    }))
    .toReversed();

export interface WallSpan {
  readonly from: WallMs;
  readonly until: WallMs;
}
