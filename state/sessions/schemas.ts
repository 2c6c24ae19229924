/** The shapes of a session's record, and of what tmux keeps of it. Strict. */
import { z } from 'zod';
import { SESSION_STATES, type SessionRecord } from '../../machines/protocol.ts';
import { CONVERSATION_ID } from '../../machines/sessions/conversation.ts';
import { count, duration, exit, incarnation, namedProc, wall } from '../files/shapes.ts';

/** It is a part of an episode's name. */
const ACCOUNT_ID = /^[\w-]{1,80}$/;

export const session = z.strictObject({
  spec: z.strictObject({
    name: z.string().min(1),
    command: z.array(z.string()),
    dir: z.string(),
    tags: z.array(z.string()),
    restart: z.enum(['permanent', 'transient', 'temporary']),
    process: z.string().nullable(),
    env: z.array(z.string()).optional(),
    maxMemoryBytes: count.optional(),
    background: z
      .strictObject({ program: z.literal('claude'), id: z.string(), config: z.string().nullable() })
      .optional(),
  }),
  state: z.enum(SESSION_STATES),
  incarnation: incarnation.nullable(),
  pending: z.string().nullable(),
  tokenHash: z.string().nullable(),
  restartAgesMs: z.array(duration),
  cleanAgesMs: z.array(duration).optional(),
  restless: z.boolean().optional(),
  endUnconfirmed: z.literal(true).optional(),
  streak: count,
  failedStarts: count.optional(),
  nameTaken: z.boolean().optional(),
  startBlocked: z.boolean().optional(),
  personThere: z.boolean().optional(),
  unknownTold: z.boolean().optional(),
  restarts: count,
  crashLoop: z.boolean(),
  waitMs: duration,
  stableMs: duration,
  lastExit: exit.nullable(),
  lastWords: z.string().optional(),
  note: z.string(),
  startedAt: wall.nullable(),
  program: z.strictObject({ file: z.string(), mark: z.string(), version: z.string().nullable() }).optional(),
  conversation: z
    .strictObject({
      id: z.string().regex(CONVERSATION_ID),
      resumed: z.boolean(),
      deaths: count,
      steady: z.literal(true).optional(),
      over: z.string().optional(),
      because: z.string().optional(),
      left: z.string().optional(),
      untold: z.string().optional(),
    })
    .optional(),
  prompt: z.string().optional(),
  account: z
    .strictObject({ id: z.string().regex(ACCOUNT_ID), label: z.string(), file: z.string().nullable() })
    .optional(),
  bar: z
    .strictObject({
      by: z.enum(['limited', 'logged_out']),
      life: z.string(),
      since: wall,
      resets: z.string().optional(),
      resetsAt: wall.optional(),
      isCut: z.literal(true).optional(),
      goOn: z.strictObject({ is: z.enum(['later', 'asked', 'told']), at: wall }).optional(),
      credential: z.string().optional(),
      outdated: wall.optional(),
    })
    .optional(),
  login: z.strictObject({ life: z.string(), credential: z.string().nullable() }).optional(),
  configured: z.boolean().optional(),
  remains: z.array(z.strictObject({ life: incarnation, survivors: z.array(namedProc) })).optional(),
  endLetter: z.string().optional(),
  asked: z
    .strictObject({
      uuid: z.string(),
      then: z.enum(['restart', 'end']),
      operatorAt: wall.optional(),
      townAt: wall.optional(),
      renewedAt: wall.optional(),
    })
    .nullish(),
}) satisfies z.ZodType<SessionRecord>;

/** What tmux keeps of a life on its session. */
export const lifeFile = z.strictObject({ spec: session.shape.spec, incarnation });
