/** What configuration becomes: complete and typed, durations in milliseconds. Each room is given its own part. */
import { PATROL } from '../../machines/patrols/policy.ts';
import { TRIAGE, type TriagePolicy } from '../../machines/triage/policy.ts';
import type { Policies } from '../../machines/witness/cycle.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { HANDS, PROCESS, type HandsPolicy, type ProcessPolicy } from '../ports/policy.ts';
import { POLICY, type Policy } from '../../machines/policy.ts';
import { STATE, type StatePolicy } from '../../state/files/policy.ts';
import { TRIAGE_HANDS, type TriageHandsPolicy } from '../triage/policy.ts';
import { INSPECT, type InspectPolicy } from '../inspect/policy.ts';
import type { Ms, SessionSpec } from '../../machines/protocol.ts';
import { NOTIFY } from '../../machines/alerts/policy.ts';
import type { MayAnswer } from '../../machines/channels/answers.ts';
import type { AskRule } from '../../machines/channels/rules.ts';
import type { Route } from '../../machines/channels/route.ts';
import { CHANNEL_DEFAULTS, type ChannelSettings } from '../channels/settings.ts';
import type { RootFrom } from './root.ts';

/** An entry of `[[agents]]`: a session that the town starts. */
export interface AgentSettings extends Pick<SessionSpec, 'name' | 'command' | 'tags' | 'restart'> {
  readonly dir: string | null;
  /** Names of variables whose values it gets. */
  readonly env: readonly string[];
  /** Bytes; 0 = as [sessions] has it. */
  readonly max_memory: number;
}

/** A table `[rig.<name>]`. */
export interface RigSettings {
  readonly agent: readonly string[] | null;
  readonly witness: readonly string[] | null;
  readonly refinery: readonly string[] | null;
  readonly max_polecats: number;
  readonly merge: 'merge' | 'squash' | 'rebase' | 'pull-request';
  readonly test: readonly string[] | null;
  readonly done_check: readonly string[] | null;
  readonly test_limit: Ms;
  readonly pull_request: readonly string[] | null;
  readonly delete_branch: boolean;
}

/** A table `[presets.<name>]`. */
export interface PresetSettings {
  readonly harness: 'claude' | 'codex' | 'gemini';
  readonly description: string | null;
  readonly 'config.model': string | null;
  readonly 'config.dangerously_skip_permissions': boolean;
}

export interface TriageSettings {
  /** The reasoner's words; null = there is none. */
  readonly command: readonly string[] | null;
  readonly policy: TriagePolicy;
  readonly hands: TriageHandsPolicy;
}

/** The part of the settings that keys set. */
export interface Choices {
  /** Globs of session names that only an operator touches, with --force. */
  readonly town: { readonly protected: readonly string[] };
  /** A name for `tmux -L`, or an absolute path for `tmux -S`. */
  readonly tmux: { readonly socket: string };
  /** The words of a command that gets a message as JSON on stdin; null = none. */
  readonly notify: {
    readonly command: readonly string[] | null;
    /** Messages that each channel may send in an hour. */
    readonly perHour: number;
    /** The same on all channels together. */
    readonly perHourInAll: number;
    /** Hours of the day in which a person is told, once, that nothing needs them; null = never. */
    readonly allWell: string | null;
  };
  /** Words of options that outlast their question and are offered at the terminal: `always`. */
  readonly asks: { readonly offer: readonly string[] };
  /** How a person is reached. */
  readonly channels: ChannelSettings;
  readonly policy: Policy;
  readonly hands: HandsPolicy;
  readonly state: StatePolicy;
  readonly process: ProcessPolicy;
  readonly inspect: InspectPolicy;
  /** What the patrols decide by. */
  readonly patrols: Policies;
  readonly triage: TriageSettings;
  /** How much goes into daemon/daemon.log: a level of pino. */
  readonly log: { readonly level: string };
}

export interface Settings extends Choices {
  /** Absolute. */
  readonly root: string;
  readonly rootFrom: RootFrom;
  /** The town.toml that was read; null = there is none. */
  readonly file: string | null;
  /** The text that was read, as it is; empty when there is none. */
  readonly toml: string;
  readonly agents: readonly AgentSettings[];
  /** `[[route]]`, in the order of the file. */
  readonly routes: readonly Route[];
  /** `[[may_answer]]`, in the order of the file. */
  readonly mayAnswer: readonly MayAnswer[];
  /** `[[asks.rule]]`, in the order of the file. */
  readonly askRules: readonly AskRule[];
  /** `[rig.<name>]`, by name. */
  readonly rigs: Readonly<Record<string, RigSettings>>;
  /** `[presets.<name>]`, by name. */
  readonly presets: Readonly<Record<string, PresetSettings>>;
  /** Where each key that was set came from: the file, `$TOWN_DANCE_WINDOWS`, `--set`. Others are defaults. */
  readonly sources: Readonly<Record<string, string>>;
  /** The constants that `$TOWN_NUMBERS` replaces, and its file; null = it is not set. */
  readonly numbers: { readonly file: string; readonly names: readonly string[] } | null;
}

export const DEFAULTS: Choices = {
  town: { protected: [] },
  tmux: { socket: 'default' },
  notify: { command: null, perHour: NOTIFY.perHour, perHourInAll: NOTIFY.perHourInAll, allWell: null },
  asks: { offer: [] },
  channels: CHANNEL_DEFAULTS,
  policy: POLICY,
  hands: HANDS,
  state: STATE,
  process: PROCESS,
  inspect: INSPECT,
  patrols: { patrol: PATROL, witness: WITNESS },
  triage: { command: null, policy: TRIAGE, hands: TRIAGE_HANDS },
  log: { level: 'info' },
};

/** The value at a dotted place, or at a path; undefined when there is no such place. */
export function at(tree: unknown, place: string | readonly PropertyKey[]): unknown {
  const parts = typeof place === 'string' ? place.split('.') : place;
  return parts.reduce<unknown>((node, part) => {
    return typeof node === 'object' && node !== null && Object.hasOwn(node, part)
      ? (node as Record<PropertyKey, unknown>)[part]
      : undefined;
  }, tree);
}

/** Puts a value at a dotted place, making tables on the way. */
export function setAt(tree: Record<string, unknown>, place: string, value: unknown): void {
  const parts = place.split('.');
  const last = parts.pop() ?? '';
  let node = tree;
  for (const part of parts) {
    const inner = Object.hasOwn(node, part) ? node[part] : undefined;
    if (typeof inner !== 'object' || inner === null) node[part] = {};
    node = node[part] as Record<string, unknown>;
  }
  node[last] = value;
}
