/** Checks what callers of the control socket send. Any process of our uid can write there: nothing is believed. The size of a message is bounded before. */
import { z } from 'zod';
import type { Request } from '../../machines/protocol.ts';
import { REQUESTS, type RequestRow, type WordKinds } from '../../machines/protocol/requests.ts';
import { sessionOfAgent } from '../../machines/rigs/names.ts';
import { isVariable } from '../../machines/sessions/variables.ts';
import type { AliveParams, CostsParams, WakeParams } from './protocol.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const withoutNul = (text: string): boolean => !text.includes('\0');
const name = z
  .string()
  .transform(sessionOfAgent)
  .pipe(
    z.string().regex(NAME, 'is no session name: letters, digits, _ and -, at most 64, starting with a letter or digit'),
  );
const word = z.string().min(1).refine(withoutNul, 'contains a NUL');
const tags = z.array(word);

const spec = z.strictObject({
  name,
  command: z.array(z.string().refine(withoutNul, 'contains a NUL')).min(1, 'is empty: name a command'),
  dir: z.string().startsWith('/', 'is no absolute path').refine(withoutNul, 'contains a NUL'),
  tags,
  restart: z.enum(['permanent', 'transient', 'temporary']),
  process: word.nullable(),
  env: z.array(z.string().refine(isVariable, 'holds no name of a variable')).optional(),
});

const KINDS_OF_WORDS: { readonly [Kind in keyof WordKinds]: z.ZodType<WordKinds[Kind]> } = {
  name,
  'name?': name.nullable(),
  text: word,
  'text?': word.nullable(),
  texts: tags,
  flag: z.boolean(),
  count: z.int().min(1).max(86_400),
  spec,
  'flag?': z.literal(true).optional(),
  'words?': word.optional(),
  'id?': z
    .string()
    .regex(
      /^([$%]\d{1,9}|claude:[0-9a-f]{8})$/,
      'is no id of tmux ($3 or %5) or of an agent in the background (claude:1a2b3c4d)',
    )
    .optional(),
};
const requests = Object.entries<RequestRow>(REQUESTS).map(([verb, { words }]) => {
  const shapes = Object.entries(words).map(([name, kind]) => [
    name,
    typeof kind === 'string' ? KINDS_OF_WORDS[kind] : z.enum(kind),
  ]);
  return z.strictObject({ verb: z.literal(verb), ...(Object.fromEntries(shapes) as z.ZodRawShape) });
});
const request = z.discriminatedUnion('verb', requests as never) as z.ZodType<Request>;
const VERBS = Object.keys(REQUESTS);
const wake: z.ZodType<WakeParams> = z.strictObject({
  what: z.enum(['warrants', 'sessions', 'mail', 'work', 'cases', 'reports']),
});
const costs: z.ZodType<CostsParams> = z.strictObject({ from: z.number().nullable() });
const alive: z.ZodType<AliveParams> = z.strictObject({ code: word, uuid: word.nullable() });

/** A checked value, or one sentence that names the field and what is wrong with it. */
export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly text: string };

function checker<T>(schema: z.ZodType<T>): (params: unknown) => Checked<T> {
  return (params) => {
    const result = schema.safeParse(params);
    return result.success ? { ok: true, value: result.data } : { ok: false, text: sentenceOf(result.error.issues[0]) };
  };
}

/** In words of ours: a library's words about a value are no sentence for its sender. */
function sentenceOf(issue: z.core.$ZodIssue | undefined): string {
  const field = issue === undefined || issue.path.length === 0 ? 'the message' : issue.path.join('.');
  switch (issue?.code) {
    case 'unrecognized_keys':
      return `${field} has ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}, which this message does not have`;
    case 'invalid_type':
      return `${field} is missing, or is no ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `${field} is none of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'invalid_union':
      return `${field} is missing, or is none of ${VERBS.join(', ')}`;
    case 'too_small':
      return `${field} is empty`;
    case 'invalid_format':
    case 'custom':
      return `${field} ${issue.message}`;
    default:
      return `${field} is malformed`;
  }
}

/** What JSON calls them. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'list',
  object: 'object',
  record: 'object',
  boolean: 'yes or no',
};

/** The caller's token, and what is left without it. A token that is no text is none that anybody has. */
export function splitToken(params: unknown): { readonly token: string | null; readonly rest: unknown } {
  if (typeof params !== 'object' || params === null || !Object.hasOwn(params, 'token'))
    return { token: null, rest: params };
  const { token, ...rest } = params as { readonly token: unknown };
  return { token: typeof token === 'string' ? token : '', rest };
}

export const checkRequest = checker(request);
export const checkWake = checker(wake);
export const checkAlive = checker(alive);

/** From when on costs count; null = all count. */
export function costsFrom(params: unknown): CostsParams['from'] {
  const checked = checker(costs)(params);
  if (checked.ok) return checked.value.from;
  throw new Error(checked.text);
}
