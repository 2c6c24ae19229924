/**
 * The numbers of a town that are no keys: no person has a reason to choose another value. Each stands in the `policy.ts` of
 * its reader, with its unit and reason. This table gives them the names by which `$TOWN_NUMBERS` replaces them (`numbers.ts`),
 * and by which town.toml, where most were keys once, refuses them. Below it: what became of each old key.
 */
import { KEYS, asWritten, inCamelCase } from './keys.ts';
import { bool, duration, number, text, type Kind } from './kinds.ts';
import { DEFAULTS, at } from './settings.ts';

export interface Constant {
  /** As a key would be written: `dance.look_every`. */
  readonly path: string;
  readonly kind: Kind;
  /** As one would write it. */
  readonly value: unknown;
  /** Place in `Settings`, such as `policy.dance.lookEveryMs`. */
  readonly to: string;
  /** Where it is written, with its reason. */
  readonly file: string;
}

/** A name that is not its field in snake_case is followed by its field: `limit=patrol`. */
type Row = readonly [section: string, place: string, file: string, names: string];

const TABLE: readonly Row[] = [
  [
    'dance',
    'policy.dance',
    'machines/hearings/policy.ts',
    `look_every max_per_look retry undeliverable person gone_again kill_grace max_rounds look_stale max_rescues save_every
    max_crashes max_recoveries warrant_expires overdue evidence_only_within max_evidence_only heard_often heard_within
    read_warrants_every`,
  ],
  [
    'sessions',
    'policy.sessions',
    'machines/sessions/policy.ts',
    `backoff max_backoff jitter stable stable_steps scan_every min_scan_gap server_deaths server_deaths_within stagger taken_retry confirm_end
    unknown_alarm survivors_every max_remains conversation_deaths crash_loop_restarts within max_starting
    limit_retry limit_over limit_proof limit_probe limit_again`,
  ],
  ['supervisor', 'policy.supervisor', 'machines/kernel/policy.ts', 'max_restarts within backoff max_backoff jitter'],
  [
    'daemon',
    'policy.watchdog',
    'machines/watchdog/policy.ts',
    'heartbeat deacon_check discovery step_failures missing_ticks silent_ticks',
  ],
  [
    'watchdog',
    'policy.monitor',
    'machines/monitor/policy.ts',
    'nudge_every unread reports_per_hour reports_every mail_every urgent_unread unanswered',
  ],
  [
    'boot',
    'policy.watchdog.boot',
    'machines/watchdog/policy.ts',
    'enabled stale very_stale start_grace max_ahead running_ttl deadline',
  ],
  [
    'deacon',
    'policy.watchdog.deacon',
    'machines/watchdog/policy.ts',
    'session beat wakes handoff_after health_wait health_look_every health_failures',
  ],
  ['mail', 'policy.watchdog', 'machines/watchdog/policy.ts', 'lifecycle_expires'],
  [
    'patrol',
    'patrols.patrol',
    'machines/patrols/policy.ts',
    `breaker_attempts breaker_within crash_loop_failures crash_loop_within orphan_grace compact undone_cycles
    undone_for redispatch_cooldown redispatch_attempts stale_hook`,
  ],
  ['patrol', 'policy.rounds', 'machines/patrols/policy.ts', 'max_failures stand_in max_context'],
  ['patrol', 'process', 'src/ports/policy.ts', 'limit=patrol rest=patrolRest'],
  ['tickle', 'policy.tickle', 'machines/tickle/policy.ts', 'cooldown bell_limit max_failures'],
  [
    'witness',
    'patrols.witness',
    'machines/witness/policy.ts',
    `max_cycles nudge_after deadline_after nudge_again deadline hook_nudge hook_case hook_stalled hung done_intent
    refinery_start refinery_wait remote_away deacon_silent max_cleanups merge_wait start_grace`,
  ],
  ['ledger', 'policy.ledger', 'machines/ledger/policy.ts', 'backup_every=backUpEvery look_every soon'],
  [
    'triage',
    'triage.policy',
    'machines/triage/policy.ts',
    `reasoner deadline max_cases max_open again_after mayors cooldown breaker_failures breaker_rest max_tries person_after
    backoff max_backoff`,
  ],
  [
    'triage',
    'triage.hands',
    'src/triage/policy.ts',
    'kill_grace max_output=maxOutputBytes max_case=maxCaseBytes max_calls',
  ],
  [
    'hands',
    'hands',
    'src/ports/policy.ts',
    `tmux_answer enter_after paste_shown max_enters enter_shown evidence_after cpu_baseline cpu_sample_every cpu_factor cpu_above
    asking_look asking_read asks_after logged_out_after person_within tail_lines git max_rescue_files max_rescue_bytes
    max_rescue_repos columns rows`,
  ],
  ['nudge', 'hands', 'src/ports/policy.ts', 'every=nudgeEvery'],
  [
    'state',
    'state',
    'state/files/policy.ts',
    'slow_save retry_save max_record_bytes max_files journal_bytes journal_days completed',
  ],
  ['state', 'policy.alerts', 'machines/alerts/policy.ts', 'realert remind_every'],
  ['dashboard', 'inspect', 'src/inspect/policy.ts', 'enabled port'],
  ['report', 'state', 'state/files/policy.ts', 'since=report'],
  [
    'process',
    'process',
    'src/ports/policy.ts',
    `progress_every hang hang_wakeups held restart max_restart down ready stable max_falls notify rescue order
    agent_programs_every`,
  ],
  ['health', 'process', 'src/ports/policy.ts', 'late_after'],
  ['log', 'process', 'src/ports/policy.ts', 'max_bytes=logBytes files=logFiles'],
];

/** Above every number of a policy, in its own unit. */
const LARGEST = 1e12;

function kindOf(to: string, value: unknown): Kind {
  if (to.endsWith('Ms')) return duration(0);
  return typeof value === 'number' ? number(0, LARGEST) : typeof value === 'boolean' ? bool : text;
}

function constant([section, place, file]: Row, word: string): Constant {
  const [name = '', field = inCamelCase(name)] = word.split('=');
  const plain = `${place}.${field}`;
  const to = at(DEFAULTS, plain) === undefined ? `${plain}Ms` : plain;
  const value = at(DEFAULTS, to);
  const kind = kindOf(to, value);
  return { path: `${section}.${name}`, kind, value: asWritten(kind, value), to, file };
}

/** By path. Made when it is first asked for: most commands have no use for it. */
export const constants: () => ReadonlyMap<string, Constant> = once(() =>
  TABLE.flatMap((row) => row[3].split(/\s+/).map((word) => constant(row, word))),
);

function once(make: () => readonly Constant[]): () => ReadonlyMap<string, Constant> {
  let made: ReadonlyMap<string, Constant> | null = null;
  return () => (made ??= new Map(make().map((one) => [one.path, one])));
}

/** The sections that constants have, some of them without a key. */
export const SECTIONS: ReadonlySet<string> = new Set(TABLE.map(([section]) => section));

/** What town.toml holds, in two: keys (and all that is neither), and constants. A section that is left empty goes. */
export function partsOf(tree: Readonly<Record<string, unknown>>): Record<'keys' | 'numbers', Record<string, unknown>> {
  const keys: [string, unknown][] = [];
  const numbers: [string, unknown][] = [];
  for (const [section, inner] of Object.entries(tree)) {
    const names: readonly string[] = SECTIONS.has(section) ? Object.keys(Object(inner) as object) : [];
    const were = names.filter((name) => constants().has(`${section}.${name}`));
    const only = (isOne: boolean): unknown =>
      Object.fromEntries(Object.entries(inner as object).filter(([name]) => were.includes(name) === isOne));
    if (were.length === 0) keys.push([section, inner]);
    else {
      numbers.push([section, only(true)]);
      if (were.length < names.length) keys.push([section, only(false)]);
    }
  }
  return { keys: Object.fromEntries(keys), numbers: Object.fromEntries(numbers) };
}

const FILE = /_file$/;

/** The key of the secret whose file this path named once; undefined = it never did. */
function secretOfFile(path: string): string | undefined {
  if (!FILE.test(path)) return undefined;
  const secret = path.replace(FILE, '');
  return KEYS.find((key) => key.path === secret && key.kind.isSecret === true)?.path;
}

/** The end of a sentence about such a key; null = this path never was one. `rid`: how to be rid of it. */
export function formerText(path: string, rid: string): string | null {
  // Who only takes the line out would switch on what costs money.
  if (path === 'triage.reasoner')
    return `${path} is no key any more; ${rid}: triage.command alone switches a reasoner on. To decide every case yourself, remove that too`;
  const constant = constants().get(path);
  if (constant !== undefined)
    return `${path} is a constant now (${String(constant.value)}, for the reason in ${constant.file}); ${rid}`;
  const secret = secretOfFile(path);
  if (secret === undefined) return null;
  const [section = '', name = ''] = secret.split('.');
  return `${path} is no key any more; write ${name} = { file = "…" } in [${section}]`;
}

/**
 * A text that an earlier version came up with: without constants, without the command of a reasoner that it switched off, and with the
 * files of secrets beside their keys.
 */
export function asNow(tree: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { keys, numbers } = partsOf(tree);
  if ((numbers['triage'] as Record<string, unknown> | undefined)?.['reasoner'] === 'none') keys['triage'] = {};
  return Object.fromEntries(Object.entries(keys).map(([section, inner]) => [section, withFiles(section, inner)]));
}

function withFiles(section: string, inner: unknown): unknown {
  if (typeof inner !== 'object' || inner === null) return inner;
  const files = Object.entries(inner).filter(([name]) => secretOfFile(`${section}.${name}`) !== undefined);
  if (files.length === 0) return inner;
  const names = new Set(files.map(([name]) => name));
  return {
    ...Object.fromEntries(files.map(([name, file]) => [name.replace(FILE, ''), { file: file as unknown }])),
    // A text beside it counted before the file.
    ...Object.fromEntries(Object.entries(inner).filter(([name]) => !names.has(name))),
  };
}
