/** How each kind of value is written in town.toml and in the environment, what it becomes, and how it is explained. */
import { homedir } from 'node:os';
import { z } from 'zod';
import type { Ms } from '../../machines/protocol.ts';
import { HOURS } from '../../machines/channels/route.ts';
import { fitsNames, MAX_PATTERN } from './name-pattern.ts';
import { DURATION, formatDuration, parseDuration } from './duration.ts';
import { SIZE, parseSize } from './size.ts';

/** What may be written for a key. Durations are bounded in milliseconds. */
export type Kind =
  | { readonly is: 'duration'; readonly min: Ms; readonly max: Ms }
  /** Windows: one to ten durations, none shorter than the one before. */
  | { readonly is: 'windows'; readonly min: Ms; readonly max: Ms }
  | { readonly is: 'int' | 'number'; readonly min: number; readonly max: number }
  | { readonly is: 'bool' }
  /** Of memory. */
  | { readonly is: 'size' }
  | { readonly is: 'text' }
  /** A folder: absolute, below the root, or below the home folder (`~`). */
  | { readonly is: 'folder' }
  /** A text that is never shown, or the file that has it in its first line. */
  | { readonly is: 'secret' }
  /** Of the web; a secret one as `secret`. */
  | { readonly is: 'url'; readonly isSecret?: true }
  /** Hours of a day: `22:00-07:00`. */
  | { readonly is: 'hours' }
  | { readonly is: 'list' }
  | { readonly is: 'one'; readonly of: readonly string[] }
  /** Words executed as they are, or one text for `sh -c`. */
  | { readonly is: 'command' }
  /** The name of a session, a rig or an agent. */
  | { readonly is: 'name' }
  /** A name for `tmux -L`, or an absolute path, or one below `~`, for `tmux -S`. */
  | { readonly is: 'socket' }
  /** A tag of sessions. */
  | { readonly is: 'tag' }
  /** A regular expression that names of sessions are tried with. */
  | { readonly is: 'pattern' };

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

export const duration = (min: Ms = 1, max: Ms = YEAR): Kind => ({ is: 'duration', min, max });
export const int = (min: number, max: number): Kind => ({ is: 'int', min, max });
export const number = (min: number, max: number): Kind => ({ is: 'number', min, max });
export const one = (...of: string[]): Kind => ({ is: 'one', of });
export const windows: Kind = { is: 'windows', min: 1, max: 24 * HOUR };
export const bool: Kind = { is: 'bool' };
export const size: Kind = { is: 'size' };
export const text: Kind = { is: 'text' };
export const folder: Kind = { is: 'folder' };
export const secret: Kind = { is: 'secret' };
export const url: Kind = { is: 'url' };
/** Who knows it may send there. */
export const secretUrl: Kind = { is: 'url', isSecret: true };
/** Its value stands in nothing that is printed. */
export const isSecret = (kind: Kind): boolean => kind.is === 'secret' || (kind.is === 'url' && kind.isSecret === true);
export const hours: Kind = { is: 'hours' };
export const list: Kind = { is: 'list' };
export const command: Kind = { is: 'command' };
export const name: Kind = { is: 'name' };
export const socket: Kind = { is: 'socket' };
export const tag: Kind = { is: 'tag' };
export const pattern: Kind = { is: 'pattern' };
/** How often something may be counted before it is an alarm, an end or a queue. */
export const COUNT = int(1, 10_000);

/** Names the town manages; others are reported, never touched. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const TAG = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}$/;
const LONGEST_TEXT = 4_096;
const LONGEST_LIST = 1_000;
const MAX_WINDOWS = 10;

const bounded = (kind: { readonly min: number; readonly max: number }): ((text: string) => boolean) => {
  return (text) => {
    const ms = parseDuration(text);
    return ms !== null && ms >= kind.min && ms <= kind.max;
  };
};
const durationText = z.string().regex(DURATION);
const line = z
  .string()
  .min(1)
  .max(LONGEST_TEXT)
  .regex(/^[^\0-\x1f\x7f]*$/);

const isOfTheWeb = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);

/** The program may stand below the home folder; its arguments are its own. */
const wordsOfCommand = z
  .array(line)
  .min(1)
  .max(LONGEST_LIST)
  .transform(([program = '', ...args]) => [atHome(program), ...args]);

/** As a shell reads it: `~` and `~/…` are below the home folder of who runs the town. */
const atHome = (path: string): string =>
  path === '~' || path.startsWith('~/') ? `${homedir()}${path.slice(1)}` : path;

/** Where a secret stands in a file of its own. */
const inFile = z.strictObject({ file: line.transform(atHome) });

/** The zod schema: input as in town.toml, output as the machines and hands get it (milliseconds, words of a command). */
export function schemaOf(kind: Kind): z.ZodType {
  switch (kind.is) {
    case 'duration':
      return durationText.refine(bounded(kind)).transform((text) => parseDuration(text) ?? 0);
    case 'windows':
      return z
        .array(durationText.refine(bounded(kind)))
        .min(1)
        .max(MAX_WINDOWS)
        .transform((all) => all.map((text) => parseDuration(text) ?? 0))
        .refine((all) => all.every((ms, i) => ms >= (all[i - 1] ?? 0)));
    case 'int':
      return z.int().min(kind.min).max(kind.max);
    case 'number':
      return z.number().min(kind.min).max(kind.max);
    case 'size':
      return z
        .string()
        .regex(SIZE)
        .transform((text) => parseSize(text) ?? 0);
    case 'bool':
      return z.boolean();
    case 'text':
      return line;
    case 'secret':
      return z.union([line, inFile]);
    case 'url':
      return isSecret(kind) ? z.union([line.refine(isOfTheWeb), inFile]) : line.refine(isOfTheWeb);
    case 'hours':
      return line.regex(HOURS);
    case 'folder':
      return line.transform(atHome);
    case 'list':
      return z.array(line).max(LONGEST_LIST);
    case 'one':
      return z.enum(kind.of as [string, ...string[]]);
    case 'command':
      return z.union([line.transform((text) => ['/bin/sh', '-c', text]), wordsOfCommand]);
    case 'name':
      return z.string().regex(NAME);
    case 'socket':
      return line.transform(atHome).refine((text) => text.startsWith('/') || NAME.test(text));
    case 'tag':
      return line.regex(TAG);
    case 'pattern':
      return line.refine((text) => fitsNames(text));
  }
}

const TEXT = 'a text of one line, not empty';
const ADDRESS = 'an address that begins with http:// or https://';
const IN_FILE = 'the file that has it in its first line: { file = "~/.config/secret" }';

/** What may be written, for a sentence: `… must be <this>`. */
export function allowedText(kind: Kind): string {
  switch (kind.is) {
    case 'duration':
      return `a duration with its unit (ms, s, m, h, d) from ${formatDuration(kind.min)} to ${formatDuration(kind.max)}`;
    case 'windows':
      return `a list of 1 to ${MAX_WINDOWS} durations with their units, none of them 0 or shorter than the one before`;
    case 'int':
      return `a whole number from ${kind.min} to ${kind.max}`;
    case 'number':
      return `a number from ${kind.min} to ${kind.max}`;
    case 'size':
      return 'a size with its unit (kB, MB, GB, TB, KiB, MiB, GiB, TiB)';
    case 'bool':
      return 'true or false';
    case 'text':
      return TEXT;
    case 'secret':
      return `${TEXT}, or ${IN_FILE}`;
    case 'url':
      return isSecret(kind) ? `${ADDRESS}, or ${IN_FILE}` : ADDRESS;
    case 'hours':
      return 'hours of a day, such as "22:00-07:00"';
    case 'folder':
      return 'a folder: an absolute path, or one below the root or below ~';
    case 'list':
      return 'a list of texts';
    case 'one':
      return kind.of.map((word) => `"${word}"`).join(' or ');
    case 'command':
      return 'a command: a list of words, or one text for the shell';
    case 'name':
      return 'a name of letters, digits, _ and -, at most 64, starting with a letter or digit';
    case 'socket':
      return 'a socket name for tmux -L (letters, digits, _ and -) or an absolute path for tmux -S';
    case 'tag':
      return 'a tag: letters, digits, _ . : / and -, at most 64, starting with a letter or digit';
    case 'pattern':
      return `a regular expression of at most ${MAX_PATTERN} signs that is quick on every name`;
  }
}

/** Something one could type, for keys without a default. */
export function example(kind: Kind): unknown {
  switch (kind.is) {
    case 'duration':
      return formatDuration(kind.min);
    case 'windows':
      return ['60s', '120s'];
    case 'int':
    case 'number':
      return kind.min;
    case 'size':
      return '2 GB';
    case 'bool':
      return true;
    case 'list':
      return ['worker'];
    case 'one':
      return kind.of[0];
    case 'command':
      return ['program', 'argument'];
    case 'folder':
      return '~/src/app';
    case 'url':
      return 'https://example.org';
    case 'hours':
      return '22:00-07:00';
    case 'pattern':
      return '.*-worker$';
    case 'tag':
      return 'worker';
    case 'text':
    case 'secret':
    case 'name':
    case 'socket':
      return 'name';
  }
}

/** A value from the environment or a flag, as town.toml would hold it. What cannot be read stays a text and is refused. */
export function fromText(kind: Kind, text: string): unknown {
  const value = text.trim();
  switch (kind.is) {
    case 'int':
    case 'number':
      return /^[+-]?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    case 'bool':
      return value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value;
    case 'list':
    case 'windows':
      return value.split(',').map((part) => part.trim());
    default:
      return value;
  }
}
