/** The numbers of the patrols, with unit and reason. Input of whoever decides by them. */
import type { Ms } from '../protocol.ts';

export interface PatrolPolicy {
  /** P-8: pause before work whose last attempt failed is given out again. */
  readonly redispatchCooldownMs: Ms;
  /** P-8: attempts before the work has failed and a person is told. */
  readonly redispatchAttempts: number;
  /** P-8: attempts without one success … */
  readonly breakerAttempts: number;
  /** … within this stop dispatch in a rig; after as long again one attempt tries whether it works again. */
  readonly breakerWithinMs: Ms;
  /** P-12: failures of one agent's work … */
  readonly crashLoopFailures: number;
  /** … within this are a crash loop, which is decided by somebody instead of another attempt. */
  readonly crashLoopWithinMs: Ms;
  /** P-9: a hook without anybody at it is freed after this. */
  readonly staleHookMs: Ms;
  /** P-5: the town starts a session that died again, which may take the work up where it was; so long its hook waits. */
  readonly hookGraceMs: Ms;
  /** P-11: an escalation that nobody acknowledged climbs a step after this … */
  readonly escalationClimbMs: Ms;
  /** … and so often at most. */
  readonly maxClimbs: number;
  /** P-16: between the first look at an orphan and TERM, and between TERM and KILL. */
  readonly orphanGraceMs: Ms;
  /** P-16: wisps that were closed so long ago are compacted. */
  readonly compactMs: Ms;
  /** Law 7: an act that came to nothing in so many cycles in a row … */
  readonly undoneCycles: number;
  /** … and for so long, since three cycles of a busy rig are less than a minute, is told to a person. */
  readonly undoneForMs: Ms;
}

/** What patrols of a running town go by, beside the Deacon's pace. */
export interface RoundsPolicy {
  /** Law 7: cycles in a row that come to nothing before a person is told. */
  readonly maxFailures: number;
  /** W-8: no cycle for so long of an agent that patrols: the town does it meanwhile. Longer than any cycle of a model takes. */
  readonly standInMs: Ms;
  /** W-8: percent of its context; an agent that used more hands off to a fresh one. */
  readonly maxContext: number;
}

const MINUTE = 60_000;

export const ROUNDS: RoundsPolicy = { maxFailures: 3, standInMs: 15 * MINUTE, maxContext: 80 };

export const PATROL: PatrolPolicy = {
  redispatchCooldownMs: 5 * MINUTE,
  redispatchAttempts: 3,
  breakerAttempts: 20,
  breakerWithinMs: 30 * MINUTE,
  crashLoopFailures: 3,
  crashLoopWithinMs: 30 * MINUTE,
  staleHookMs: 60 * MINUTE,
  hookGraceMs: 10 * MINUTE,
  escalationClimbMs: 4 * 60 * MINUTE,
  maxClimbs: 3,
  orphanGraceMs: 1 * MINUTE,
  compactMs: 7 * 24 * 60 * MINUTE,
  undoneCycles: 3,
  undoneForMs: 15 * MINUTE,
};
