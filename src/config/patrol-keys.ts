/** The keys of `[patrol]` and `[witness]` that tables decide by. */
import { COUNT, bool, command, duration, int, one } from './kinds.ts';
import type { Row } from './triage-keys.ts';

export const PATROL: readonly Row[] = [
  ['redispatch_cooldown', 'redispatchCooldownMs', duration(), 'pause before work that failed is given out again'],
  ['redispatch_attempts', 'redispatchAttempts', COUNT, 'attempts before work has failed and waits for a person'],
  ['breaker_attempts', 'breakerAttempts', COUNT, 'attempts of a rig without a success …'],
  ['breaker_within', 'breakerWithinMs', duration(), '… within this, and it gives nothing out for as long again'],
  ['crash_loop_failures', 'crashLoopFailures', COUNT, "failures of one agent's work …"],
  ['crash_loop_within', 'crashLoopWithinMs', duration(), '… within this, and somebody decides'],
  ['stale_hook', 'staleHookMs', duration(), 'a hook of an agent that nobody knows is freed after this'],
  ['hook_grace', 'hookGraceMs', duration(), 'the hook of a session that the town starts again waits so long'],
  ['escalation_climb', 'escalationClimbMs', duration(), 'an escalation that nobody acknowledged climbs after this …'],
  ['max_climbs', 'maxClimbs', int(0, 3), '… and so often at most'],
  [
    'orphan_grace',
    'orphanGraceMs',
    duration(),
    'what outlives a polecat gets TERM after this, KILL after as long again',
  ],
  ['compact', 'compactMs', duration(), 'wisps that were closed so long ago become a line of a digest'],
  ['undone_cycles', 'undoneCycles', COUNT, 'an act that came to nothing in so many cycles in a row …'],
  ['undone_for', 'undoneForMs', duration(), '… and for so long is told'],
];

export const WITNESS: readonly Row[] = [
  ['mode', 'mode', one('actor', 'session'), 'an actor costs no tokens; a session is an agent for each rig'],
  ['command', 'command', command, 'what the session runs: it finds its task in $TOWN_PROMPT_FILE'],
  ['max_cycles', 'maxCycles', int(1, 1_000_000), 'cycles before it hands off, where its screen tells no context'],
  ['nudge_after', 'nudgeAfterMs', duration(), 'idle for so long: a gentle nudge'],
  ['deadline_after', 'deadlineAfterMs', duration(), 'idle for so long: a nudge with a deadline'],
  ['deadline', 'deadlineMs', duration(), 'the deadline'],
  ['hook_nudge', 'hookNudgeMs', duration(), 'work on a hook that does not move for so long: a nudge …'],
  ['hook_case', 'hookCaseMs', duration(), '… for so long: another one, and somebody decides …'],
  ['hook_stalled', 'hookStalledMs', duration(), '… for so long: it is stalled'],
  ['hung', 'hungMs', duration(), 'without any activity for so long, and not woken by a nudge: somebody decides'],
  ['done_intent', 'doneIntentMs', duration(), 'who began to finish so long ago is finished'],
  [
    'refinery_wait',
    'refineryWaitMs',
    duration(),
    'a merge request waits so long: a nudge, and as long again: somebody decides',
  ],
  ['refinery_start', 'refineryStartMs', duration(), 'a refinery that ended is started again after this'],
  ['push', 'push', bool, 'unpushed commits on its own branch are pushed before a polecat goes'],
  ['max_cleanups', 'maxCleanups', COUNT, 'more open cleanups in a rig are told'],
  ['merge_wait', 'mergeWaitMs', duration(), 'waiting for MERGED so long is a case for somebody'],
  ['start_grace', 'startGraceMs', duration(), 'an agent just started is not judged'],
  ['deacon_silent', 'deaconSilentMs', duration(), 'a Deacon past its due beat by this is told'],
];
