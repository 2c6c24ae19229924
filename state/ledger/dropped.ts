/** A file that a program drops into evidence/: one record of evidence, in the name of the living agent whose TOWN_TOKEN stands in it. */
import { z } from 'zod';
import { recordKind } from '../files/record-kind.ts';
import { LEDGER } from './policy.ts';

export interface Dropped {
  readonly token: string;
  readonly type: string;
  readonly text?: string | undefined;
  /** JSON of any shape. */
  readonly body?: unknown;
}

const TOKEN = /^[0-9a-f]{64}$/;

const shape = z
  .strictObject({
    token: z
      .string({ error: 'it is no text; write "$TOWN_TOKEN"' })
      .regex(TOKEN, { error: 'it is no TOWN_TOKEN, which has 64 hex digits' }),
    type: z
      .string()
      .max(LEDGER.maxWord)
      .refine((type) => type.trim() !== '' && type.isWellFormed(), 'it is empty, or no text')
      .default('note'),
    text: z.string().min(1).max(LEDGER.maxText).optional(),
    body: z.unknown().optional(),
  })
  .refine(({ text, body }) => (text === undefined) !== (body === undefined), {
    error: 'it needs either a text or a body',
  });

export const DROPPED = recordKind<Dropped>('evidence', { shape, foreign: true });

/** As the ledger keeps it. */
export const textOfDropped = ({ text, body }: Dropped): string => text ?? JSON.stringify(body);
