/**
 * The shapes of everything durable that decides something: dances, sessions, warrants, answers.
 * 1. Each file names its schema and version (`dance/1`). A newer version is recognised and left alone.
 * 2. Each schema parses to exactly the type of the protocol; the compiler checks it.
 * 3. What we write is strict; what other programs write (loose warrants) may carry more, which is left out.
 */
import { z } from 'zod';
import {
  DANCE_STATES,
  SESSION_STATES,
  STAGES,
  VERDICTS,
  VIAS,
  type Attempt,
  type Dance,
  type DanceState,
  type Elsewhere,
  type Incarnation,
  type Proc,
  type SessionRecord,
  type Warrant,
} from '../machines/protocol.ts';

const duration = z.number().min(0);
const count = z.int().min(0);
const wall = z.number();

export const proc = z.strictObject({ pid: z.int().min(2), started: z.string().min(1) }) satisfies z.ZodType<Proc>;

const elsewhere = proc.extend({ program: z.string() }) satisfies z.ZodType<Elsewhere>;

const incarnationShape = z.strictObject({
  uuid: z.string().min(1),
  session: z.string().min(1),
  server: proc,
  sessionId: z.string().regex(/^(\$\d+)?$/),
  paneId: z.string().regex(/^(%\d+)?$/),
  agent: proc,
  origin: z.enum(['started', 'adopted', 'detached']),
});
/** Whoever has a pane is in a session too; a detached life has neither. */
const incarnation = incarnationShape.refine(
  ({ origin, sessionId, paneId }) =>
    (sessionId === '') === (origin === 'detached') && (paneId === '') === (origin === 'detached'),
  'a detached life has no session and no pane, any other has both',
) satisfies z.ZodType<Incarnation>;

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

const exit = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('code'), code: z.int() }),
  z.strictObject({ kind: z.literal('signal'), signal: z.string() }),
  z.strictObject({ kind: z.literal('unknown') }),
]);

const dance = z.strictObject({
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
  elsewhere: z.array(elsewhere).optional(),
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
}) satisfies z.ZodType<Dance>;

/** D-1's word for where a dance stands; a closed one is known by its verdict. */
export function danceStateOf({ stage, verdict }: Pick<Dance, 'stage' | 'verdict'>): DanceState {
  if (stage === 'closed') return verdict === 'pardoned' || verdict === 'failed' ? verdict : 'complete';
  const word = stage.split('.', 1)[0];
  const state = DANCE_STATES.find((known) => known === word);
  if (state === undefined) throw new Error(`Stage "${stage}" belongs to no state of a dance: add it to danceStateOf.`);
  return state;
}

export const danceFile = z
  .strictObject({ schema: z.literal('dance/1'), state: z.enum(DANCE_STATES), context: dance })
  .refine(({ state, context }) => state === danceStateOf(context), 'state and stage do not fit together')
  .refine(
    ({ context }) => context.stage !== 'closed' || (context.verdict !== null && context.closedAt !== null),
    'a closed dance has a verdict and a time',
  );

const session = z.strictObject({
  spec: z.strictObject({
    name: z.string().min(1),
    command: z.array(z.string()),
    dir: z.string(),
    tags: z.array(z.string()),
    restart: z.enum(['permanent', 'transient', 'temporary']),
    process: z.string().nullable(),
  }),
  state: z.enum(SESSION_STATES),
  incarnation: incarnation.nullable(),
  pending: z.string().nullable(),
  tokenHash: z.string().nullable(),
  restartAgesMs: z.array(duration),
  cleanAgesMs: z.array(duration).optional(),
  restless: z.boolean().optional(),
  streak: count,
  failedStarts: count.optional(),
  nameTaken: z.boolean().optional(),
  unknownTold: z.boolean().optional(),
  restarts: count,
  crashLoop: z.boolean(),
  waitMs: duration,
  stableMs: duration,
  lastExit: exit.nullable(),
  note: z.string(),
  startedAt: wall.nullable(),
  configured: z.boolean().optional(),
  remains: z.array(z.strictObject({ life: incarnation, survivors: z.array(elsewhere) })).optional(),
  asked: z.strictObject({ uuid: z.string(), then: z.enum(['restart', 'end']), operatorAt: wall.optional() }).nullish(),
}) satisfies z.ZodType<SessionRecord>;

export const sessionFile = session.extend({ schema: z.literal('session/1') });

/** What tmux keeps of a life on its session. */
export const lifeFile = z.strictObject({ schema: z.literal('life/1'), spec: session.shape.spec, incarnation });

const instant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'expected a time like 2026-01-31T12:00:00Z');
const said = z.string().refine((text) => text.trim() !== '', 'must not be empty');

/** A warrant's file, whoever wrote it. `target` is the session's name; `incarnation` binds it to one life. */
export const warrantFile = z.object({
  schema: z.literal('warrant/1').optional(),
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

export const answerFile = z.strictObject({
  schema: z.literal('answer/1'),
  code: z.string().min(1),
  uuid: z.string().nullable(),
  answered_at: instant,
  via: z.string(),
});
/** An answer to an interrogation. `uuid`: the life that answered; null = the operator answered for it. */
export type AnswerFile = z.infer<typeof answerFile>;
