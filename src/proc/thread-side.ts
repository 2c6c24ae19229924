/** The side of a thread's own program (thread.ts): each question gets one answer. */
import { parentPort } from 'node:worker_threads';
import { textOf } from '../../state/files/disk.ts';

export interface Asked<Question> {
  readonly id: number;
  readonly question: Question;
}
export type Answered =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly why: string };

/** Tells the town something that it did not ask, or answers. */
export const say = (message: object): void => parentPort?.postMessage(message);

interface Side<Question, Word> {
  readonly work: (question: Question) => unknown;
  /** Called before each answer, for what is to be said first. */
  readonly before: () => void;
  /** Takes what the town says besides questions. */
  readonly other?: (word: Word) => void;
}

export function answerEach<Question, Word extends object = never>({ work, before, other }: Side<Question, Word>): void {
  const answer = async ({ id, question }: Asked<Question>): Promise<void> => {
    let answered: Answered;
    try {
      answered = { id, ok: true, value: await work(question) };
    } catch (error) {
      answered = { id, ok: false, why: textOf(error) };
    }
    before();
    say(answered);
  };
  parentPort?.on('message', (said: Asked<Question> | Word) => {
    if ('question' in said) void answer(said);
    else other?.(said);
  });
}
