/** `town config check|show|trust`: what is set, where it came from, and what it means. */
import { existsSync } from 'node:fs';
import { KEYS, type Key } from '../../config/keys.ts';
import { allowedText } from '../../config/kinds.ts';
import { formatDuration } from '../../config/duration.ts';
import { jsonSchema } from '../../config/schema.ts';
import { at, type Settings } from '../../config/settings.ts';
import { namedRoot } from '../../config/root.ts';
import { faultAt } from '../../../state/files/ownership.ts';
import { trustRoot, trustedFile } from '../../../state/files/trusted-roots.ts';
import { refusalText, UNREAD } from '../../terminal/refusal.ts';
import { mustBeOperator } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure, type ExitCode } from '../../terminal/failure.ts';
import { jsonText } from '../../terminal/streams.ts';
import { say, table } from '../../terminal/print.ts';

function asWritten(key: Key, value: unknown): unknown {
  if (key.kind.is === 'duration' && typeof value === 'number') return formatDuration(value);
  if (key.kind.is === 'windows' && Array.isArray(value)) return value.map((ms) => formatDuration(Number(ms)));
  return value;
}

function viewOf(key: Key, settings: Settings) {
  const { path, kind, reason, reader, env } = key;
  return {
    key: path,
    /** As one would write it in town.toml; null = not set. */
    value: path.includes('*') ? null : asWritten(key, at(settings, key.to)),
    default: key.default,
    /** `default`, the file, `$VARIABLE` or `--set`. */
    source: settings.sources[path] ?? 'default',
    allowed: allowedText(kind),
    reason,
    reader,
    env,
  };
}

function shown(value: unknown): string {
  return value === null || value === undefined ? '(not set)' : jsonText(value);
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
  const { root, rootFrom, file, rigs, agents } = settings;
  context.answer('config', { root, root_from: rootFrom, file, keys, rigs, agents }, () => [
    `root ${root} (from ${rootFrom}); ${file ?? 'no town.toml: every key has its default'}`,
    table(
      ['KEY', 'VALUE', { head: 'SOURCE', drop: 1 }, 'WHY'],
      keys.map((k) => [k.key, shown(k.value), k.source, k.reason]),
    ),
  ]);
}

/** `check`: exit 2 with every mistake, else 0. */
export async function check(context: Context): Promise<number> {
  const { root, file, sources } = await context.exactSettings([]);
  const set = Object.keys(sources).length;
  const text = `${file ?? `${root} has no town.toml`}: right; ${set === 1 ? '1 key is' : `${set} keys are`} set`;
  context.answer('config-check', { root, file, ok: true, set }, text);
  return EXIT.done;
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
