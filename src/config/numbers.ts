/**
 * `$TOWN_NUMBERS`: a TOML file that replaces constants, for the tests of developers, who cannot wait for the times of life.
 * CONTRIBUTING.md describes it, and `town config show` says which constants it replaces. It counts for the operator only.
 */
import { isAbsolute } from 'node:path';
import { nearest } from '../terminal/nearest.ts';
import { printValue, type Tree } from './check.ts';
import { constants, type Constant } from './constants.ts';
import { ConfigError } from './errors.ts';
import { KEYS } from './keys.ts';
import { parseToml, textOf } from './toml-file.ts';

export const NUMBERS = 'TOWN_NUMBERS';

/** What replaces constants. */
export interface Numbers {
  /** Absolute. */
  readonly file: string;
  /** By the constant's place in `Settings`; milliseconds for durations. */
  readonly values: ReadonlyMap<Constant, unknown>;
}

type Environment = Readonly<Record<string, string | undefined>>;

function fileIn(env: Environment): string | null {
  const file = env[NUMBERS];
  if (file === undefined || file === '') return null;
  if (env['TOWN_TOKEN'] !== undefined)
    throw wrong(`$${NUMBERS} counts for the operator only, and TOWN_TOKEN says that an agent calls; unset ${NUMBERS}`);
  if (!isAbsolute(file)) throw wrong(`$${NUMBERS} = ${printValue(file)}: must be the absolute path of a TOML file`);
  return file;
}

const wrong = (...lines: readonly string[]): ConfigError => new ConfigError('bad_config', lines);

function whyNot(path: string): string {
  if (KEYS.some((key) => key.path === path)) return `${path} is a key; write it into town.toml`;
  const near = nearest(path, [...constants().keys()]);
  return `${path} is no constant; ${near === null ? 'src/config/constants.ts names them' : `the nearest is ${near}`}`;
}

/** Throws ConfigError with every mistake. Null = the variable is not set. */
export function readNumbers(root: string, env: Environment): Numbers | null {
  const file = fileIn(env);
  if (file === null) return null;
  const text = textOf(root, file);
  if (text === null) throw wrong(`${file} is not there; write it, or unset ${NUMBERS}`);
  const values = new Map<Constant, unknown>();
  const lines: string[] = [];
  for (const [path, value] of leavesOf(parseToml(file, text))) {
    const constant = constants().get(path);
    const read = constant?.kind.schema().safeParse(value);
    if (constant === undefined) lines.push(`${file}: ${whyNot(path)}`);
    else if (read?.success === true) values.set(constant, read.data);
    else lines.push(`${file}: ${path} = ${printValue(value)}: must be ${constant.kind.allowed}`);
  }
  if (lines.length > 0) throw wrong(...lines);
  return { file, values };
}

/** Each value with its path, such as `dance.look_every`. */
function leavesOf(tree: Tree): [path: string, value: unknown][] {
  return Object.entries(tree).flatMap(([section, inner]): [string, unknown][] =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.entries(inner).map(([name, value]) => [`${section}.${name}`, value])
      : [[section, inner]],
  );
}
