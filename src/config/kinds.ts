/** How each kind of value is written in town.toml and in the environment, what it becomes, and how it is explained. */
import { z } from 'zod';
import type { Kind } from '../../machines/policy-later.ts';
import { DURATION, formatDuration, parseDuration } from './duration.ts';

/** Names the town manages; others are reported, never touched. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const LONGEST_TEXT = 4_096;
const LONGEST_PATTERN = 200;
const LONGEST_LIST = 1_000;
const MOST_WINDOWS = 10;

const bounded = (kind: { readonly least: number; readonly most: number }): ((text: string) => boolean) => {
  return (text) => {
    const ms = parseDuration(text);
    return ms !== null && ms >= kind.least && ms <= kind.most;
  };
};
const durationText = z.string().regex(DURATION);
const line = z
  .string()
  .min(1)
  .max(LONGEST_TEXT)
  .regex(/^[^\0-\x1f\x7f]*$/);

function compiles(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false; // The only error of the constructor is a pattern that is none.
  }
}

/** The zod schema: input as in town.toml, output as the machines and hands get it (milliseconds, words of a command). */
export function schemaOf(kind: Kind): z.ZodType {
  switch (kind.is) {
    case 'duration':
      return durationText.refine(bounded(kind)).transform((text) => parseDuration(text) ?? 0);
    case 'windows':
      return z
        .array(durationText.refine(bounded(kind)))
        .min(1)
        .max(MOST_WINDOWS)
        .transform((all) => all.map((text) => parseDuration(text) ?? 0))
        .refine((all) => all.every((ms, i) => ms >= (all[i - 1] ?? 0)));
    case 'int':
      return z.int().min(kind.least).max(kind.most);
    case 'number':
      return z.number().min(kind.least).max(kind.most);
    case 'bool':
      return z.boolean();
    case 'text':
      return line;
    case 'list':
      return z.array(line).max(LONGEST_LIST);
    case 'one':
      return z.enum(kind.of as [string, ...string[]]);
    case 'pattern':
      return z.string().min(1).max(LONGEST_PATTERN).refine(compiles);
    case 'command':
      return z.union([line.transform((text) => ['/bin/sh', '-c', text]), z.array(line).min(1).max(LONGEST_LIST)]);
    case 'name':
      return z.string().regex(NAME);
    case 'socket':
      return line.refine((text) => text.startsWith('/') || NAME.test(text));
    case 'free':
      return z.record(z.string(), z.unknown());
  }
}

/** What may be written, for a sentence: `… must be <this>`. */
export function allowed(kind: Kind): string {
  switch (kind.is) {
    case 'duration':
      return `a duration with its unit (ms, s, m, h, d) from ${formatDuration(kind.least)} to ${formatDuration(kind.most)}`;
    case 'windows':
      return `a list of 1 to ${MOST_WINDOWS} durations with their units, none of them 0 or shorter than the one before`;
    case 'int':
      return `a whole number from ${kind.least} to ${kind.most}`;
    case 'number':
      return `a number from ${kind.least} to ${kind.most}`;
    case 'bool':
      return 'true or false';
    case 'text':
      return `a text of one line, not empty`;
    case 'list':
      return 'a list of texts';
    case 'one':
      return kind.of.map((word) => `"${word}"`).join(' or ');
    case 'pattern':
      return `a regular expression of at most ${LONGEST_PATTERN} characters`;
    case 'command':
      return 'a command: a list of words, or one text for the shell';
    case 'name':
      return 'a name of letters, digits, _ and -, at most 64, starting with a letter or digit';
    case 'socket':
      return 'a socket name for tmux -L (letters, digits, _ and -) or an absolute path for tmux -S';
    case 'free':
      return 'a table';
  }
}

/** Something one could type, for keys without a default. */
export function example(kind: Kind): unknown {
  switch (kind.is) {
    case 'duration':
      return formatDuration(kind.least);
    case 'windows':
      return ['60s', '120s'];
    case 'int':
    case 'number':
      return kind.least;
    case 'bool':
      return true;
    case 'list':
      return ['worker'];
    case 'one':
      return kind.of[0];
    case 'command':
      return ['program', 'argument'];
    case 'pattern':
      return '-worker$';
    case 'free':
      return {};
    case 'text':
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
