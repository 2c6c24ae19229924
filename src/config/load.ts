/**
 * Reads the configuration of a root: flag > environment > town.toml > default, into `Settings`. Reports all mistakes at
 * once. A town.toml that belongs to another user, is no regular file or is too large is refused unread.
 */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TomlError, parse } from 'smol-toml';
import { STATE } from '../../state/files/policy.ts';
import { codeOf } from '../../state/files/disk.ts';
import { mistakes, nearestKey, printValue, type Sources, type Tree } from './check.ts';
import { parseDuration } from './duration.ts';
import { ConfigError } from './errors.ts';
import { KEYS, type Key } from './keys.ts';
import { fromText, schemaOf } from './kinds.ts';
import { nearest } from '../terminal/nearest.ts';
import { CONFIG_FILE, findRoot, mustBeOurs, type Root, type RootSources } from './root.ts';
import { TREE } from './schema.ts';
import { DEFAULTS, at, setAt, type AgentSettings, type Choices, type RigSettings, type Settings } from './settings.ts';

export interface LoadOptions extends Omit<RootSources, 'flag'> {
  /** The value of --root. */
  readonly root?: string | undefined;
  /** `key=value` of --set, the strongest source. */
  readonly set?: readonly string[];
  /** Read in place of the file's text. */
  readonly toml?: string;
}

const wrong = (text: string): ConfigError => new ConfigError('bad_config', [text]);

function textOf({ root }: Root, file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return '';
    throw wrong(`${file} is a link that leads nowhere; mend it or remove it`);
  }
  if (!stat.isFile()) throw wrong(`${file} is no regular file; replace it by a plain text file`);
  if (stat.size > STATE.maxRecordBytes)
    throw wrong(`${file} has ${stat.size} bytes, at most ${STATE.maxRecordBytes} are read; shorten it`);
  mustBeOurs(root, [file]);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw wrong(`${file} cannot be read (${codeOf(error)}); see to its permissions`);
  }
}

function readToml(file: string, text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [why = 'it cannot be read'] = error.message.replace('Invalid TOML document: ', '').split('\n');
    throw wrong(`${file} line ${error.line}, column ${error.column}: ${why}; mend that line`);
  }
}

const CHOSEN: readonly Key[] = KEYS.filter((key) => !key.path.includes('*'));

/** Environment variables that look like keys but are none: a typing mistake would else have no effect, silently. */
function strangers(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set(CHOSEN.flatMap((key) => key.env));
  const sections = [...TREE.inner.keys()].map((name) => `TOWN_${name.toUpperCase()}_`);
  return Object.keys(env).flatMap((name) => {
    const prefix = sections.find((start) => name.startsWith(start));
    if (prefix === undefined || known.has(name)) return [];
    const near = nearestKey([prefix.slice(5, -1).toLowerCase(), name.slice(prefix.length).toLowerCase()]);
    const hint = near === null ? 'see `town config show`' : `the nearest key is ${near}`;
    return [`$${name} = ${printValue(env[name])}: unknown key; ${hint}; rename or unset it`];
  });
}

function overlay(
  tree: Record<string, unknown>,
  file: string,
  options: LoadOptions,
): { sources: Map<string, string>; lines: string[] } {
  const { env = process.env, set = [] } = options;
  const sources = new Map<string, string>();
  const lines = strangers(env);
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
      const known = CHOSEN.map((candidate) => candidate.path);
      const near = key?.path ?? nearest(path, known) ?? 'dance.pool_size';
      lines.push(`--set ${printValue(entry)}: must be key=value with a known key; write for example --set ${near}=…`);
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
  return kind.is === 'duration' && typeof written === 'string' ? parseDuration(written) : written;
}

function valueOf(key: Key, tree: unknown, path: string): unknown {
  const written = at(tree, path);
  return written === undefined ? defaultValue(key) : schemaOf(key.kind).parse(written);
}

function tables(section: string, tree: Tree): Record<string, Record<string, unknown>> {
  const keys = KEYS.filter((key) => key.path.startsWith(`${section}.*.`));
  const inner = (key: Key): string => key.path.slice(section.length + 3);
  const read = (table: unknown): Record<string, unknown> =>
    Object.fromEntries(keys.map((key) => [inner(key), valueOf(key, table, inner(key))]));
  return Object.fromEntries(Object.entries(at(tree, section) ?? {}).map(([name, table]) => [name, read(table)]));
}

function settle(where: Root, tree: Tree, sources: Sources, { file, toml }: { file: string; toml: string }): Settings {
  const choices = structuredClone(DEFAULTS) as unknown as Record<string, unknown>;
  for (const key of CHOSEN) if (at(tree, key.path) !== undefined) setAt(choices, key.to, valueOf(key, tree, key.path));
  return {
    // Every place of the key table is one of `Choices`, with a value of its type: test/config walks them all.
    ...(choices as unknown as Choices),
    root: where.root,
    rootFrom: where.from,
    file: where.configured ? file : null,
    toml,
    agents: Object.values(tables('agents', tree)) as unknown as AgentSettings[],
    rigs: tables('rig', tree) as unknown as Record<string, RigSettings>,
    sources: Object.fromEntries(sources),
  };
}

/** Throws ConfigError with every mistake; writes nothing. */
export function loadSettings(options: LoadOptions = {}): Settings {
  const { root, env, cwd, home } = options;
  const where = findRoot({ flag: root, ...(env && { env }), ...(cwd && { cwd }), ...(home && { home }) });
  const file = join(where.root, CONFIG_FILE);
  const toml = options.toml ?? textOf(where, file);
  const tree = readToml(file, toml);
  const { sources, lines } = overlay(tree, file, options);
  const all = [...lines, ...mistakes(tree, sources, file)];
  if (all.length > 0) throw new ConfigError('bad_config', all);
  return settle(where, tree, sources, { file, toml });
}

/** Defaults alone, for a root whose configuration cannot be read: enough to stop what runs there. */
export function defaultSettings(where: Root): Settings {
  return settle({ ...where, configured: false }, {}, new Map(), { file: '', toml: '' });
}
