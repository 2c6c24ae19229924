/**
 * Steps of the wall clock, and the age of a stored wall time across later steps. Time that really passed is steady: it
 * grows with the monotonic clock, and over a reboot with the wall. A stretch is a time without a step, in which the
 * wall has one distance to it. After a step back the wall shows the same times again. So a time that is asked about is
 * noted before that. Where a time fits two stretches and is not noted, the younger age counts (D-15): no deadline is
 * over by a step.
 */
import type { Ms, Stamp, WallMs } from '../protocol.ts';

export interface Stretch {
  /** Wall minus steady time. */
  readonly ahead: Ms;
  /** Steady; the first stretch begins before all, the last one has not ended. */
  readonly from: Ms | null;
  readonly until: Ms | null;
}

/** A wall time that the wall is to show again, and when it was. */
export interface Noted {
  readonly at: WallMs;
  readonly steady: Ms;
}

export interface WallSteps {
  /** The last look. */
  readonly at: Ms;
  readonly wall: WallMs;
  readonly steady: Ms;
  readonly stretches: readonly Stretch[];
  readonly noted: readonly Noted[];
}

export interface StepPolicy {
  /** A smaller difference is the clock's own drift, or how long a look takes. */
  readonly stepMs: Ms;
  /** The oldest ones beyond these are forgotten. */
  readonly maxStretches: number;
}

/** After one more look. A monotonic clock that is behind began anew: the machine was started again. */
export function lookedAgain(before: WallSteps | null, { at, wall }: Stamp, policy: StepPolicy): WallSteps {
  if (before === null) return { at, wall, steady: wall, stretches: [{ ahead: 0, from: null, until: null }], noted: [] };
  const { noted } = before;
  const passed = at < before.at ? Math.max(0, wall - before.wall) : at - before.at;
  const steady = before.steady + passed;
  const ahead = wall - steady;
  const last = before.stretches.at(-1);
  const isStep = last === undefined || Math.abs(ahead - last.ahead) > policy.stepMs;
  if (!isStep) return { at, wall, steady, stretches: before.stretches, noted };
  const closed = last === undefined ? [] : [{ ...last, until: steady }];
  const all = [...before.stretches.slice(0, -1), ...closed, { ahead, from: before.steady, until: null }];
  const [first, ...rest] = all.slice(-policy.maxStretches);
  return { at, wall, steady, stretches: first === undefined ? rest : [{ ...first, from: null }, ...rest], noted };
}

/** What is written while a round goes on is later than the round's own time by no more than this. */
const ROUND_MS = 5 * 60_000;

interface Then {
  readonly then: Ms;
  readonly isLast: boolean;
}

/** When a wall time was, by each stretch that it fits; by each at all where it fits none. */
function thensOf({ steady, stretches }: WallSteps, at: WallMs): { readonly fits: boolean; readonly thens: Then[] } {
  const thens = stretches.map(({ ahead, from, until }, n) => {
    const then = at - ahead;
    const fits = (from ?? -Infinity) <= then && then <= (until ?? steady + ROUND_MS);
    return { then, fits, isLast: n === stretches.length - 1 };
  });
  const fitting = thens.filter(({ fits }) => fits);
  return fitting.length > 0 ? { fits: true, thens: fitting } : { fits: false, thens };
}

/** The steady time of a wall time: by it two wall times are compared. */
export const steadyOf = (steps: WallSteps, at: WallMs): Ms =>
  steps.noted.find((one) => one.at === at)?.steady ?? Math.max(...thensOf(steps, at).thens.map(({ then }) => then));

/** What is to be noted of a wall time that is asked about: it is of an earlier stretch alone, and the wall has yet to show it again. */
export function toNote(steps: WallSteps, at: WallMs): Noted | null {
  const { fits, thens } = thensOf(steps, at);
  const [one] = thens;
  const isClear = fits && thens.length === 1 && one !== undefined && !one.isLast;
  if (!isClear || at <= steps.wall || steps.noted.some((before) => before.at === at)) return null;
  return { at, steady: one.then };
}

/** How long ago a wall time was, at a wall time of the last stretch. */
export function ageBy(steps: WallSteps, at: WallMs, now: WallMs): Ms {
  return Math.max(0, steps.steady + (now - steps.wall) - steadyOf(steps, at));
}

/** The wall times that a stretch covers. */
export interface WallSpan {
  readonly from: WallMs;
  readonly until: WallMs;
  /** Whether a wall time is of this stretch: some times are in two of them, and those that a step skipped in none. */
  readonly holds: (at: WallMs) => boolean;
}

/** One value for each stretch, the last stretch first. */
export const wallSpans = (steps: WallSteps): readonly WallSpan[] =>
  steps.stretches
    .map(({ ahead, from, until }) => {
      const [since, last] = [from ?? -Infinity, until ?? steps.steady + ROUND_MS];
      const holds = (at: WallMs): boolean => {
        const then = at - ahead;
        return since <= then && then <= last && steadyOf(steps, at) === then;
      };
      return { from: since + ahead, until: last + ahead, holds };
    })
    .toReversed();
