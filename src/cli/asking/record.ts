/** Puts an answer of a person on record. The town brings it into the journal, at its next start where it is down. */
import type { AnsweredQuestion } from '../../../machines/protocol.ts';
import { fileAnswer } from '../../../state/alerts/answers.ts';
import type { Context } from '../context.ts';
import { newId } from './notes.ts';

export async function putOnRecord(context: Context, answer: Omit<AnsweredQuestion, 'at'>): Promise<void> {
  await fileAnswer(await context.disk(), { id: newId('a'), answer: { at: Date.now(), ...answer } });
}
