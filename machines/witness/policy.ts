/** The numbers of a witness's patrol, with unit and reason. Input of whoever decides by them. */
import type { Ms } from '../protocol.ts';

export interface WitnessPolicy {
  /** W-8: an actor costs no tokens; a session is an agent for each rig. */
  readonly mode: 'actor' | 'session';
  /** W-8: what the session runs; null = only rigs that name a command of their own have one. */
  readonly command: readonly string[] | null;
  /** W-8: cycles of a life before it hands off, where its screen does not tell its context. */
  readonly maxCycles: number;
  /** W-4: running and idle for so long gets a gentle nudge … */
  readonly nudgeAfterMs: Ms;
  /** … and for so long one with a deadline. */
  readonly deadlineAfterMs: Ms;
  /** W-4: without progress for so long after that, somebody decides. */
  readonly deadlineMs: Ms;
  /** P-4: work on a hook that does not move for so long is nudged, … */
  readonly hookNudgeMs: Ms;
  /** … for so long, nudged again and a case for somebody, … */
  readonly hookCaseMs: Ms;
  /** … for so long, stalled. */
  readonly hookStalledMs: Ms;
  /** P-3: without activity of any kind for so long, and a nudge wakes it not: somebody decides. */
  readonly hungMs: Ms;
  /** P-3: one that began to finish so long ago is finished by the witness. */
  readonly doneIntentMs: Ms;
  /** W-3: the oldest merge request waits for so long: a nudge; for as long again: somebody decides. */
  readonly refineryWaitMs: Ms;
  /** W-3: a refinery that ended is started again after this, not before. */
  readonly refineryStartMs: Ms;
  /** W-2: unpushed commits on its own branch are pushed before a polecat is nuked. */
  readonly push: boolean;
  /** W-2: more open cleanups in a rig raise one alert. */
  readonly maxCleanups: number;
  /** W-2: waiting for MERGED for so long goes to triage. */
  readonly mergeWaitMs: Ms;
  /** P-3: an agent that was just started is no zombie. */
  readonly startGraceMs: Ms;
  /** W-6: a Deacon past its due beat by this raises one alert. */
  readonly deaconSilentMs: Ms;
}

const MINUTE = 60_000;

export const WITNESS: WitnessPolicy = {
  mode: 'actor',
  command: null,
  maxCycles: 50,
  nudgeAfterMs: 5 * MINUTE,
  deadlineAfterMs: 15 * MINUTE,
  deadlineMs: 10 * MINUTE,
  hookNudgeMs: 30 * MINUTE,
  hookCaseMs: 60 * MINUTE,
  hookStalledMs: 120 * MINUTE,
  hungMs: 30 * MINUTE,
  doneIntentMs: 1 * MINUTE,
  refineryWaitMs: 30 * MINUTE,
  refineryStartMs: 5 * MINUTE,
  push: true,
  maxCleanups: 5,
  mergeWaitMs: 24 * 60 * MINUTE,
  startGraceMs: 3 * MINUTE,
  deaconSilentMs: 5 * MINUTE,
};
