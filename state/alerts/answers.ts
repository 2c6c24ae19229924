/**
 * Answers to the town's own questions, as they were given: daemon/answered/<id>.json, a file each, until the journal has them. Any
 * process of a root adds one, also while the town is down; only the town takes them away.
 */
import { z } from 'zod';
import type { AnsweredQuestion } from '../../machines/protocol.ts';
import { writeFiles } from '../files/atomic-write.ts';
import type { Disk } from '../files/disk.ts';
import { FOLDERS } from '../files/layout.ts';
import { STATE } from '../files/policy.ts';
import { readFolder, type RecordFolderOptions } from '../files/record-folder.ts';
import { recordsIn } from '../files/record-kind.ts';
import { wall } from '../files/shapes.ts';

interface Filed {
  readonly id: string;
  readonly answer: Omit<AnsweredQuestion, 'isCutOff'>;
  /** Its command carries it out now, or was cut off. */
  readonly isUnderWay?: true | undefined;
}
const words = z.string();
const answer = z.strictObject({
  at: wall,
  by: words,
  question: words,
  kind: words,
  session: words.nullable(),
  text: words,
  option: words,
}) satisfies z.ZodType<Filed['answer']>;
const ANSWERED = recordsIn<Filed>(FOLDERS.answered, 'answered', {
  shape: z.strictObject({ id: words.min(1), answer, isUnderWay: z.literal(true).optional() }),
  idOf: ({ id }) => id,
  maxBytes: STATE.maxRecordBytes,
});

/** Durable when it resolves. `id`: no other answer has it; of the same the later one stands. */
export async function fileAnswer(disk: Disk, filed: Filed): Promise<void> {
  await disk.mkdir(FOLDERS.answered);
  await writeFiles(disk, [ANSWERED.fileOf(filed)]);
}

export async function filedAnswers(options: RecordFolderOptions): Promise<Filed[]> {
  const leaves = await readFolder({ ...options, ...ANSWERED });
  return leaves.map(({ value }) => value);
}

export const forgetAnswer = (disk: Disk, id: string): Promise<void> => disk.remove(ANSWERED.place(id));
