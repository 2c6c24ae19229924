/**
 * Every key of town.toml that is accepted and validated already, while the part of the town that will read it is not
 * there yet: its bounds, default and reason. Plain data. When a part arrives, its keys move to the policy it is given and
 * to the table of `src/config/keys.ts`, and leave this file.
 * `*` stands for a name that the person chooses: `rig.*` is a table per rig, `agents.*` an entry of `[[agents]]`.
 */
import type { Ms } from './protocol/index.ts';

/** What may be written for a key. Durations are bounded in milliseconds. */
export type Kind =
  | { readonly is: 'duration'; readonly least: Ms; readonly most: Ms }
  /** Windows: one to ten durations, none shorter than the one before. */
  | { readonly is: 'windows'; readonly least: Ms; readonly most: Ms }
  | { readonly is: 'int' | 'number'; readonly least: number; readonly most: number }
  | { readonly is: 'bool' }
  | { readonly is: 'text' }
  | { readonly is: 'list' }
  | { readonly is: 'one'; readonly of: readonly string[] }
  /** A regular expression of limited length. */
  | { readonly is: 'pattern' }
  /** Words executed as they are, or one text for `sh -c`. */
  | { readonly is: 'command' }
  /** The name of a session, a rig or an agent. */
  | { readonly is: 'name' }
  /** A name for `tmux -L`, or an absolute path for `tmux -S`. */
  | { readonly is: 'socket' }
  /** A table that is handed on as it is. */
  | { readonly is: 'free' };

export interface LaterKey {
  readonly path: string;
  readonly kind: Kind;
  /** As one would write it in town.toml; null = not set. */
  readonly default: unknown;
  readonly reason: string;
  /** What will read it. */
  readonly awaits: string;
  /** Further environment variables, besides TOWN_<SECTION>_<KEY>. */
  readonly env?: readonly string[];
}

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const YEAR = 365 * 24 * HOUR;

export const duration = (least: Ms = 1, most: Ms = YEAR): Kind => ({ is: 'duration', least, most });
export const int = (least: number, most: number): Kind => ({ is: 'int', least, most });
export const number = (least: number, most: number): Kind => ({ is: 'number', least, most });
export const one = (...of: string[]): Kind => ({ is: 'one', of });
export const windows: Kind = { is: 'windows', least: 1, most: 24 * HOUR };
export const bool: Kind = { is: 'bool' };
export const text: Kind = { is: 'text' };
export const list: Kind = { is: 'list' };
const pattern: Kind = { is: 'pattern' };
export const command: Kind = { is: 'command' };
export const name: Kind = { is: 'name' };
export const socket: Kind = { is: 'socket' };
const free: Kind = { is: 'free' };
/** How often something may be counted before it is an alarm, an end or a queue. */
export const COUNT = int(1, 10_000);
const SECS = int(1, 86_400);
export const PORT = int(0, 65_535);

type Row = readonly [key: string, kind: Kind, byDefault: unknown, reason: string, env?: readonly string[]];

function section(path: string, awaits: string, rows: readonly Row[]): LaterKey[] {
  return rows.map(([key, kind, byDefault, reason, env]) => {
    return { path: `${path}.${key}`, kind, default: byDefault, reason, awaits, ...(env && { env }) };
  });
}

export const LATER: readonly LaterKey[] = [
  ...section('patrol', 'the town patrol', [
    ['start_grace', duration(), '3m', 'an agent just started is no zombie'],
    ['done_intent', duration(), '60s', 'a done-intent older than this is finished for the agent'],
    ['hung', duration(), '30m', 'working without any activity for so long is hung'],
    ['gupp_nudge', duration(), '30m', 'a hook without progress is nudged'],
    ['gupp_triage', duration(), '1h', 'nudged and triaged'],
    ['gupp_stalled', duration(), '2h', 'stalled'],
    ['redispatch_cooldown', duration(), '5m', 'pause before work is given out again'],
    ['redispatch_attempts', COUNT, 3, 'attempts before the work has failed'],
    ['breaker_attempts', COUNT, 20, 'attempts without one success that stop dispatch'],
    ['breaker_within', duration(), '30m', 'the time they are counted in'],
    ['crash_loop_failures', COUNT, 3, 'failures of one agent that are a crash loop'],
    ['crash_loop_within', duration(), '30m', 'the time they are counted in'],
    ['stale_hook', duration(), '1h', 'a dead hook older than this is freed'],
    ['hook_grace', duration(), '10m', 'the hook of a supervised session that died waits this long'],
    ['escalate_after', duration(), '4h', 'unacknowledged for so long, one step up'],
    ['escalate_most', int(0, 10), 3, 'steps up at most'],
    ['orphan_grace', duration(), '60s', 'between TERM and KILL of an orphan proved ours'],
    ['compact_after', duration(HOUR), '168h', 'closed wisps older than this become a digest line'],
  ]),
  ...section('witness', 'the witnesses', [
    ['every', duration(SECOND), '60s', 'pace of a witness patrol'],
    ['nudge_after', duration(), '5m', 'running and idle for so long: a gentle nudge'],
    ['deadline_after', duration(), '15m', 'idle for so long: a nudge with a deadline'],
    ['deadline', duration(), '10m', 'the deadline'],
    ['push', bool, true, 'unpushed commits on its own branch are pushed before a nuke'],
    ['cleanups_alert', COUNT, 5, 'more open cleanups in a rig raise one alert'],
    ['merge_wait', duration(), '24h', 'waiting for MERGED this long goes to triage'],
    ['refinery_nudge', duration(), '30m', 'the oldest merge request before a nudge'],
    ['refinery_triage', duration(), '30m', 'nothing after the nudge for so long goes to triage'],
    ['deacon_silent', duration(), '5m', 'a Deacon past its due beat by this raises one alert'],
    ['context_percent', int(1, 100), 80, 'context used beyond this ends in a handoff'],
    ['handoff_after', int(1, 1_000_000), 100, 'cycles before a handoff when context is unknown'],
  ]),
  ...section('rig.*', 'the rigs', [
    ['dir', text, null, 'the repository of the rig'],
    ['agent', command, null, 'what a polecat runs; without it its work is reported as stranded'],
    ['max_polecats', int(0, 1_000), 5, 'polecats at once'],
    ['refinery', command, null, 'what the refinery session runs'],
  ]),
  ...section('gates', 'the gates', [['every', duration(SECOND), '60s', 'how often conditions are looked at']]),
  ...section('plugins', 'the plugins', [
    ['enabled', bool, true, 'gated maintenance commands of plugins/'],
    ['timeout', duration(SECOND), '10m', 'a plugin without its own limit ends after this'],
  ]),
  ...section('triage', 'triage', [
    ['command', command, null, 'the agent that decides; without it a person does'],
    ['most_cases', COUNT, 20, 'the oldest cases of one run'],
    ['cooldown', duration(), '5m', 'after a failed start'],
    ['deadline', duration(), '10m', 'of one run'],
    ['runs_per_day', int(0, 1_000), 24, 'tokens are kept for what is ambiguous'],
    ['most_open', COUNT, 5, 'automatic cases open at most; escalations are exempt'],
  ]),
  ...section('tickle', 'tickle', [
    ['enabled', bool, true, 'stop is a latch of its own'],
    ['agent', name, 'tickle-1', 'its own name, never judged'],
    ['agents', list, [], 'registered besides those the town knows'],
    ['interval', duration(SECOND), '60s', 'how often it scans'],
    ['threshold', duration(), '300s', 'a silence longer than this is a stall'],
    ['grace', duration(), '300s', 'the first page after a start waits; the scan does not'],
    ['answer_within', duration(), '2m', 'paged means answered by new evidence within this'],
    ['cooldown', duration(), '15m', 'between two pages of one agent'],
    ['bell', command, null, 'rings an agent without typing; none = skip'],
    ['bell_timeout', duration(), '2s', 'a bell is quick or it failed'],
    ['least_factor', number(0.1, 1), 0.5, 'fatigue lowers the threshold down to this'],
    ['most_factor', number(1, 10), 2, 'confidence raises it up to this'],
  ]),
  ...section('monitor', 'the worker monitor', [
    ['mode', one('actor', 'session'), 'actor', 'an actor costs no tokens; a session runs presets.watchdog'],
    ['error_lines', COUNT, 20, 'how far up errors are looked for'],
    ['typed_every', duration(SECOND), '30s', 'at most one alert typed to the orchestrator in this time'],
    ['enter_after', duration(), '250ms', 'Enter goes this long after the text'],
  ]),
  ...section('watchdog', 'the worker monitor', [
    ['poll_interval_secs', SECS, 30, 'how often workers are looked at', ['FUGUE_WATCHDOG_POLL_INTERVAL']],
    ['stuck_threshold_intervals', COUNT, 3, 'unchanged polls that mean stuck', ['FUGUE_WATCHDOG_STUCK_THRESHOLD']],
    ['worker_tags', list, ['worker'], 'any of these makes a worker', ['FUGUE_WATCHDOG_WORKER_TAGS']],
    ['orchestrator_tag', text, 'orchestrator', 'who gets the alerts', ['FUGUE_WATCHDOG_ORCHESTRATOR_TAG']],
    ['worker_pattern', pattern, null, 'a name that matches makes a worker too'],
    ['output_preview_lines', int(0, 100), 5, 'lines of output in an alert'],
  ]),
  ...section('presets.*', 'monitor and Deacon sessions', [
    ['harness', text, null, 'the program that runs the agent'],
    ['description', text, null, 'for people'],
    ['config', free, null, 'handed to the harness as it is'],
  ]),
  ...section('mail', 'the mail watch', [
    ['needs_response', duration(), '1h', 'mail that needs a response and is older is told again'],
  ]),
  ...section('limits', 'usage limits', [
    ['stagger', duration(), '30s', 'agents wake one after another when a usage limit ends'],
  ]),
  ...section('packs', 'agent packs', [['dir', text, null, 'a folder of your own packs']]),
  ...section('channels.irc', 'the channels', [
    ['host', text, null, 'without a host there is no IRC'],
    ['port', PORT, 6667, 'the server port'],
    ['tls', bool, false, 'an encrypted connection'],
    ['nick', text, 'tickle', 'our own nick, whose words are never evidence'],
    ['channel', text, '#town', 'where agents are paged'],
    ['password_env', text, null, 'the environment variable that holds the password'],
  ]),
  ...section('channels.bell', 'the channels', [['command', command, null, 'rings for a person']]),
  ...section('channels.desktop', 'the channels', [['enabled', bool, false, 'desktop notifications']]),
  ...section('channels.webhook', 'the channels', [['url', text, null, 'gets each alert as JSON']]),
  ...section('channels.ntfy', 'the channels', [
    ['url', text, 'https://ntfy.sh', 'the ntfy server'],
    ['topic', text, null, 'without a topic there is no ntfy'],
  ]),
  ...section('channels.mail', 'the channels', [
    ['to', text, null, 'without an address there is no mail'],
    ['command', command, ['sendmail', '-t'], 'sends it'],
  ]),
  ...section('dashboard', 'the dashboard', [['enabled', bool, true, 'a page on the loopback address only']]),
  ...section('ledger', 'the ledger', [['store', one('sqlite'), 'sqlite', 'where beads and evidence are kept']]),
  ...section('report', 'the morning report', [
    ['at', text, null, 'the time of day at which it is mailed, such as 07:00'],
  ]),
];
