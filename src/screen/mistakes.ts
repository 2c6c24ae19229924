/** Mistakes in a pack, in words for its author: one sentence each, with its place and the right value. Pure. */
import { z } from 'zod';
import { nearest } from '../terminal/nearest.ts';
import { PACK } from './pack.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Of a pack that `PACK` refused. `raw`: what it was given. */
export const mistakesIn = (issues: readonly Issue[], raw: unknown): string[] =>
  issues.flatMap((issue) => told(issue, []).map(({ path, text }) => `${placeOf(path, raw)}: ${text}`));

interface Told {
  readonly path: Path;
  readonly text: string;
}

function told(issue: Issue, above: Path): Told[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path, text: unknownKey(key, keysAt(path)) }));
  if (issue.code !== 'invalid_union') return [{ path, text: sentence(issue) }];
  // One branch is for a single pattern and one for a list: the other only says that it is no such thing.
  const meant = issue.errors.find((some) => some.some((one) => one.code !== 'invalid_type' || one.path.length > 0));
  if (meant !== undefined) return meant.flatMap((one) => told(one, path));
  const isMissing = issue.errors.every((some) => some.every(({ message }) => MISSING.test(message)));
  return [{ path, text: isMissing ? 'is missing' : 'must be a pattern or a list of patterns' }];
}

const MISSING = /received undefined$/;

function sentence(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return MISSING.test(issue.message)
      ? 'is missing'
      : issue.message.replace(/^Invalid input: expected/, 'must be of type');
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_format') return 'must be a name of small letters, digits and -';
  if (issue.code === 'too_small') return `must be ${String(issue.minimum)} at least`;
  return issue.code === 'too_big' ? `must be ${String(issue.maximum)} at most` : issue.message;
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return `${JSON.stringify(key)} is no key here; ${near === null ? `there are ${known.join(', ')}` : `did you mean ${near}?`}`;
}

/** The keys of the table at this path. */
function keysAt(path: Path): string[] {
  let at: unknown = PACK;
  for (const step of path) {
    const inner = bare(at);
    at =
      inner instanceof z.ZodArray ? inner.element : inner instanceof z.ZodObject ? inner.shape[step as string] : null;
  }
  const table = bare(at);
  return table instanceof z.ZodObject ? Object.keys(table.shape) : [];
}

const bare = (schema: unknown): unknown =>
  schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? bare(schema.unwrap()) : schema;

/** `rule "spinner": match[1]`. People count from 1, and call a rule by its name. */
function placeOf(path: Path, raw: unknown): string {
  const [table, index, ...rest] = path;
  if (table === undefined) return 'the pack';
  if (typeof index !== 'number') return wordsOf(path);
  const one = (raw as Readonly<Record<string, readonly { readonly name?: unknown }[]>>)[String(table)]?.[index];
  const name = typeof one?.name === 'string' ? JSON.stringify(one.name) : String(index + 1);
  return [`${String(table)} ${name}`, ...(rest.length === 0 ? [] : [wordsOf(rest)])].join(': ');
}

const wordsOf = (path: Path): string =>
  path
    .map((step, at) => (typeof step === 'number' ? `[${step + 1}]` : `${at === 0 ? '' : '.'}${String(step)}`))
    .join('');
