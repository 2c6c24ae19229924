/** The keys of `[patrol]`, `[witness]` and `[triage]` that tables decide by; and the shape of such a list. */
import { COUNT, bool, command, duration, int, one, type Kind } from './kinds.ts';

/**
 * `to`: its place in its section of `Settings`, where that is not the key itself in camelCase, with `Ms` behind a duration.
 * `env`: further environment variables.
 */
export type Row = readonly [
  key: string,
  kind: Kind,
  reason: string,
  more?: { readonly to?: string; readonly env?: readonly string[] },
];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const PATROL: readonly Row[] = [
  ['redispatch_cooldown', duration(), 'pause before work that failed is given out again'],
  ['redispatch_attempts', COUNT, 'attempts before work has failed and waits for a person'],
  ['breaker_attempts', COUNT, 'attempts of a rig without a success …'],
  ['breaker_within', duration(), '… within this, and it gives nothing out for as long again'],
  ['crash_loop_failures', COUNT, "failures of one agent's work …"],
  ['crash_loop_within', duration(), '… within this are a case for triage'],
  ['stale_hook', duration(), 'the hook of an unknown agent is freed after this'],
  ['escalation_climb', duration(), 'an escalation without acknowledgement climbs after this …'],
  ['max_climbs', int(0, 3), '… and so often at most'],
  ['orphan_grace', duration(), 'a process that outlives a polecat gets TERM after this, KILL after as long again'],
  ['compact', duration(), 'wisps that were closed so long ago become a line of a digest'],
  ['undone_cycles', COUNT, 'an act that came to nothing in so many cycles in a row …'],
  ['undone_for', duration(), '… and for so long raises an alert'],
];

export const WITNESS: readonly Row[] = [
  ['mode', one('actor', 'session'), 'an actor costs no tokens; a session is an agent for each rig'],
  ['command', command, 'command of the session: it finds its task in $TOWN_PROMPT_FILE'],
  ['max_cycles', int(1, 1_000_000), 'cycles before it hands off, if its screen does not show context use'],
  ['nudge_after', duration(), 'idle for so long: a gentle nudge'],
  ['deadline_after', duration(), 'idle for so long: a nudge with a deadline'],
  ['nudge_again', duration(), 'a nudge that was refused is tried again after this'],
  ['deadline', duration(), 'the deadline'],
  ['hook_nudge', duration(), 'work on a hook that does not move for so long: a nudge …'],
  ['hook_case', duration(), '… for so long: another one, and a case for triage …'],
  ['hook_stalled', duration(), '… for so long: it is stalled'],
  ['hung', duration(), 'without any activity for so long, and not woken by a nudge: a case for triage'],
  ['done_intent', duration(), 'a polecat that began to finish so long ago is finished'],
  ['refinery_wait', duration(), 'a merge request waits so long: a nudge, and as long again: a case for triage'],
  ['refinery_start', duration(), 'a refinery that ended is started again after this'],
  ['push', bool, 'unpushed commits on its own branch are pushed before a polecat goes'],
  ['max_cleanups', COUNT, 'more open cleanups in a rig raise an alert'],
  ['merge_wait', duration(), 'waiting for MERGED so long is a case for triage'],
  ['start_grace', duration(), 'an agent just started is not judged'],
  ['deacon_silent', duration(), 'a Deacon past its due beat by this raises an alert'],
];

export const TRIAGE: readonly Row[] = [
  ['max_cases', int(1, 100), 'cases that one run is shown, the oldest'],
  ['max_open', COUNT, 'open cases of a rig before further ones are for a person'],
  ['again_after', duration(), 'the same is asked of an agent again so long after it was decided'],
  ['mayors', duration(), 'a case passed to the mayor is asked again so long after that'],
  ['cooldown', duration(), 'pause after a run that decided nothing'],
  ['deadline', duration(100, HOUR), 'a run is ended after this'],
  ['max_runs', int(0, 10_000), 'runs in 24 hours'],
  ['breaker_failures', COUNT, 'so many runs in a row that decided nothing …'],
  ['breaker_rest', duration(), '… and there is none for so long'],
  ['max_tries', COUNT, 'runs that leave a case open before it is for a person'],
  ['person_after', duration(), 'a case open for so long is for a person'],
  ['backoff', duration(), 'work of RESTART_WITH_BACKOFF waits so long, doubled each time …'],
  ['max_backoff', duration(), '… up to this'],
];

export const TRIAGE_HANDS: readonly Row[] = [
  ['kill_grace', duration(10, MINUTE), 'between TERM and KILL of a reasoner'],
  ['max_output', int(1_024, 10_000_000), 'bytes kept of the output of a reasoner', { to: 'maxOutputBytes' }],
  ['max_case', int(256, 1_000_000), 'bytes of a case in its question', { to: 'maxCaseBytes' }],
  ['max_calls', int(1, 10_000), 'calls of its tools in a run'],
];
