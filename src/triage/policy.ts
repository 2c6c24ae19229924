/** How long and how large a run of the reasoner may be. */
export const TRIAGE_HANDS = {
  /** Between TERM and KILL, once its time is over or it has ended and left something behind. */
  killGraceMs: 5_000,
  /** Bytes of what it prints that are kept; it may print more. */
  maxOutputBytes: 65_536,
  /** Bytes of a case's text in the prompt. */
  maxCaseBytes: 16_384,
  /** Calls of its tools in a run; a reasoner that goes round in circles is refused more. */
  maxCalls: 200,
};
export type TriageHandsPolicy = Readonly<typeof TRIAGE_HANDS>;

/** What was chosen and is not done yet keeps the patrol at the pace of work for so long (ms); later the patrol looks at its idle pace. */
export const FRESH_CHOICE_MS = 10 * 60_000;

/** What a run leaves on record, in signs. */
export const TRIAGE_RECORDS = {
  /** Words of the decider. */
  maxNote: 2_000,
  /** Of a call: what it was called with, and what came of it. */
  maxCall: 2_000,
  /** The end of what a reasoner printed. */
  maxOutput: 4_000,
  /** Lines of each thing that is told of a case. */
  maxLines: 60,
} as const;
