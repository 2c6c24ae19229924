/**
 * What may be stored, and how it stands in the store: JSON of our own shape. Any text is kept as it is; ids and words
 * that are looked for are held to signs that every store and every shell takes the same way.
 */
import { z } from 'zod';
import { BEAD_STATUSES, NOT_OFFICIAL, type Bead, type Official } from '../../machines/ledger/bead.ts';
import { showText } from '../files/show-text.ts';
import { LedgerFault } from './fault.ts';
import { LEDGER } from './policy.ts';
import type { Comment, Evidence } from './port.ts';

/** Of writes, comments and evidence: some name their author, who has slashes. */
const KEY = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/;
/** Of beads, as `bd` makes them: what is called after one (a file, a git ref, a letter) needs no quoting and leads nowhere else. */
const BEAD_ID = /^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/;

/** By which a store may sort and look up: half a surrogate pair is no text to most of them. */
const wellFormed = (text: string): boolean => text.isWellFormed();
const upTo = (most: number) =>
  z
    .string()
    .max(most, { error: ({ input }) => `it has ${String((input as string).length)} characters, the limit is ${most}` });

const key = upTo(LEDGER.maxKey).regex(KEY, {
  error: ({ input }) => `${showText(input)} is no id: letters, digits and . _ / -, beginning with a letter or digit`,
});
const beadId = upTo(LEDGER.maxId).regex(BEAD_ID, {
  error: ({ input }) =>
    `${showText(input)} is no id: letters, digits, _ and -, beginning with a letter or digit, in parts with . between`,
});
/** What a link leads to: a bead, or one of another ledger (`external:<prefix>:<id>`, or a capability that it names). */
const target = upTo(LEDGER.maxId).regex(
  /^(?:external:[^\s:]+:[^\s:]+|[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)$/,
  {
    error: ({ input }) => `${showText(input)} is no id of a bead, and no external:<prefix>:<id>`,
  },
);
const word = upTo(LEDGER.maxWord).refine(wellFormed, 'it holds half a character (a lone surrogate)');
const someWord = word.refine((text) => text.trim() !== '', 'it must not be empty');
const text = upTo(LEDGER.maxText);
const instant = upTo(LEDGER.maxWord).refine(
  (at) => !Number.isNaN(Date.parse(at)),
  'expected a time like 2026-01-31T12:00:00Z',
);
const instantOrNone = z.union([z.literal(''), instant]);
/** Such a key would be lost on the way: JavaScript takes it for something else. */
const keyed = <T extends z.ZodType<object>>(schema: T) =>
  z.preprocess((given, context) => {
    if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__'))
      context.addIssue({ code: 'custom', message: 'it has a field named __proto__' });
    return given;
  }, schema);
const extra = keyed(z.record(z.string(), z.unknown()));

const dependency = z.strictObject({
  on: target,
  type: someWord,
  createdAt: instantOrNone,
  createdBy: word,
  extra,
});

const signature = z.strictObject({
  by: word,
  via: z.enum(['town', 'operator', 'agent', 'triage']),
  life: word.nullable(),
  at: instant,
});
const official = z.strictObject({
  made: signature.nullable(),
  resolution: signature
    .extend({ choice: someWord, note: text, all: z.literal(true).optional(), shown: word.optional() })
    .nullable(),
  plan: z.strictObject({ acts: z.array(z.looseObject({ act: someWord })), said: z.array(text) }).optional(),
  refusal: z.strictObject({ exit: z.int(), code: someWord, text }).optional(),
  left: z.enum(['escalated', 'refused']).optional(),
  touched: signature.optional(),
  aside: word.optional(),
  closed: signature.optional(),
  wish: signature.optional(),
  merged: instant.optional(),
  consent: z.enum(['asked', 'budget', 'given']).optional(),
}) satisfies z.ZodType<Official>;

const bead = z.strictObject({
  id: beadId,
  title: upTo(LEDGER.maxTitle).refine((title) => title.trim() !== '', 'it must not be empty'),
  description: text,
  type: someWord,
  status: z.enum(BEAD_STATUSES, { error: ({ input }) => `${showText(input)} is none of ${BEAD_STATUSES.join(', ')}` }),
  priority: z.int().min(0, 'it must be 0 to 4').max(4, 'it must be 0 to 4'),
  assignee: word,
  labels: z
    .array(someWord)
    .max(LEDGER.maxLabels, `there are more than ${LEDGER.maxLabels}`)
    .refine((labels) => new Set(labels).size === labels.length, 'the same stands there twice'),
  isWisp: z.boolean(),
  wispType: word,
  dependencies: z.array(dependency).max(LEDGER.maxDependencies, `there are more than ${LEDGER.maxDependencies}`),
  metadata: keyed(z.record(someWord, text)).refine(
    (map) => Object.keys(map).length <= LEDGER.maxMetadata,
    `there are more than ${LEDGER.maxMetadata}`,
  ),
  attempts: z.int().min(0),
  rig: word,
  owner: word,
  createdBy: word,
  createdAt: instant,
  updatedAt: instant,
  startedAt: instantOrNone,
  closedAt: instantOrNone,
  closeReason: text,
  extra,
  official,
  version: z.int().min(0),
}) satisfies z.ZodType<Bead>;

const comment = z.strictObject({
  id: key,
  beadId,
  author: someWord,
  text: text.refine((one) => one.trim() !== '', 'it must not be empty'),
  createdAt: instant,
}) satisfies z.ZodType<Comment>;

const evidence = z.strictObject({
  id: key,
  author: someWord,
  kind: someWord,
  text,
  at: z.int().min(0),
}) satisfies z.ZodType<Evidence>;

function must<T>(schema: z.ZodType<T>, what: string, given: T): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.map(String).join('.') ?? '';
  const where = place === '' ? '' : ` (${place})`;
  throw new LedgerFault('bad_bead', `${what}${where} cannot be stored: ${issue?.message ?? 'it does not fit'}`);
}

/** As it may be stored. Throws LedgerFault (`bad_bead`) with the first thing that is wrong. */
export const checkedBead = (given: Bead): Bead => must<Bead>(bead, `the bead ${showText(given.id)}`, given);
export const checkedComment = (given: Comment): Comment => must<Comment>(comment, 'the comment', given);
export const checkedEvidence = (given: Evidence): Evidence => must<Evidence>(evidence, 'the evidence', given);
export const checkedWrite = (id: string): string => must(key, 'a write with this id', id);

const NS_PER_MS = 1e6;
/** The time of a gate; null = it has none, or an older town stored one that never ends. */
export function gateMs({ extra: { timeout } }: Pick<Bead, 'extra'>): number | null {
  const ms = typeof timeout === 'number' ? timeout / NS_PER_MS : 0;
  return ms > 0 && ms <= LEDGER.maxGateMs ? ms : null;
}
/** What a gate is kept with. */
export const gateTime = (ms: number): Bead['extra'] => ({ timeout: ms * NS_PER_MS });

/** Its JSON in the store, without what the store keeps beside it. Throws LedgerFault for one that is too large. */
export function beadText({ version: _, official: _official, ...kept }: Bead): string {
  const json = JSON.stringify(kept);
  const bytes = Buffer.byteLength(json);
  const whys = [
    bytes > LEDGER.maxBytes && `it has ${bytes} bytes, the limit is ${LEDGER.maxBytes}`,
    waitsForEver(kept) && 'its time (timeout) is more than a century; give a shorter one, or none',
  ];
  const why = whys.find((one) => one !== false);
  if (why === undefined) return json;
  throw new LedgerFault('bad_bead', `the bead ${showText(kept.id)} cannot be stored: ${why}`);
}

/** One that an older town stored can still be closed. */
const waitsForEver = ({ type, status, extra }: Pick<Bead, 'type' | 'status' | 'extra'>): boolean =>
  type === 'gate' && status !== 'closed' && Number(extra['timeout']) > 0 && gateMs({ extra }) === null;

/** Empty = nothing is official. */
export const officialText = (given: Official): string =>
  given.made === null && given.resolution === null && given.touched === undefined && given.wish === undefined
    ? ''
    : JSON.stringify(must(official, 'what a door wrote', given));

interface BeadRow {
  readonly json: string;
  readonly official: string;
  readonly version: number;
}

/** What `beadText` and `officialText` wrote. Throws LedgerFault (`unreadable_bead`) for anything else: the pages hold it, but not as it was. */
export function beadOf(id: string, { json, official: kept, version }: BeadRow): Bead {
  try {
    const more = kept === '' ? NOT_OFFICIAL : (JSON.parse(kept) as unknown);
    return bead.parse({ ...(JSON.parse(json) as object), official: more, version });
  } catch (error) {
    const why = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
    throw new LedgerFault('unreadable_bead', `the bead ${showText(id)} cannot be read: ${why}`, { cause: error });
  }
}
