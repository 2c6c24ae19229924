/**
 * The questions that channels were offered, and their answers: daemon/asks.json, which only the town changes.
 * 1. An answer is on disk before anything is pressed for it.
 * 2. No number is given twice. Where the file was lost the numbers begin elsewhere, and the secrets of earlier messages end with its salt.
 */
import { z } from 'zod';
import { ASK_KINDS, type Answer, type Ask } from '../../machines/channels/answers.ts';
import { ANSWERS } from '../../machines/channels/policy.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { FILES } from '../files/layout.ts';
import { readAt, type RecordFolderOptions } from '../files/record-folder.ts';
import { recordKind } from '../files/record-kind.ts';
import { Serial } from '../files/serial.ts';
import { count, wall } from '../files/shapes.ts';

interface Book {
  readonly salt: string;
  /** The number of the next question. */
  readonly next: number;
  /** In the order in which they were offered. */
  readonly asks: readonly Ask[];
}

const words = z.string();
const answer = z.strictObject({
  by: words,
  rule: words.optional(),
  reply: words,
  word: words,
  text: words.optional(),
  at: wall,
  outcome: words.nullable(),
}) satisfies z.ZodType<Answer>;
const ask = z.strictObject({
  number: count,
  at: wall,
  session: words.nullable(),
  life: words,
  dialog: words,
  question: words,
  marks: words.optional(),
  kind: z.enum(ASK_KINDS),
  tags: z.array(words),
  options: z.array(
    z.strictObject({
      word: words,
      label: words,
      text: z.enum(['may', 'must']).optional(),
      isGrave: z.literal(true).optional(),
    }),
  ),
  isOver: z.boolean(),
  answer: answer.nullable(),
  ungiven: z.array(words).optional(),
}) satisfies z.ZodType<Ask>;
const BOOK = recordKind<Book>('asks', { shape: z.strictObject({ salt: words, next: count, asks: z.array(ask) }) });

/** The questions that are on file, for readers beside the town; none = no file. Rejects where it cannot be read. */
export const asksOnFile = async (options: RecordFolderOptions): Promise<readonly Ask[]> =>
  (await bookIn(options))?.asks ?? [];

const bookIn = async (options: RecordFolderOptions): Promise<Book | null> =>
  (await readAt<Book>({ ...options, ...BOOK }, FILES.asks))?.value ?? null;

const SALT_BYTES = 32;
/** A lost file began somewhere below this: it is unlikely that the next one gives a number of its last questions. */
const FIRST = 1_000;

type Change<T> = (asks: readonly Ask[]) => { readonly asks: readonly Ask[]; readonly is: T };

export class AskBook {
  readonly #options: RecordFolderOptions;
  readonly #serial = new Serial();
  #book: Book | null = null;

  constructor(options: RecordFolderOptions) {
    this.#options = options;
  }

  /** What the secrets of messages are made from. */
  async salt(): Promise<string> {
    return this.#serial.run(async () => (await this.#read()).salt);
  }

  async all(): Promise<readonly Ask[]> {
    return this.#serial.run(async () => (await this.#read()).asks);
  }

  /** Durable when it resolves; rejects, and changes nothing, where that cannot be. */
  change<T>(work: Change<T>): Promise<T> {
    return this.#serial.run(async () => {
      const before = await this.#read();
      const { asks, is } = work(before.asks);
      if (asks !== before.asks) await this.#write({ ...before, asks: asks.slice(-ANSWERS.kept) });
      return is;
    });
  }

  /** Adds a question under the next number. */
  add(one: Omit<Ask, 'number' | 'isOver' | 'answer'>): Promise<Ask> {
    return this.#serial.run(async () => {
      const { next, ...book } = await this.#read();
      const added: Ask = { number: next, ...one, isOver: false, answer: null };
      await this.#write({ ...book, next: next + 1, asks: [...book.asks, added].slice(-ANSWERS.kept) });
      return added;
    });
  }

  async #read(): Promise<Book> {
    if (this.#book !== null) return this.#book;
    const found = await bookIn(this.#options);
    if (found === null) {
      const { randomBytes, randomInt } = process.getBuiltinModule('node:crypto');
      await this.#write({ salt: randomBytes(SALT_BYTES).toString('hex'), next: randomInt(1, FIRST), asks: [] });
    } else this.#book = found;
    return this.#read();
  }

  async #write(book: Book): Promise<void> {
    await writeFiles(this.#options.disk, [{ path: FILES.asks, text: BOOK.text(book) }]);
    this.#book = book;
  }
}
