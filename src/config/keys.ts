/**
 * Every key of town.toml, once: its path, kind, default, reason, where it lands in `Settings` and who reads it. Defaults stand
 * in the policies; this table only names their place. A key comes with its reader.
 */
import { formatDuration } from './duration.ts';
import {
  COUNT,
  PORT,
  bool,
  command,
  duration,
  int,
  list,
  name,
  number,
  one,
  socket,
  text,
  windows,
  type Kind,
} from './kinds.ts';
import { PATROL, TRIAGE, TRIAGE_HANDS, WITNESS, type Row } from './rows.ts';
import { RIGS } from '../../machines/rigs/policy.ts';
import { DEFAULTS, at } from './settings.ts';

export interface Key {
  /** As in town.toml: `dance.pool_size`, `rig.*.agent`, `agents.*.name`. */
  readonly path: string;
  readonly kind: Kind;
  /** As one would write it; null = not set. */
  readonly default: unknown;
  readonly reason: string;
  /** Place in `Settings`, such as `policy.dance.poolSize`. */
  readonly to: string;
  /** Who decides by it. */
  readonly reader: string;
  /** Environment variables, strongest first. */
  readonly env: readonly string[];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const BYTES = int(1_024, 100_000_000_000);

/** `TOWN_DANCE_POOL_SIZE`; keys with a name in their path have none. */
function envOf(path: string): string[] {
  return path.includes('*') ? [] : [`TOWN_${path.replaceAll('.', '_').toUpperCase()}`];
}

function asWritten(kind: Kind, value: unknown): unknown {
  if (kind.is === 'duration') return formatDuration(Number(value));
  if (kind.is === 'windows') return (value as number[]).map(formatDuration);
  return value;
}

/** `pool_size` lands in `poolSize`, and `term_grace`, a duration, in `termGraceMs`. */
function placeOf(key: string, { is }: Kind): string {
  const place = key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return is === 'duration' || is === 'windows' ? `${place}Ms` : place;
}

function section(name: string, place: string, reader: string, rows: readonly Row[]): Key[] {
  return rows.map(([key, kind, reason, more]) => {
    const path = `${name}.${key}`;
    const to = `${place}.${more?.to ?? placeOf(key, kind)}`;
    const env = [...envOf(path), ...(more?.env ?? [])];
    return { path, kind, default: asWritten(kind, at(DEFAULTS, to)), reason, to, reader, env };
  });
}

type TableRow = readonly [key: string, kind: Kind, byDefault: unknown, reason: string];

/** Keys of a table that each has a name which a person chose. */
const tablesOf = (section: string, reader: string, rows: readonly TableRow[]): Key[] =>
  rows.map(([key, kind, byDefault, reason]) => {
    const path = `${section}.*.${key}`;
    return { path, kind, default: byDefault, reason, to: path, reader, env: [] };
  });

/** Keys of each `[[agents]]` entry: they land in `Settings.agents`. */
const AGENTS: readonly Key[] = tablesOf('agents', 'session supervisor', [
  ['name', name, null, 'the session, as in `town session start`'],
  ['command', command, null, 'command that it runs'],
  ['dir', text, null, 'its folder; the root by default'],
  ['tags', list, [], 'its tags, such as worker'],
  ['restart', one('permanent', 'transient', 'temporary'), 'transient', 'whether its end restarts it'],
  ['env', list, [], 'names of variables whose values it gets, as `town up` or `town session start` has them'],
]);

/** Keys of each `[rig.<name>]` table: they land in `Settings.rigs`, under the name that they have here. */
const RIG: readonly Key[] = tablesOf('rig', 'polecats', [
  [
    'agent',
    command,
    null,
    'command of its polecats, unless their start gives one: each finds its task in $TOWN_PROMPT_FILE',
  ],
  ['witness', command, null, 'command of its witness, if [witness] mode is session'],
  ['refinery', command, null, 'command that merges its branches: it is started while merge requests wait'],
  ['max_polecats', int(1, 100), RIGS.maxPolecats, 'polecats of the rig at once'],
]);

/** The table. */
export const KEYS: readonly Key[] = [
  ...section('town', 'town', 'command line, intake', [
    ['protected', list, 'globs of session names that only an operator touches, with --force'],
  ]),
  ...section('tmux', 'tmux', 'tmux', [
    ['socket', socket, 'two sockets are two worlds: one is pinned and a mismatch refused'],
  ]),
  ...section('notify', 'notify', 'alerts', [
    ['command', command, 'gets each message for the overseer as JSON on stdin'],
  ]),
  ...section('dance', 'policy.dance', 'kennel and dogs', [
    ['pool_size', int(1, 20), 'hearings at once; the rest queue', { env: ['GT_DOG_POOL_SIZE'] }],
    ['windows', windows, 'how long each question waits for its answer'],
    ['pardon_on', one('evidence', 'answer'), 'whether signs of life pardon, or only an answer'],
    ['look_every', duration(50, MINUTE), 'an answer ends a window early'],
    ['max_per_look', duration(50, 5 * MINUTE), 'the most that counts between two looks that saw'],
    ['retry', duration(10, HOUR), 'before an undelivered question is tried again'],
    ['undeliverable', duration(), 'undeliverable for so long, a person decides'],
    ['person', duration(), 'a person at the keys for so long decides'],
    ['gone_again', duration(), 'gone is seen twice, this far apart'],
    ['term_grace', duration(10, HOUR), 'between TERM and KILL'],
    ['kill_grace', duration(10, HOUR), 'the time that KILL may need'],
    ['max_rounds', int(1, 20), 'lists of newcomers before survivors are named and left'],
    ['look_stale', duration(100, MINUTE), 'a kill older than its last look by this looks again'],
    ['max_rescues', COUNT, 'failed rescues before a person is asked'],
    ['save_every', duration(50, MINUTE), 'a crash gives the accused at most this much more'],
    ['max_falls', COUNT, 'falls of one dog before its dance ends failed, without a kill'],
    ['max_wakings', COUNT, 'deaths of the process on one dance before it ends failed'],
    ['warrant_expires', duration(), 'an older warrant is void'],
    ['overdue', duration(), 'a dance longer than its time by this raises an alarm'],
    ['evidence_only_within', duration(), 'pardons by evidence alone within this …'],
    ['max_evidence_only', COUNT, '… so many, and the next warrant is escalated'],
    ['heard_often', COUNT, 'a target heard this often raises an alarm …'],
    ['heard_within', duration(), '… within this'],
    ['read_warrants_every', duration(50, HOUR), 'a file in warrants/ counts within this'],
  ]),
  ...section('sessions', 'policy.sessions', 'session supervisor', [
    ['backoff', duration(), 'first wait before a restart, doubled each time …'],
    ['max_backoff', duration(), '… up to this'],
    ['jitter', number(0, 0.9), 'waits are spread by this share either way'],
    ['stable', duration(), 'alive for so long, the streak is forgotten'],
    ['stable_steps', COUNT, '… which is put on record in so many steps'],
    ['crash_loop_restarts', COUNT, 'so many restarts …'],
    ['within', duration(), '… within this are a crash loop'],
    ['scan_every', duration(50, HOUR), 'the net under the death hook'],
    ['min_scan_gap', duration(0, MINUTE), 'hints do not make us look more often than this'],
    ['server_deaths', COUNT, 'so many deaths of the tmux server …'],
    ['server_deaths_within', duration(), '… within this raise one alert: it keeps dying'],
    ['stagger', duration(0, HOUR), 'between two starts after the tmux server died, and at `up`'],
    ['max_starting', int(1, 50), 'starts under way at once; the rest wait their turn'],
    ['taken_retry', duration(), 'how often a start under a taken name is tried again'],
    ['limit_retry', duration(), 'an agent stopped by a usage limit is tried again so often'],
    ['confirm_end', duration(), "a clean end is the agent's wish once the town has outlived it by so long"],
    ['unknown_alarm', duration(), 'unknown for so long raises an alarm'],
    ['survivors', one('tell', 'end'), 'processes that outlive their agent: alert, or end them before its next start'],
    ['survivors_every', duration(50, HOUR), 'how often they are looked for, first so long after a death'],
    ['max_remains', int(1, 1_000), 'ended lives of one session whose survivors are looked for'],
  ]),
  ...section('supervisor', 'policy.supervisor', 'supervisors', [
    ['max_restarts', COUNT, "restarts of one supervisor's children …"],
    ['within', duration(), '… within this, then it escalates'],
    ['backoff', duration(), 'first wait before a fallen actor starts again'],
    ['max_backoff', duration(), 'the longest such wait'],
    ['jitter', number(0, 0.9), 'waits are spread by this share either way'],
  ]),
  ...section('daemon', 'policy.watchdog', 'daemon', [
    ['heartbeat', duration(10, HOUR), 'how often the daemon checks that each part that must run does'],
    ['deacon_check', bool, 'the second line behind Boot; off only to prove the chain'],
    ['discovery', bool, 'the third line, by what tmux itself shows; off only to prove the chain'],
    ['step_failures', COUNT, 'failures of a step in a row before a person is alerted'],
    ['missing_ticks', COUNT, 'ticks without a Deacon session before a person is alerted'],
    ['silent_ticks', COUNT, 'ticks with a very stale heartbeat before a person is alerted'],
  ]),
  ...section('boot', 'policy.watchdog.boot', 'Boot', [
    ['enabled', bool, 'off only to prove the chain'],
    ['stale', duration(), 'a heartbeat this old is stale: nudged when mail waits'],
    ['very_stale', duration(), 'a heartbeat older than this wakes the Deacon'],
    ['start_grace', duration(), 'a Deacon just started is not judged'],
    ['max_ahead', duration(), 'how far ahead a Deacon may announce its next beat'],
    ['running_ttl', duration(), 'an older mark of a running Boot is a dead one'],
    ['deadline', duration(), 'Boot always ends'],
  ]),
  ...section('deacon', 'policy.watchdog.deacon', 'Deacon, Boot, health checks', [
    ['mode', one('actor', 'session'), 'an actor costs no tokens; a session is an agent'],
    ['session', name, 'its session in session mode'],
    ['command', command, 'command of the session'],
    ['beat', duration(10, HOUR), 'it beats at least this often, at every pace of its patrol'],
    ['wakes', COUNT, 'wake-ups without effect before a warrant'],
    ['health_wait', duration(), 'how long a health check waits for its answer'],
    ['health_look_every', duration(50, MINUTE), 'how often it looks for it meanwhile'],
    ['health_failures', COUNT, 'failures in a row that recommend a warrant'],
    ['handoff_after', int(1, 1_000_000), 'cycles before a session hands off to a fresh one'],
  ]),
  ...section('patrol', 'policy.watchdog.deacon', 'Deacon', [
    ['active', duration(10), 'pace while something is open'],
    ['idle', duration(10), 'pace when nothing is'],
  ]),
  ...section('patrol', 'patrols.patrol', 'patrols', PATROL),
  ...section('witness', 'patrols.witness', 'witnesses', WITNESS),
  ...section('patrol', 'policy.rounds', 'patrols', [
    ['max_failures', COUNT, 'failed cycles in a row before a person is alerted'],
    ['stand_in', duration(), 'an agent that patrols did no cycle for so long: the town does one'],
    ['max_context', int(1, 99), 'percent; an agent that used more of its context hands off'],
  ]),
  ...section('patrol', 'process', 'patrols', [
    ['limit', duration(100, HOUR), 'a cycle, or a backup of the ledger, is ended after this', { to: 'patrolMs' }],
  ]),
  ...section('ledger', 'policy.ledger', 'ledger', [
    ['backup_every', duration(100), 'by the wall clock: the most that a damaged ledger loses', { to: 'backUpEveryMs' }],
    ['look_every', duration(50, HOUR), 'how often failures are tried again, and rigs are looked for'],
  ]),
  ...section('triage', 'triage.policy', 'triage', [
    ['reasoner', one('none', 'command'), 'the decider of cases that no rule decides; none = a person'],
  ]),
  ...section('triage', 'triage', 'triage', [
    ['command', command, 'the reasoner: it finds its question in $TOWN_PROMPT_FILE'],
  ]),
  ...section('triage', 'triage.policy', 'triage', TRIAGE),
  ...section('triage', 'triage.hands', 'triage', TRIAGE_HANDS),
  ...section('mail', 'policy.watchdog', 'daemon', [
    ['lifecycle_expires', duration(), 'older letters of agents about their own life are ignored'],
  ]),
  ...section('hands', 'hands', 'tmux, screens, rescue', [
    ['tmux_answer', duration(100, MINUTE), 'tmux silent for so long is unknown'],
    ['enter_after', duration(200, MINUTE), 'Enter goes this long after the text; 100 ms failed'],
    ['paste_shown', duration(100, MINUTE), 'Enter waits so long for a paste to be shown'],
    ['max_enters', int(1, 10), 'tries of Enter until the composer is empty'],
    ['evidence_after', duration(0, HOUR), 'signs of life count from here after our last key'],
    ['cpu_baseline', duration(100, HOUR), 'CPU before the question is measured over this'],
    ['cpu_sample_every', duration(100, HOUR), 'pace of CPU samples'],
    ['cpu_factor', number(1, 1_000), 'clearly above its own rate: so many times …'],
    ['cpu_above', number(0, 100_000), '… and so many CPU ms per s more'],
    ['person_within', duration(), 'a key pressed within this is a person'],
    ['tail_lines', int(1, 1_000), 'lines of a pane kept in a record'],
    ['git', duration(100, HOUR), 'limit of a git command in a rescue'],
    ['max_rescue_files', int(1, 10_000_000), 'changed files that a rescue takes'],
    ['max_rescue_bytes', BYTES, 'bytes of changed files that a rescue takes'],
    ['max_rescue_repos', int(1, 10_000), 'repositories that a rescue takes, submodules among them'],
    ['columns', int(20, 1_000), 'size of a detached session'],
    ['rows', int(5, 1_000), 'size of a detached session'],
  ]),
  ...section('nudge', 'hands', 'typing', [
    ['every', duration(100), 'one nudge per incarnation in this time, for all askers', { to: 'nudgeEveryMs' }],
  ]),
  ...section('state', 'state', 'state', [
    ['slow_save', duration(10, HOUR), 'a longer save is degraded: no kill, blind time'],
    ['retry_save', duration(10, HOUR), 'between two tries when the disk refuses'],
    ['max_record_bytes', BYTES, 'a larger record is quarantined unread'],
    ['max_files', int(1, 1_000_000), 'files of one inbox folder taken in at once'],
    ['journal_days', int(1, 3_650), 'how long the journal is kept'],
    ['journal_bytes', BYTES, 'how much of it is kept'],
    ['completed', duration(), 'how long completed dances are kept'],
  ]),
  ...section('state', 'policy.alerts', 'alerts', [
    ['remind_every', duration(100, HOUR), 'how often open alerts are looked through'],
    ['realert', duration(), 'an open alert is repeated after this'],
  ]),
  ...section('report', 'state', 'report', [
    ['since', duration(MINUTE), 'how far back `town report` reaches without --since', { to: 'reportMs' }],
  ]),
  ...section('process', 'process', 'guard, town process', [
    ['progress_every', duration(100, 30 * SECOND), 'the step loop shows life this often'],
    ['hang', duration(MINUTE), 'no progress for so long is a hang; a slow disk is none'],
    ['hang_wakeups', int(1, 100), 'wake-ups on time without progress; a suspend is no hang'],
    ['held', duration(SECOND), 'a town stopped or waiting for a disk for so long raises an alert, and is never ended'],
    ['restart', duration(10, HOUR), 'first wait before the town is started again …'],
    ['max_restart', duration(10, HOUR), '… doubled up to this, for ever'],
    ['down', duration(100, MINUTE), '`down` ends within this'],
    ['ready', duration(100, HOUR), '`up` waits so long before it says what is missing'],
    ['stable', duration(), 'a town alive for so long was well: the next restart waits the first wait'],
    ['max_falls', COUNT, 'more falls in a row are an alarm; tries go on'],
    ['notify', duration(100, HOUR), '`[notify] command` ends after this'],
    ['rescue', duration(SECOND, HOUR), 'limit of a rescue of a large worktree'],
    ['order', duration(SECOND, HOUR), 'limit of an order that has none of its own'],
  ]),
  ...section('dashboard', 'inspect', 'inspector', [
    ['enabled', bool, 'there is no page yet; `up --inspect` opens the inspector in any case'],
    ['port', PORT, '0 picks one; it is written to daemon/daemon.pid'],
  ]),
  ...section('health', 'process', 'health', [
    ['late_after', int(1, 100), 'intervals without a step or a scan that make it late'],
  ]),
  ...section('log', 'log', 'log', [['level', one('debug', 'info', 'warn', 'error'), 'detail of daemon/daemon.log']]),
  ...section('log', 'process', 'log', [
    ['max_bytes', BYTES, 'size at which daemon/daemon.log is rotated', { to: 'logBytes' }],
    ['files', int(1, 100), 'log files kept', { to: 'logFiles' }],
  ]),
  ...AGENTS,
  ...RIG,
];
