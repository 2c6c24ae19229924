/** The keys of `[triage]`; and the shape of such a list. */
import { COUNT, command, duration, int, one, type Kind } from './kinds.ts';

/** `to`: its place below that of its section in `Settings`. `env`: further environment variables. */
export type Row = readonly [key: string, to: string, kind: Kind, reason: string, env?: readonly string[]];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const TRIAGE: readonly Row[] = [
  [
    'reasoner',
    'policy.reasoner',
    one('none', 'command'),
    'who decides what no rule does; a person where nobody else may',
  ],
  ['command', 'command', command, 'the reasoner: it finds its question in $TOWN_PROMPT_FILE'],
  ['max_cases', 'policy.maxCases', int(1, 100), 'cases that one run is shown, the oldest'],
  ['max_open', 'policy.maxOpen', COUNT, 'open cases of a rig before further ones are for a person'],
  [
    'again_after',
    'policy.againAfterMs',
    duration(),
    'the same is asked of an agent again so long after it was decided',
  ],
  ['mayors', 'policy.mayorsMs', duration(), 'what the mayor was told of is asked again so long after that'],
  ['cooldown', 'policy.cooldownMs', duration(), 'pause after a run that decided nothing'],
  ['deadline', 'policy.deadlineMs', duration(100, HOUR), 'a run is ended after this'],
  ['max_runs', 'policy.maxRuns', int(0, 10_000), 'runs in 24 hours'],
  ['breaker_failures', 'policy.breakerFailures', COUNT, 'so many runs in a row that decided nothing …'],
  ['breaker_rest', 'policy.breakerRestMs', duration(), '… and there is none for so long'],
  ['max_tries', 'policy.maxTries', COUNT, 'runs that leave a case open before it is for a person'],
  ['person_after', 'policy.personAfterMs', duration(), 'a case open for so long is for a person'],
  ['backoff', 'policy.backoffMs', duration(), 'work of RESTART_WITH_BACKOFF waits so long, doubled each time …'],
  ['max_backoff', 'policy.maxBackoffMs', duration(), '… up to this'],
  ['kill_grace', 'hands.killGraceMs', duration(10, MINUTE), 'between TERM and KILL of a reasoner'],
  ['max_output', 'hands.maxOutputBytes', int(1_024, 10_000_000), 'bytes of what a reasoner prints that are kept'],
  ['max_case', 'hands.maxCaseBytes', int(256, 1_000_000), 'bytes of a case in its question'],
  ['max_calls', 'hands.maxCalls', int(1, 10_000), 'calls of its tools in a run'],
];
