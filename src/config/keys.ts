/**
 * Every key of town.toml, once: its path, kind, default, reason, where it lands in `Settings` and who reads it. Defaults stand
 * in the policies; this table only names their place. A key is for what a person may have a reason to choose; every other
 * number is a constant (`constants.ts`).
 */
import { formatDuration } from './duration.ts';
import {
  bool,
  command,
  duration,
  formatSize,
  int,
  list,
  name,
  one,
  size,
  folder,
  hours,
  pattern,
  socket,
  tag,
  text,
  windows,
  words,
  type Kind,
} from './kinds.ts';
import { RIGS } from '../../machines/rigs/policy.ts';
import { ASK_RULE_ROWS, CHANNEL_ROWS, MAY_ANSWER_ROWS, ROUTE_ROWS } from './channel-keys.ts';
import { ALWAYS } from '../../machines/channels/answers.ts';
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

/** `env`: further environment variables. */
type Row = readonly [key: string, kind: Kind, reason: string, more?: { readonly env: readonly string[] }];

const HOUR = 3_600_000;

/** `TOWN_DANCE_POOL_SIZE`. */
const variableOf = (path: string): string => `TOWN_${path.replaceAll('.', '_').toUpperCase()}`;

/** A value of `Settings` as one would write it in town.toml. */
export function asWritten(kind: Kind, value: unknown): unknown {
  if (kind.is === 'duration' && typeof value === 'number') return formatDuration(value);
  if (kind.is === 'size' && typeof value === 'number') return formatSize(value);
  if (kind.is === 'windows' && Array.isArray(value)) return value.map((ms) => formatDuration(Number(ms)));
  return value;
}

/** `pool_size` lands in `poolSize`. */
export const inCamelCase = (key: string): string => key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** `term_grace`, a duration, lands in `termGraceMs`. */
function placeOf(key: string, { is }: Kind): string {
  if (is === 'size') return `${inCamelCase(key)}Bytes`;
  return is === 'duration' || is === 'windows' ? `${inCamelCase(key)}Ms` : inCamelCase(key);
}

function section(name: string, place: string, reader: string, rows: readonly Row[]): Key[] {
  return rows.map(([key, kind, reason, more]) => {
    const path = `${name}.${key}`;
    const to = `${place}.${placeOf(key, kind)}`;
    const env = [variableOf(path), ...(more?.env ?? [])];
    return { path, kind, default: asWritten(kind, at(DEFAULTS, to)), reason, to, reader, env };
  });
}

type TableRow = readonly [key: string, kind: Kind, byDefault: unknown, reason: string];

/** Keys of a table that each has a name which a person chose; no variable sets them. */
const tablesOf = (section: string, reader: string, rows: readonly TableRow[]): Key[] =>
  rows.map(([key, kind, byDefault, reason]) => {
    const path = `${section}.*.${key}`;
    return { path, kind, default: byDefault, reason, to: path, reader, env: [] };
  });

/** Keys of each `[[agents]]` entry: they land in `Settings.agents`. */
const AGENTS: readonly Key[] = tablesOf('agents', 'session supervisor', [
  ['name', name, null, 'the session, as in `town session start`'],
  ['command', command, null, 'command that it runs'],
  ['dir', folder, null, 'its folder; the root by default'],
  ['tags', list, [], 'its tags, such as worker'],
  ['restart', one('permanent', 'transient', 'temporary'), 'transient', 'whether its end restarts it'],
  ['env', list, [], 'names of variables whose values it gets, as `town up` or `town session start` has them'],
  ['max_memory', size, '0 MB', 'above this it and what it runs are an alert; 0 MB = as [sessions] has it'],
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
  [
    'merge',
    one('merge', 'squash', 'rebase', 'pull-request'),
    RIGS.merge,
    'how `town refinery` brings a branch into main; pull-request leaves that to the host',
  ],
  ['test', command, null, 'command that each merge must pass, in the worktree of `town refinery`'],
  ['done_check', command, null, "command that a polecat's work must pass in its own worktree before it counts as done"],
  [
    'test_limit',
    duration(1, 24 * HOUR),
    formatDuration(RIGS.testLimitMs),
    'a test or a done_check is ended after this, and has no result then',
  ],
  ['pull_request', command, null, 'command that opens a pull request for $TOWN_BRANCH, if merge is pull-request'],
  ['delete_branch', bool, RIGS.deletesBranch, 'whether merged branches, also of earlier attempts, go on the remote'],
]);

/** The program of a preset that names none. */
export const DEFAULT_HARNESS = 'claude';

/** Keys of each `[presets.<name>]` table, as the seed of the worker monitor has them. */
const PRESETS: readonly Key[] = tablesOf('presets', 'command line', [
  ['harness', one('claude', 'codex', 'gemini'), DEFAULT_HARNESS, 'program of `town session start --preset`'],
  ['description', text, null, 'what it is for'],
  ['config.model', text, null, 'model of the program'],
  ['config.dangerously_skip_permissions', bool, false, 'whether the program asks for no permission'],
]);

/** The table. */
export const KEYS: readonly Key[] = [
  ...section('town', 'town', 'command line, intake', [
    [
      'protected',
      list,
      'globs of session names: the town types nothing to them and hears no warrant; only --force of stop, restart and kill overrides',
    ],
  ]),
  ...section('tmux', 'tmux', 'tmux', [
    ['socket', socket, 'a town keeps its first tmux socket, and `up` refuses another one'],
  ]),
  ...section('notify', 'notify', 'alerts', [
    ['command', command, 'gets each message for the overseer as JSON on stdin'],
    [
      'per_hour',
      int(1, 1_000),
      'so many messages an hour go out on each channel; the rest go out as one message, which counts them',
    ],
    [
      'per_hour_in_all',
      int(1, 10_000),
      'so many messages an hour reach you on all channels together; the rest go out as one message, which counts them',
    ],
    [
      'all_well',
      hours,
      'local time, such as 08:00-10:00, in which channels say once a day that nothing needs you; unset = never',
    ],
  ]),
  ...Object.entries(CHANNEL_ROWS).flatMap(([name, rows]) => section(name, `channels.${name}`, 'channels', rows)),
  ...section('dance', 'policy.dance', 'kennel and dogs', [
    ['pool_size', int(1, 20), 'hearings at once; the rest queue', { env: ['GT_DOG_POOL_SIZE'] }],
    ['windows', windows, 'how long each question waits for its answer'],
    ['pardon_on', one('evidence', 'answer'), 'whether signs of life pardon, or only an answer'],
    ['term_grace', duration(10, HOUR), 'between TERM and KILL: what your agents need to save their work'],
  ]),
  ...section('sessions', 'policy.sessions', 'session supervisor', [
    ['max_memory', size, 'above this an agent and what it runs are an alert; 0 MB = never'],
    ['survivors', one('tell', 'end'), 'processes that outlive their agent: alert, or end them before its next start'],
  ]),
  ...section('sessions', 'hands', 'starts of sessions', [
    ['min_free_memory', size, 'a start waits while the machine has less memory left; 0 MB = none waits for that'],
  ]),
  ...section('monitor', 'policy.monitor', 'worker monitor', [
    ['mode', one('actor', 'session'), 'an actor costs no tokens; a session is the agent of [presets.watchdog]'],
  ]),
  // The names and the bare numbers of the seed that they come from.
  ...section('watchdog', 'policy.monitor', 'worker monitor', [
    [
      'poll_interval_secs',
      int(1, 86_400),
      'seconds between two looks at the workers',
      { env: ['FUGUE_WATCHDOG_POLL_INTERVAL'] },
    ],
    [
      'stuck_threshold_intervals',
      int(1, 10_000),
      'looks without anything new before a worker is stuck',
      { env: ['FUGUE_WATCHDOG_STUCK_THRESHOLD'] },
    ],
    ['worker_tags', list, 'a session with any of these tags is a worker', { env: ['FUGUE_WATCHDOG_WORKER_TAGS'] }],
    ['orchestrator_tag', tag, 'who gets the alerts about workers', { env: ['FUGUE_WATCHDOG_ORCHESTRATOR_TAG'] }],
    ['worker_pattern', pattern, 'also the names of workers fit this regular expression'],
    ['output_preview_lines', int(0, 100), 'lines of output in an alert about a worker'],
  ]),
  ...section('deacon', 'policy.watchdog.deacon', 'Deacon, Boot, health checks', [
    ['mode', one('actor', 'session'), 'an actor costs no tokens; a session is an agent'],
    ['command', command, 'command of the session'],
  ]),
  ...section('patrol', 'policy.watchdog.deacon', 'Deacon', [
    ['active', duration(10), 'pace while something is open'],
    ['idle', duration(10), 'pace when nothing is'],
  ]),
  ...section('witness', 'patrols.witness', 'witnesses', [
    ['mode', one('actor', 'session'), 'an actor costs no tokens; a session is an agent for each rig'],
    ['command', command, 'command of the session: it finds its task in $TOWN_PROMPT_FILE'],
    ['push', bool, 'unpushed commits on its own branch are pushed before a polecat goes'],
  ]),
  ...section('tickle', 'policy.tickle', 'Tickle', [
    ['enabled', bool, 'whether silent agents are paged; an agent that only rests is silent too'],
    ['threshold', duration(), 'silence longer than this is a stall'],
    ['scan', duration(10, HOUR), 'how often the evidence is looked through'],
    ['ack', duration(), 'how long an agent has to answer a page before the next rung'],
    ['grace', duration(), 'no page so soon after the start of the town, or of the agent'],
    ['agents', list, 'agents beside the sessions and those of the ledger, by the name they write evidence in'],
    ['nicks', list, 'agents in the channel of [irc], as "builder", or "shop/nux=nux" where the nick is another'],
    ['bell', command, "rings an agent's bell within 2 s: gets it as JSON on stdin; exit code 0 = rung"],
  ]),
  ...section('triage', 'triage', 'triage', [
    [
      'command',
      command,
      'the reasoner, which decides cases that no rule decides: it finds its question in $TOWN_PROMPT_FILE; unset = a person decides',
    ],
  ]),
  ...section('triage', 'triage.policy', 'triage', [['max_runs', int(0, 10_000), 'runs of the reasoner in 24 hours']]),
  ...section('log', 'log', 'log', [['level', one('debug', 'info', 'warn', 'error'), 'detail of daemon/daemon.log']]),
  ...AGENTS,
  ...RIG,
  ...PRESETS,
  ...tablesOf('route', 'channels', ROUTE_ROWS),
  ...tablesOf('may_answer', 'channels', MAY_ANSWER_ROWS),
  ...section('asks', 'asks', 'questions', [
    ['offer', words(ALWAYS), 'options that `town answer` has too, though they answer later questions unasked'],
  ]),
  ...tablesOf('asks.rule', 'channels', ASK_RULE_ROWS),
];
