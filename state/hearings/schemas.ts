/**
 * The shapes of what a hearing keeps: dances, warrants, answers.
 * 1. Each schema parses to exactly the type of the protocol; the compiler checks it.
 * 2. What we write is strict; what other programs write (loose warrants) may carry more, which is left out.
 */
import { z } from 'zod';
import { DANCE_STATES, STAGES, VERDICTS, VIAS } from '../../machines/protocol.ts';
import type { Attempt, Dance, DanceState, Warrant } from '../../machines/protocol.ts';
import { STATE } from '../files/policy.ts';
import { recordKind } from '../files/record-kind.ts';
import { count, duration, exit, incarnation, instant, namedProc, proc, said, wall } from '../files/shapes.ts';

const warrant = z.strictObject({
  id: z.string().min(1),
  target: incarnation,
  reason: z.string().min(1),
  requester: z.string().min(1),
  filedAt: wall,
  force: z.boolean(),
  via: z.enum(VIAS).optional(),
}) satisfies z.ZodType<Warrant>;

const mark = z.strictObject({
  line: z.number(),
  width: z.number(),
  alternate: z.boolean(),
  cpuRate: z.number().nullable(),
});

const attempt = z.strictObject({
  code: z.string().min(1),
  windowMs: duration,
  askedAt: wall.nullable(),
  question: z.array(z.string()),
  mark: mark.nullable(),
  seen: z.string(),
}) satisfies z.ZodType<Attempt>;

/** What a dance's file calls fields that have another name in the code. Older records have these words too. */
const STORED = { excluded: 'elsewhere', crashes: 'falls', recoveries: 'wakings' } as const;
const FIELDS = new Map<string, string>(Object.entries(STORED).map(([field, stored]) => [stored, field]));

const renamed = (record: object, nameOf: (key: string) => string): object =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [nameOf(key), value]));
/** A dance as its file and the commands' JSON show it. */
export const storedDance = (dance: Dance): object =>
  renamed(dance, (key) => (key in STORED ? STORED[key as keyof typeof STORED] : key));

type StoredDance = Omit<Dance, keyof typeof STORED> & {
  readonly elsewhere?: Dance['excluded'];
  readonly falls: number;
  readonly wakings: number;
};

const storedShape = z.strictObject({
  id: z.string().min(1),
  slot: count,
  target: incarnation,
  warrants: z.array(warrant).min(1),
  stage: z.enum(STAGES),
  attempt: z.int().min(1),
  attempts: z.array(attempt),
  observedMs: duration,
  undeliveredMs: duration,
  personMs: duration,
  tree: z.array(proc).nullable(),
  elsewhere: z.array(namedProc).optional(),
  killing: z.boolean(),
  rounds: count,
  rescue: z
    .strictObject({ folder: z.string(), ref: z.string().nullable(), repos: count.optional(), files: count.optional() })
    .nullable(),
  survivors: z.array(proc),
  verdict: z.enum(VERDICTS).nullable(),
  reason: z.string(),
  lastedMs: duration.optional(),
  evidenceOnly: z.boolean(),
  escalate: z.boolean(),
  falls: count,
  wakings: count,
  retried: z.boolean(),
  exit: exit.optional(),
  tailBefore: z.string(),
  tailAfter: z.string(),
  openedAt: wall,
  closedAt: wall.nullable(),
}) satisfies z.ZodType<StoredDance>;
const dance = storedShape.transform((stored) => renamed(stored, (key) => FIELDS.get(key) ?? key) as Dance);

/** D-1's word for where a dance stands; a closed one is known by its verdict. */
export function danceStateOf({ stage, verdict }: Pick<Dance, 'stage' | 'verdict'>): DanceState {
  if (stage === 'closed') return verdict === 'pardoned' || verdict === 'failed' ? verdict : 'complete';
  const word = stage.split('.', 1)[0];
  const state = DANCE_STATES.find((known) => known === word);
  if (state === undefined) throw new Error(`Stage "${stage}" belongs to no state of a dance: add it to danceStateOf.`);
  return state;
}

export const danceFile = z
  .strictObject({ state: z.enum(DANCE_STATES), context: dance })
  .refine(({ state, context }) => state === danceStateOf(context), 'state and stage do not fit together')
  .refine(
    ({ context }) => context.stage !== 'closed' || (context.verdict !== null && context.closedAt !== null),
    'a closed dance has a verdict and a time',
  )
  .transform(({ context }): Dance => context);

/** A warrant's file, by any writer. `target` is the session's name; `incarnation` binds it to one life. */
const warrantFile = z.object({
  id: said.optional(),
  target: said,
  reason: said,
  requester: said,
  filed_at: instant.optional(),
  incarnation: incarnation.optional(),
  force: z.boolean().optional(),
  via: z.enum(VIAS).optional(),
});
export type WarrantFile = z.infer<typeof warrantFile>;
export const WARRANT = recordKind<WarrantFile>('warrant', { shape: warrantFile, foreign: true });

const answerFile = z.strictObject({
  code: z.string().min(1),
  uuid: z.string().nullable(),
  answered_at: instant,
  via: z.string(),
});
/** An answer to an interrogation. `uuid`: the life that answered; null = the operator answered for it. */
export type AnswerFile = z.infer<typeof answerFile>;
export const ANSWER = recordKind<AnswerFile>('answer', { shape: answerFile, maxBytes: STATE.maxRecordBytes });
