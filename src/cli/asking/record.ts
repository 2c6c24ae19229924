/** Puts an answer of a person on record. The town brings it into the journal, at its next start where it is down. */
import type { AnsweredQuestion } from '../../../machines/protocol.ts';
import { fileAnswer, forgetAnswer } from '../../../state/alerts/answers.ts';
import type { Context } from '../context.ts';
import { newId } from './notes.ts';

type Answer = Omit<AnsweredQuestion, 'at' | 'isCutOff'>;

export async function putOnRecord(context: Context, answer: Answer): Promise<void> {
  await fileAnswer(await context.disk(), { id: newId('a'), answer: { at: Date.now(), ...answer } });
}

/** It is on record before it is carried out: a command that a kill cuts off leaves who chose what. Rejects as the disk and `carryOut` do. */
export async function carryOutOnRecord(
  context: Context,
  answer: Answer,
  carryOut: () => Promise<unknown>,
): Promise<void> {
  const disk = await context.disk();
  const filed = { id: newId('a'), answer: { at: Date.now(), ...answer } };
  await fileAnswer(disk, { ...filed, isUnderWay: true });
  await carryOut().catch(async (error: unknown) => {
    await forgetAnswer(disk, filed.id);
    throw error;
  });
  await fileAnswer(disk, filed);
}
