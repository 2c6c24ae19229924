/**
 * Reads the configuration of a root: flag > environment > town.toml > default, into `Settings`. Reports all mistakes at once.
 */
import { join } from 'node:path';
import { channelOfCaller, nicksIn, type MayAnswer } from '../../machines/channels/answers.ts';
import type { AskRule } from '../../machines/channels/rules.ts';
import type { Route } from '../../machines/channels/route.ts';
import { FILES } from '../../state/files/layout.ts';
import { CHANNEL_NAMES, IRC_NICK, channelsIn, routedChannels, switchOf } from '../channels/settings.ts';
import { mistakes, nearestKey, printValue, type Sources, type Tree } from './check.ts';
import { SECTIONS, asNow, formerText } from './constants.ts';
import { parseDuration } from './duration.ts';
import { ConfigError } from './errors.ts';
import { KEYS, type Key } from './keys.ts';
import { fromText, parseSize } from './kinds.ts';
import { nearest } from '../terminal/nearest.ts';
import { readNumbers, type Numbers } from './numbers.ts';
import { CONFIG_FILE, findRoot, type Root, type RootSources } from './root.ts';
import { TREE } from './schema.ts';
import {
  DEFAULTS,
  at,
  setAt,
  type AgentSettings,
  type Choices,
  type PresetSettings,
  type RigSettings,
  type Settings,
} from './settings.ts';
import { parseToml, textOf } from './toml-file.ts';

export interface LoadOptions extends Omit<RootSources, 'flag'> {
  /** The value of --root. */
  readonly root?: string | undefined;
  /** `key=value` of --set, the strongest source. */
  readonly set?: readonly string[];
  /** Read in place of the file's text. */
  readonly toml?: string;
  /** Whether it is read as an earlier version read it: old keys are no mistakes. */
  readonly isOfEarlier?: boolean;
}

const CHOSEN: readonly Key[] = KEYS.filter((key) => !key.path.includes('*'));

/** A misspelt key of a channel may have a secret for its value. */
const isOfChannel = (path: string): boolean =>
  (CHANNEL_NAMES as readonly string[]).includes(path.split('.', 1)[0] ?? '');

/**
 * Environment variables that look like keys but are none: a typing mistake would else have no effect, silently. To a reader of an
 * earlier version's text the keys of that version are none, either: a town that fell comes up again where a key became a constant.
 */
function strangers(env: Readonly<Record<string, string | undefined>>, isOfEarlier: boolean): string[] {
  const known = new Set(CHOSEN.flatMap((key) => key.env));
  const sections = [...new Set([...TREE.inner.keys(), ...SECTIONS])].map((name) => `TOWN_${name.toUpperCase()}_`);
  return Object.keys(env).flatMap((name) => {
    const prefix = sections.find((start) => name.startsWith(start));
    if (prefix === undefined || known.has(name)) return [];
    const path = [prefix.slice(5, -1).toLowerCase(), name.slice(prefix.length).toLowerCase()];
    const value = isOfChannel(path.join('.')) ? '(not shown)' : printValue(env[name]);
    const written = `$${name} = ${value}`;
    const former = formerText(path.join('.'), 'unset it');
    if (former !== null) return isOfEarlier ? [] : [`${written}: ${former}`];
    const near = nearestKey(path);
    const hint = near === null ? 'see `town config show`' : `the nearest key is ${near}`;
    return [`${written}: unknown key; ${hint}; rename or unset it`];
  });
}

/** Why a `--set` counts for nothing, and what was meant. */
function whyNotSet(path: string, isKey: boolean): string {
  if (isKey) return `the value is missing; write --set ${path}=…`;
  const paths = CHOSEN.map((key) => key.path);
  const near = paths.find((one) => one.endsWith(`.${path}`)) ?? nearest(path, paths);
  return `no key is called that; ${near === null ? '' : `did you mean ${near}? `}\`town config show\` lists them`;
}

function overlay(
  tree: Record<string, unknown>,
  file: string,
  options: LoadOptions,
): { sources: Map<string, string>; lines: string[] } {
  const { env = process.env, set = [], isOfEarlier = false } = options;
  const sources = new Map<string, string>();
  const lines = strangers(env, isOfEarlier);
  for (const key of CHOSEN) {
    // The environment cannot tell empty from absent well enough: an empty value means "not set".
    const name = key.env.find((candidate) => env[candidate] !== undefined && env[candidate] !== '');
    if (at(tree, key.path) !== undefined) sources.set(key.path, file);
    if (name === undefined) continue;
    setAt(tree, key.path, fromText(key.kind, env[name] ?? ''));
    sources.set(key.path, `$${name}`);
  }
  for (const entry of set) {
    const [path = '', ...rest] = entry.split('=');
    const key = CHOSEN.find((candidate) => candidate.path === path);
    if (key === undefined || rest.length === 0) {
      const shown = printValue(isOfChannel(path) ? `${path}=…` : entry);
      const former = formerText(path, 'leave it out');
      if (former === null || !isOfEarlier)
        lines.push(`--set ${shown}: ${former ?? whyNotSet(path, key !== undefined)}`);
      continue;
    }
    setAt(tree, path, fromText(key.kind, rest.join('=')));
    sources.set(path, '--set');
  }
  // Tables with names of their own are written in the file only.
  for (const { path, key } of written(tree)) if (key.path.includes('*')) sources.set(path, file);
  return { sources, lines };
}

/** Every key that is set, by its path in the tree: `dance.retry`, `agents[1].name`, `rig.shop.agent`. */
function written(tree: Tree): { readonly path: string; readonly key: Key }[] {
  return KEYS.flatMap((key) => {
    const [outer = '', inner] = key.path.split('.*.');
    if (inner === undefined) return at(tree, key.path) === undefined ? [] : [{ path: key.path, key }];
    const tables = at(tree, outer) ?? {};
    const label = (name: string): string => (Array.isArray(tables) ? `[${Number(name) + 1}]` : `.${name}`);
    return Object.entries(tables).flatMap(([name, table]) =>
      at(table, inner) === undefined ? [] : [{ path: `${outer}${label(name)}.${inner}`, key }],
    );
  });
}

/** Without a schema: making one per key would be half the time of a short command. */
function defaultValue({ kind, default: written }: Key): unknown {
  if (typeof written !== 'string') return written;
  return kind.is === 'duration' ? parseDuration(written) : kind.is === 'size' ? parseSize(written) : written;
}

function valueOf(key: Key, tree: unknown, path: string): unknown {
  const written = at(tree, path);
  return written === undefined ? defaultValue(key) : key.kind.schema().parse(written);
}

function tables(section: string, tree: Tree): Record<string, Record<string, unknown>> {
  const keys = KEYS.filter((key) => key.path.startsWith(`${section}.*.`));
  const inner = (key: Key): string => key.path.slice(section.length + 3);
  const read = (table: unknown): Record<string, unknown> =>
    Object.fromEntries(keys.map((key) => [inner(key), valueOf(key, table, inner(key))]));
  return Object.fromEntries(Object.entries(at(tree, section) ?? {}).map(([name, table]) => [name, read(table)]));
}

interface Read {
  readonly tree: Tree;
  readonly sources: Sources;
  readonly file: string;
  readonly toml: string;
  readonly numbers: Numbers | null;
}

function settle(where: Root, { tree, sources, file, toml, numbers }: Read): Settings {
  const choices = structuredClone(DEFAULTS) as unknown as Record<string, unknown>;
  for (const key of CHOSEN) if (at(tree, key.path) !== undefined) setAt(choices, key.to, valueOf(key, tree, key.path));
  for (const [constant, value] of numbers?.values ?? []) setAt(choices, constant.to, value);
  // Every place of both tables is one of `Choices`, with a value of its type: test/config walks them all.
  const chosen = choices as unknown as Choices;
  const routes = Object.values(tables('route', tree)) as unknown as Route[];
  const { notify, process: limits } = chosen;
  return {
    ...chosen,
    channels: { ...chosen.channels, ...routedChannels(routes, notify.command, limits.notifyMs) },
    root: where.root,
    rootFrom: where.from,
    file: where.configured ? file : null,
    toml,
    agents: Object.values(tables('agents', tree)) as unknown as AgentSettings[],
    routes,
    mayAnswer: Object.values(tables('may_answer', tree)) as unknown as MayAnswer[],
    askRules: Object.values(tables('asks.rule', tree)) as unknown as AskRule[],
    rigs: tables('rig', tree) as unknown as Record<string, RigSettings>,
    presets: tables('presets', tree) as unknown as Record<string, PresetSettings>,
    sources: Object.fromEntries(sources),
    numbers: numbers && { file: numbers.file, names: [...numbers.values.keys()].map(({ path }) => path) },
  };
}

/** Throws ConfigError with every mistake; writes nothing. */
export function loadSettings(options: LoadOptions = {}): Settings {
  const { root, env, cwd, home } = options;
  const where = findRoot({ flag: root, ...(env && { env }), ...(cwd && { cwd }), ...(home && { home }) });
  const file = join(where.root, CONFIG_FILE);
  const toml = options.toml ?? textOf(where.root, file) ?? withoutFile(where.root, file);
  const whole = parseToml(file, toml);
  const tree = options.isOfEarlier === true ? asNow(whole) : whole;
  const numbers = readNumbers(where.root, env ?? process.env);
  const { sources, lines } = overlay(tree, file, options);
  const all = [...lines, ...mistakes(tree, sources, file)];
  if (all.length > 0) throw new ConfigError('bad_config', all);
  const settings = settle(where, { tree, sources, file, toml, numbers });
  const lost = [...deadEnds(settings, file), ...deafEars(settings, file), ...strayNicks(settings, file)];
  if (lost.length > 0) throw new ConfigError('bad_config', lost);
  return settings;
}

/** A route to a channel that is not configured would swallow what it takes. */
function deadEnds({ routes, channels }: Settings, file: string): string[] {
  const configured: readonly string[] = channelsIn(channels);
  return routes.flatMap(({ to }, i) =>
    to.flatMap((name) =>
      configured.includes(name)
        ? []
        : [
            `${file}: route[${i + 1}].to: ${printValue(name)} is not configured; set ${switchOf(name)}, or leave it out`,
          ],
    ),
  );
}

/** A caller on a channel that hears nothing would answer in vain. */
function deafEars({ mayAnswer, channels }: Settings, file: string): string[] {
  const configured: readonly string[] = channelsIn(channels);
  return mayAnswer.flatMap(({ from }, i) => {
    const name = channelOfCaller(from);
    const where = `${file}: may_answer[${i + 1}].from: ${printValue(from)}`;
    if (!configured.includes(name)) return [`${where} is not configured; set ${switchOf(name)}, or leave it out`];
    if (name !== 'ntfy' || channels.ntfy.replyTopic !== null) return [];
    return [`${where} has no topic to answer on; set ntfy.reply_topic to one that no other program knows`];
  });
}

/** A nick that is no agent's would be paged in vain, or prove the life of another. */
function strayNicks({ policy, channels }: Settings, file: string): string[] {
  const all = nicksIn(policy.tickle.nicks);
  const where = `${file}: tickle.nicks`;
  return all.flatMap(({ agent, nick }, at) => {
    const is = (one: string): boolean => one.toLowerCase() === nick.toLowerCase();
    const isTwice = all.findIndex((one) => one.agent === agent || is(one.nick)) !== at;
    if (agent === '' || !IRC_NICK.test(nick))
      return [`${where}: ${printValue(nick)} is no nick; write "${agent === '' ? 'builder' : agent}=nick"`];
    if (is(channels.irc.nick)) return [`${where}: ${printValue(nick)} is the town's own nick; write the agent's`];
    return isTwice
      ? [`${where}: ${printValue(`${agent}=${nick}`)} has an agent or a nick that stands there before`]
      : [];
  });
}

/** No file means defaults, unless a town came up with one: a file that was lost is no wish. */
function withoutFile(root: string, file: string): string {
  const good = join(root, FILES.goodConfig);
  if ((textOf(root, good) ?? '').trim() === '') return '';
  const text = `${file} is gone, and the town last came up with one: write it again (cp ${good} ${file}), or leave an empty one there for the defaults (touch ${file})`;
  throw new ConfigError('bad_config', [text]);
}

/** Defaults alone, for a root whose configuration cannot be read: enough to stop what runs there. */
export function defaultSettings(where: Root): Settings {
  const none = { tree: {}, sources: new Map<string, string>(), file: '', toml: '', numbers: null };
  return settle({ ...where, configured: false }, none);
}
