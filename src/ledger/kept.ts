/** What the town keeps for itself as evidence: JSON of a shape that it knows. */
import { z } from 'zod';
import type { Evidence } from '../../state/ledger/port.ts';

const JSON_TEXT = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    context.issues.push({ code: 'custom', message: String(error), input: text });
    return z.NEVER;
  }
});

/** null = nothing is kept, or it is none of the town's: an author is a name that a person may write under. */
export function keptIn<T>(evidence: Pick<Evidence, 'text'> | null, shape: z.ZodType<T>): T | null {
  if (evidence === null) return null;
  const read = JSON_TEXT.pipe(shape).safeParse(evidence.text);
  return read.success ? read.data : null;
}
