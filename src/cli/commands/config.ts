/** `town config check|show|trust`: what is set, where it came from, and what it means. */
import { existsSync } from 'node:fs';
import { constants } from '../../config/constants.ts';
import { KEYS, asWritten, type Key } from '../../config/keys.ts';
import { jsonSchema } from '../../config/schema.ts';
import { at, type Settings } from '../../config/settings.ts';
import { namedRoot } from '../../config/root.ts';
import { faultAt } from '../../../state/files/ownership.ts';
import { trustRoot, trustedFile } from '../../../state/files/trusted-roots.ts';
import { refusalText, UNREAD } from '../../terminal/refusal.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { tablesOf } from '../asking/read-config.ts';
import { missingThings, unclearCommands } from '../asking/config-there.ts';
import { mustBePossible } from '../asking/pin.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure, type ExitCode } from '../../terminal/failure.ts';
import { jsonText } from '../../terminal/streams.ts';
import { clean, say, table } from '../../terminal/print.ts';
import { times } from '../../../machines/kernel/span.ts';

/** That it is set is no secret. */
const withoutSecret = (kind: Key['kind'], value: unknown): unknown =>
  kind.isSecret === true && value !== null ? '(a secret)' : value;

function viewOf(key: Key, settings: Settings) {
  const { path, kind, reason, reader, env } = key;
  return {
    key: path,
    /** As one would write it in town.toml; null = not set. */
    value: path.includes('*') ? null : withoutSecret(kind, asWritten(kind, at(settings, key.to))),
    default: key.default,
    /** `default`, the file, `$VARIABLE` or `--set`. */
    source: settings.sources[path] ?? 'default',
    allowed: kind.allowed,
    reason,
    reader,
    env,
  };
}

function shown(value: unknown): string {
  return value === null || value === undefined ? '(not set)' : jsonText(value);
}

/** Of a key that each agent or rig has for itself: how many set it. */
function sourceText(
  { key, source }: { readonly key: string; readonly source: string },
  { sources, file }: Settings,
): string {
  const [section = '', name] = key.split('.*.');
  if (name === undefined || file === null) return source;
  const set = Object.keys(sources).filter((path) => path.startsWith(section) && path.endsWith(`.${name}`));
  return set.length === 0 ? source : `${file} (${set.length === 1 ? 'once' : `${set.length} times`})`;
}

/** The constants that `$TOWN_NUMBERS` replaces; null = it is not set. */
function numbersIn({ numbers, ...settings }: Settings) {
  if (numbers === null) return null;
  const replaced = numbers.names.flatMap((name) => {
    const constant = constants().get(name);
    if (constant === undefined) return [];
    const { kind, value, to } = constant;
    return [{ name, value: asWritten(kind, at(settings, to)), constant: value }];
  });
  return { file: numbers.file, replaced };
}

type Numbers = NonNullable<ReturnType<typeof numbersIn>>;

const counted = ({ file, replaced }: Numbers): string =>
  `$TOWN_NUMBERS is set: ${file} replaces ${times(replaced.length, 'constant')}`;

function numbersText(numbers: Numbers): string[] {
  const rows = numbers.replaced.map(({ name, value, constant }) => [name, shown(value), shown(constant)]);
  return ['', counted(numbers), table(['CONSTANT', 'VALUE', 'WITHOUT IT'], rows)];
}

export interface ConfigOptions {
  readonly set: readonly string[];
  readonly schema?: boolean;
}

/** `show`: every key with its value. With `--schema`: the JSON Schema for editors, bare. */
export async function show(context: Context, options: ConfigOptions): Promise<void> {
  if (options.schema === true) {
    say(jsonText(jsonSchema(), 2));
    return;
  }
  const settings = await context.exactSettings(options.set);
  const keys = KEYS.map((key) => viewOf(key, settings));
  const { root, rootFrom, file, rigs, agents, presets, routes, mayAnswer: may_answer, askRules: ask_rules } = settings;
  const numbers = numbersIn(settings);
  const tables = { rigs, agents, presets, routes, may_answer, ask_rules };
  context.answer('config', { root, root_from: rootFrom, file, keys, ...tables, numbers }, () => [
    `root ${root} (from ${rootFrom}); ${file ?? 'no town.toml: every key has its default'}`,
    table(
      ['KEY', 'VALUE', { head: 'SOURCE', drop: 1 }, 'WHY'],
      keys.map((k) => [k.key, shown(k.value ?? k.default), sourceText(k, settings), k.reason]),
    ),
    ...tablesText(settings),
    ...(numbers === null ? [] : numbersText(numbers)),
  ]);
}

/** Each table of the file, with all its values. */
function tablesText(settings: Settings): string[] {
  const { rigs, agents, presets } = settings;
  const rows = (heading: string, values: object): string[][] =>
    Object.entries(values).map(([key, value]) => [heading, key, shown(value)]);
  const all = [
    ...Object.entries(rigs).flatMap(([rig, values]) => rows(`[rig.${rig}]`, written('rig', values))),
    ...agents.flatMap((agent) => rows(`agent ${agent.name}`, agent)),
    ...Object.entries(presets).flatMap(([name, values]) => rows(`[presets.${name}]`, values)),
    ...tablesOf(settings).flatMap(({ heading, section, entries }) =>
      entries.flatMap((entry, i) => rows(`${heading} ${i + 1}`, written(section, entry))),
    ),
  ];
  return all.length === 0 ? [] : ['', table(['WHOSE', 'KEY', 'VALUE'], all)];
}

/** Durations as one writes them. */
const written = (section: string, values: object): object =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const kind = KEYS.find(({ path }) => path === `${section}.*.${key}`)?.kind;
      return [key, kind === undefined ? value : asWritten(kind, value)];
    }),
  );

/** `check`: exit 2 with every mistake and for a socket that cannot be, 1 where something that it names is not there, else 0. */
export async function check(context: Context): Promise<number> {
  const settings = await context.exactSettings([]);
  mustBePossible(settings);
  const { root, file, sources } = settings;
  const numbers = numbersIn(settings);
  const set = Object.keys(sources).length;
  const missing = await missingThings(context, settings);
  const unclear = await unclearCommands(context, settings);
  const ok = missing.length === 0;
  context.answer('config-check', { root, file, ok, set, missing, unclear, numbers }, () => [
    `${file ?? `${root} has no town.toml`}: right; ${times(set, 'key is', 'keys are')} set`,
    ...missing.map((one) => clean(one)),
    ...unclear.map((one) => clean(one)),
    ...(numbers === null ? [] : [counted(numbers)]),
  ]);
  return ok ? EXIT.done : EXIT.failed;
}

/** `trust`: obeys a root that is others', or that they may write. Throws ConfigError, Failure. */
export async function trust(context: Context, dir: string): Promise<ExitCode> {
  await mustBeOperator(context, 'town config trust');
  const { root } = namedRoot({ flag: dir });
  if (!existsSync(root)) {
    const text = `${root} is not there; give the folder of a town, or \`town up --root DIR\``;
    throw new Failure(EXIT.usage, 'bad_root', text);
  }
  const file = trustedFile();
  const fault = faultAt(file);
  if (fault !== null) throw new Failure(EXIT.usage, 'not_yours', refusalText(fault, UNREAD, 'remove it'));
  const path = trustRoot(root);
  context.answer('config-trust', { root: path, file }, () => [
    `each user who may write in ${path} can give you orders from now on, for as long as it has the same owner`,
    `remove its line in ${file} to end that`,
  ]);
  return EXIT.done;
}
