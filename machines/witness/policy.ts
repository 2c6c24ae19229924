/** The numbers of a witness's patrol, with unit and reason. Input of every decision that uses them. */
const MINUTE = 60_000;

export const WITNESS = {
  /** W-8: an actor costs no tokens; a session is an agent for each rig. */
  mode: 'actor' as 'actor' | 'session',
  /** W-8: what the session runs; null = only rigs that name a command of their own have one. */
  command: null as readonly string[] | null,
  /** W-8: cycles of a life before it hands off, where its screen does not tell its context. */
  maxCycles: 50,
  /** W-4: running and idle for so long gets a gentle nudge … */
  nudgeAfterMs: 5 * MINUTE,
  /** … and for so long one with a deadline. */
  deadlineAfterMs: 15 * MINUTE,
  /** Law 5: a nudge that was refused is tried again after this, not before. */
  nudgeAgainMs: 5 * MINUTE,
  /** W-4: without progress for so long after that, a case opens. */
  deadlineMs: 10 * MINUTE,
  /** P-4: work on a hook that does not move for so long is nudged, … */
  hookNudgeMs: 30 * MINUTE,
  /** … for so long, nudged again and a case, … */
  hookCaseMs: 60 * MINUTE,
  /** … for so long, stalled. */
  hookStalledMs: 120 * MINUTE,
  /** P-3: without any activity for so long, and not woken by a nudge: a case opens. */
  hungMs: 30 * MINUTE,
  /** P-3: one that began to finish so long ago is finished by the witness. */
  doneIntentMs: 1 * MINUTE,
  /** W-3: the oldest merge request waits for so long: a nudge; for as long again: a case. */
  refineryWaitMs: 30 * MINUTE,
  /** W-3: a refinery that ends twice within this of its starts is started again after it, not before. */
  refineryStartMs: 5 * MINUTE,
  /** W-2: unpushed commits on its own branch are pushed before a polecat is nuked. */
  push: true,
  /** W-2: more open cleanups in a rig raise one alert. */
  maxCleanups: 5,
  /** W-2: waiting for MERGED for so long goes to triage. */
  mergeWaitMs: 24 * 60 * MINUTE,
  /** a done_check without a result runs again after this: a person has to change something. */
  checkAgainMs: 10 * MINUTE,
  /** P-2: the remote is asked so often whether its main branch has what waits for a merge. A fetch costs a connection. */
  mergePollMs: 1 * MINUTE,
  /** P-3: a remote that answers nothing for so long is away: shorter faults pass before anything fails by them. */
  remoteAwayMs: 5 * MINUTE,
  /** P-3: an agent that was just started is no zombie. */
  startGraceMs: 3 * MINUTE,
  /** W-1: letters of one sender that a witness handles in an hour; a busy refinery writes a fifth of that. */
  lettersPerHour: 300,
  /** W-6: a Deacon past its due beat by this raises one alert. */
  deaconSilentMs: 5 * MINUTE,
};
export type WitnessPolicy = Readonly<typeof WITNESS>;
