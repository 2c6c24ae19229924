/** How each kind of value is written in town.toml and in the environment, what it becomes, and how it is explained. */
import { homedir } from 'node:os';
import { z } from 'zod';
import type { Ms } from '../../machines/protocol.ts';
import { HOURS } from '../../machines/channels/route.ts';
import { fitsNames, MAX_PATTERN } from './name-pattern.ts';
import { DURATION, formatDuration, parseDuration } from './duration.ts';

/** What may be written for a key. */
export interface Kind {
  readonly is: string;
  /**
   * Input as in town.toml, output as the machines and hands get it (milliseconds, words of a command). Made when it is asked for:
   * one for each key would be half the time of a short command.
   */
  readonly schema: () => z.ZodType;
  /** For a sentence: `… must be <this>`. */
  readonly allowed: string;
  /** Something one could type, for keys without a default. */
  readonly example: unknown;
  /** A text from the environment or a flag, as town.toml would hold it; what it cannot read stays a text. Absent = the text itself. */
  readonly fromText?: (text: string) => unknown;
  /** Its value stands in nothing that is printed. */
  readonly isSecret?: true;
  /** Durations are bounded in milliseconds. */
  readonly min?: number;
  readonly max?: number;
  /** The only words. */
  readonly of?: readonly string[];
}

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
/** Names the town manages; others are reported, never touched. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const TAG = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}$/;
const LONGEST_TEXT = 4_096;
const LONGEST_LIST = 1_000;
const MAX_WINDOWS = 10;

const line = z
  .string()
  .min(1)
  .max(LONGEST_TEXT)
  .regex(/^[^\0-\x1f\x7f]*$/);

const durationIn = (min: Ms, max: Ms): z.ZodType<Ms, string> =>
  z
    .string()
    .regex(DURATION)
    .refine((text) => {
      const ms = parseDuration(text);
      return ms !== null && ms >= min && ms <= max;
    })
    .transform((text) => parseDuration(text) ?? 0);

const isOfTheWeb = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);

/** As a shell reads it: `~` and `~/…` are below the home folder of who runs the town. */
const atHome = (path: string): string =>
  path === '~' || path.startsWith('~/') ? `${homedir()}${path.slice(1)}` : path;

/** The program may stand below the home folder; its arguments are its own. */
const wordsOfCommand = z
  .array(line)
  .min(1)
  .max(LONGEST_LIST)
  .transform(([program = '', ...args]) => [atHome(program), ...args]);

/** Where a secret stands in a file of its own. */
const inFile = z.strictObject({ file: line.transform(atHome) });
const IN_FILE = 'the file that has it in its first line: { file = "~/.config/secret" }';

const numberFrom = (text: string): unknown => (/^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
const listFrom = (text: string): string[] => text.split(',').map((part) => part.trim());

export const duration = (min: Ms = 1, max: Ms = YEAR): Kind => ({
  is: 'duration',
  min,
  max,
  schema: () => durationIn(min, max),
  allowed: `a duration with its unit (ms, s, m, h, d) from ${formatDuration(min)} to ${formatDuration(max)}`,
  example: formatDuration(min),
});
/** One to ten durations, none shorter than the one before. */
export const windows: Kind = {
  is: 'windows',
  schema: () =>
    z
      .array(durationIn(1, 24 * HOUR))
      .min(1)
      .max(MAX_WINDOWS)
      .refine((all) => all.every((ms, i) => ms >= (all[i - 1] ?? 0))),
  allowed: `a list of 1 to ${MAX_WINDOWS} durations with their units, none of them 0 or shorter than the one before`,
  example: ['60s', '120s'],
  fromText: listFrom,
};
export const int = (min: number, max: number): Kind => ({
  is: 'int',
  min,
  max,
  schema: () => z.int().min(min).max(max),
  allowed: `a whole number from ${min} to ${max}`,
  example: min,
  fromText: numberFrom,
});
export const number = (min: number, max: number): Kind => ({
  is: 'number',
  min,
  max,
  schema: () => z.number().min(min).max(max),
  allowed: `a number from ${min} to ${max}`,
  example: min,
  fromText: numberFrom,
});
/** Sizes of memory as people write them: a number and a unit. Bytes inside. */
const BYTES_IN: Readonly<Record<string, number>> = {
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

const SIZE = /^(\d{1,9}(?:\.\d{1,3})?) ?([kMGT]B|[KMGT]iB)$/;

/** `"2 GB"`, `"512MB"`, `"1.5 GiB"`; null when it is not a size. Whole bytes, rounded. */
export function parseSize(text: string): number | null {
  const [, number, unit = ''] = SIZE.exec(text.trim()) ?? [];
  const bytes = BYTES_IN[unit];
  return number === undefined || bytes === undefined ? null : Math.round(Number(number) * bytes);
}

/** The largest unit in which it is a whole number; what `parseSize` reads back. */
export function formatSize(bytes: number): string {
  const unit = ['TB', 'GB', 'MB', 'kB'].find((name) => bytes % (BYTES_IN[name] ?? 1) === 0) ?? 'kB';
  return `${bytes === 0 ? 0 : bytes / (BYTES_IN[unit] ?? 1)} ${bytes === 0 ? 'MB' : unit}`;
}

export const size: Kind = {
  is: 'size',
  schema: () =>
    z
      .string()
      .regex(SIZE)
      .transform((text) => parseSize(text) ?? 0),
  allowed: 'a size with its unit (kB, MB, GB, TB, KiB, MiB, GiB, TiB)',
  example: '2 GB',
};
export const bool: Kind = {
  is: 'bool',
  schema: () => z.boolean(),
  allowed: 'true or false',
  example: true,
  fromText: (text) => (text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text),
};
export const one = (...of: string[]): Kind => ({
  is: 'one',
  of,
  schema: () => z.enum(of as [string, ...string[]]),
  allowed: of.map((word) => `"${word}"`).join(' or '),
  example: of[0],
});
export const list: Kind = {
  is: 'list',
  schema: () => z.array(line).max(LONGEST_LIST),
  allowed: 'a list of texts',
  example: ['worker'],
  fromText: listFrom,
};
export const words = (...of: [string, ...string[]]): Kind => ({
  ...list,
  of,
  schema: () => z.array(z.enum(of)),
  allowed: `a list of ${of.map((word) => `"${word}"`).join(', ')}`,
  example: of,
});
export const text: Kind = {
  is: 'text',
  schema: () => line,
  allowed: 'a text of one line, not empty',
  example: 'name',
};
/** A text that is never shown, or the file that has it in its first line. */
export const secret: Kind = {
  is: 'secret',
  isSecret: true,
  schema: () => z.union([line, inFile]),
  allowed: `${text.allowed}, or ${IN_FILE}`,
  example: 'name',
};
/** Of the web. */
export const url: Kind = {
  is: 'url',
  schema: () => line.refine(isOfTheWeb),
  allowed: 'an address that begins with http:// or https://',
  example: 'https://example.org',
};
/** Who knows it may send there. */
export const secretUrl: Kind = {
  ...url,
  isSecret: true,
  schema: () => z.union([line.refine(isOfTheWeb), inFile]),
  allowed: `${url.allowed}, or ${IN_FILE}`,
};
export const hours: Kind = {
  is: 'hours',
  schema: () => line.regex(HOURS),
  allowed: 'hours of a day, such as "22:00-07:00"',
  example: '22:00-07:00',
};
/** Absolute, below the root, or below the home folder (`~`). */
export const folder: Kind = {
  is: 'folder',
  schema: () => line.transform(atHome),
  allowed: 'a folder: an absolute path, or one below the root or below ~',
  example: '~/src/app',
};
/** Words executed as they are, or one text for `sh -c`. */
export const command: Kind = {
  is: 'command',
  schema: () => z.union([line.transform((text) => ['/bin/sh', '-c', text]), wordsOfCommand]),
  allowed: 'a command: a list of words, or one text for the shell',
  example: ['program', 'argument'],
};
/** Of a session, a rig or an agent. */
export const name: Kind = {
  is: 'name',
  schema: () => z.string().regex(NAME),
  allowed: 'a name of letters, digits, _ and -, at most 64, starting with a letter or digit',
  example: 'name',
};
/** A name for `tmux -L`, or an absolute path, or one below `~`, for `tmux -S`. */
export const socket: Kind = {
  is: 'socket',
  schema: () => line.transform(atHome).refine((text) => text.startsWith('/') || NAME.test(text)),
  allowed: 'a socket name for tmux -L (letters, digits, _ and -) or an absolute path for tmux -S',
  example: 'name',
};
/** Of sessions. */
export const tag: Kind = {
  is: 'tag',
  schema: () => line.regex(TAG),
  allowed: 'a tag: letters, digits, _ . : / and -, at most 64, starting with a letter or digit',
  example: 'worker',
};
/** A regular expression that names of sessions are tried with. */
export const pattern: Kind = {
  is: 'pattern',
  schema: () => line.refine((text) => fitsNames(text)),
  allowed: `a regular expression of at most ${MAX_PATTERN} signs that is quick on every name`,
  example: '.*-worker$',
};

/** A value from the environment or a flag. */
export const fromText = ({ fromText: read }: Kind, text: string): unknown => read?.(text.trim()) ?? text.trim();
