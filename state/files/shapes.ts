/** Shapes that records of several subsystems are made of. Each parses to exactly the type of the protocol; the compiler checks it. */
import { z } from 'zod';
import type { NamedProc, Incarnation, Proc } from '../../machines/protocol.ts';

export const duration = z.number().min(0);
export const count = z.int().min(0);
export const wall = z.number();

export const proc = z.strictObject({ pid: z.int().min(2), started: z.string().min(1) }) satisfies z.ZodType<Proc>;

export const namedProc = proc.extend({ program: z.string() }) satisfies z.ZodType<NamedProc>;

const incarnationShape = z.strictObject({
  uuid: z.string().min(1),
  session: z.string().min(1),
  server: proc,
  sessionId: z.string().regex(/^(\$\d+)?$/),
  paneId: z.string().regex(/^(%\d+)?$/),
  agent: proc,
  origin: z.enum(['started', 'adopted', 'detached']),
});
/** A life with a pane has a session too; a detached life has neither. */
export const incarnation = incarnationShape.refine(
  ({ origin, sessionId, paneId }) =>
    (sessionId === '') === (origin === 'detached') && (paneId === '') === (origin === 'detached'),
  'a detached life has no session and no pane, any other has both',
) satisfies z.ZodType<Incarnation>;

export const exit = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('code'), code: z.int() }),
  z.strictObject({ kind: z.literal('signal'), signal: z.string() }),
  z.strictObject({ kind: z.literal('unknown') }),
]);

export const instant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'expected a time like 2026-01-31T12:00:00Z');
export const said = z.string().refine((text) => text.trim() !== '', 'must not be empty');
