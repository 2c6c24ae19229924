/** The numbers of the patrols, with unit and reason. Input of every decision that uses them. */
const MINUTE = 60_000;

/** Alerts of one kind of a patrol that are sent by name; further ones become one alert with a count. */
export const MAX_ALIKE = 5;

/** Acts that came to nothing and are remembered: beyond these something larger is wrong. */
export const MAX_TRIED = 50;

/** Senders whose letters are counted in an hour. */
export const MAX_SENDERS = 1_000;

/** What one agent may escalate as things of their own: an agent that is stuck escalates once or twice an hour. */
export const ESCALATION_BUDGET = { count: 10, withinMs: 60 * MINUTE };

/** P-8: beads for their own rig that its agents make and the town gives out unasked: each starts a session. */
export const BEAD_BUDGET = { count: 10, withinMs: 60 * MINUTE };

/** Beads on the hook of one agent: one is what it works on, and an epic has a few parts. */
export const MAX_HELD = 10;

/** Beads that wait for the operator's yes, which the alert names; it counts all. */
export const MAX_ASKED = 5;

/** What patrols of a running town go by, beside the Deacon's pace. */
export const ROUNDS = {
  /** Law 7: cycles in a row that come to nothing before a person is told. */
  maxFailures: 3,
  /** W-8: no cycle for so long of an agent that patrols: the town does it meanwhile. Longer than any cycle of a model takes. */
  standInMs: 15 * MINUTE,
  /** W-8: percent of its context; an agent that used more hands off to a fresh one. */
  maxContext: 80,
};
export type RoundsPolicy = Readonly<typeof ROUNDS>;

/**
 * W-8: after this (ms) the town orders the end of an unwanted session again. A person at its keys suspends an end for ten minutes, then
 * the hearing gives it up; a person who is done within the hour meets one order more.
 */
export const STOP_AGAIN_MS = 60 * MINUTE;

/** P-14: a new case wakes the Deacon's round within this (ms), since its reasoner starts within 15 s; the rest is for the start itself. */
export const CASE_MS = 5_000;

export const PATROL = {
  /** P-8: pause before work whose last attempt failed is given out again. */
  redispatchCooldownMs: 5 * MINUTE,
  /** P-8: attempts before the work has failed and a person is told. */
  redispatchAttempts: 3,
  /** P-8: attempts without one success … */
  breakerAttempts: 20,
  /** … within this stop dispatch in a rig; after as long again one attempt tries whether it works again. */
  breakerWithinMs: 30 * MINUTE,
  /** P-12: failures of one agent's work … */
  crashLoopFailures: 3,
  /** … within this are a crash loop: triage decides instead of another attempt. */
  crashLoopWithinMs: 30 * MINUTE,
  /** P-9: a hook without anybody at it is freed after this. */
  staleHookMs: 60 * MINUTE,
  /** P-16: between the first look at an orphan and TERM, and between TERM and KILL. */
  orphanGraceMs: 1 * MINUTE,
  /** P-16: wisps that were closed so long ago are compacted. */
  compactMs: 7 * 24 * 60 * MINUTE,
  /** Law 7: an act that came to nothing in so many cycles in a row … */
  undoneCycles: 3,
  /** … and for so long, since three cycles of a busy rig are less than a minute, is told to a person. */
  undoneForMs: 15 * MINUTE,
};
export type PatrolPolicy = Readonly<typeof PATROL>;

/** What a witness claims to stand for a person, kept in the record of its rig. */
export const CLAIMS = {
  /** Of one kind in one rig: a person reads a few by name, and a count of the others. */
  ofKind: 50,
  /** Characters of one: a sentence and a command, and the record stays small. */
  maxText: 2_000,
} as const;
