/**
 * What the conversations of the town's agents took so far (M-12), by their programs' own word. Looks beside the scan, in slices, within
 * a budget; keeps sums and places in memory, so a restarted town reads each file once more.
 * 1. What was not read whole is unknown. So is a life whose program does not tell.
 * 2. A place that hangs keeps its sums, and holds up no other one for longer than `COSTS.answerMs`.
 * 3. A conversation that the next life goes on with is read on, and one that ended stays until the town's process ends.
 */
import type { Incarnation, Instant } from '../../machines/protocol.ts';
import type { Clock } from '../ports/ports.ts';
import type { Books, Heard } from '../sources/port.ts';
import { isLeft, type Meter } from './meter.ts';
import { meterOf } from './meters.ts';
import { COSTS } from './policy.ts';
import type { Counted } from './tally.ts';

/** What a program says at a look, as far as it matters here. */
export type Telling = ReadonlyMap<string, Pick<Heard, 'books' | 'conversation'>>;

export interface Conversation {
  readonly session: string;
  readonly program: Books['program'];
  /** As its program names it. */
  readonly id: string;
  /** null = not known. */
  readonly counted: Counted | null;
}

interface Known extends Omit<Conversation, 'counted'> {
  readonly meter: Meter;
  /** As they were told last. */
  books: Books;
  isUnderWay: boolean;
  /** The number of the look that had time for it last. */
  lookedIn: number;
}

export class Costs {
  readonly #clock: Pick<Clock, 'now'>;
  /** By session and conversation, those that were told last at the end. */
  readonly #known = new Map<string, Known>();
  /** By the uuid of a life. */
  #current: ReadonlyMap<string, Known> = new Map();
  #nextAt: Instant = 0;
  #lookedAt: Instant = -Infinity;
  #shownAt: Instant = -Infinity;
  #looks = 0;
  #isLooking = false;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** A person looks at the sums: until they have not done so for a while, files are looked at more often. */
  show(): void {
    const now = this.#clock.now();
    this.#nextAt = Math.min(this.#nextAt, this.#lookedAt + COSTS.everyMs);
    this.#shownAt = now;
  }

  /** What the conversation of this life took; null = not known. */
  of(uuid: string): Counted | null {
    return this.#current.get(uuid)?.meter.counted ?? null;
  }

  /** All that were seen since the town's process began. */
  get conversations(): readonly Conversation[] {
    return Array.from(this.#known.values(), ({ session, program, id, meter }) => {
      return { session, program, id, counted: meter.counted };
    });
  }

  /** Looks at the conversations of these lives, where it is time for that. Never rejects. */
  async look(lives: readonly Incarnation[], telling: Telling): Promise<void> {
    const now = this.#clock.now();
    if (this.#isLooking || now < this.#nextAt) return;
    this.#isLooking = true;
    this.#looks += 1;
    this.#lookedAt = now;
    this.#nextAt = now + COSTS.everyMs;
    try {
      this.#note(lives, telling);
      const due = [...this.#current].flatMap(([uuid, one]) => (telling.has(uuid) ? [one] : []));
      // A look that ran out of its budget left some for the next one, which begins with them.
      due.sort((one, other) => one.lookedIn - other.lookedIn);
      // Those that were read before have little news; a large one that is new leaves them nothing.
      const [read, unread] = [true, false].map((is) => due.filter(({ meter }) => (meter.counted !== null) === is));
      const left = [await this.#read(read ?? []), await this.#read(unread ?? [])];
      const isShown = now - this.#shownAt < COSTS.restMs || due.some(({ meter }) => meter.counted === null);
      if (!isShown) this.#nextAt = this.#lookedAt + COSTS.restMs;
      const took = this.#clock.now() - now;
      if (left.includes(false))
        this.#nextAt = now + Math.min(Math.max(took / COSTS.maxShare, COSTS.soonMs), COSTS.everyMs);
    } finally {
      this.#isLooking = false;
    }
  }

  #note(lives: readonly Incarnation[], telling: Telling): void {
    const next = new Map<string, Known>();
    for (const { uuid, session } of lives) {
      const { books, conversation: id = null } = telling.get(uuid) ?? {};
      const before = this.#current.get(uuid);
      // One that does not tell this time is what it was.
      if (books === undefined || id === null) {
        if (before !== undefined) next.set(uuid, before);
        continue;
      }
      const key = `${session} ${id}`;
      const one = this.#known.get(key) ?? fresh(session, id, books);
      one.books = books;
      this.#known.delete(key);
      this.#known.set(key, one);
      next.set(uuid, one);
    }
    this.#current = next;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= COSTS.maxConversations) break;
      this.#known.delete(oldest);
    }
  }

  /** Whether the budget was enough. */
  async #read(some: readonly Known[]): Promise<boolean> {
    const now = (): Instant => this.#clock.now();
    const budget = { bytes: COSTS.lookBytes, until: now() + COSTS.lookMs, now };
    for (const one of some) {
      if (one.isUnderWay) continue;
      one.isUnderWay = true;
      if (isLeft(budget)) one.lookedIn = this.#looks;
      await within(one.meter.look(one.books, budget).finally(() => (one.isUnderWay = false)));
    }
    return isLeft(budget);
  }
}

const fresh = (session: string, id: string, books: Books): Known => {
  return { session, id, program: books.program, meter: meterOf(books), books, isUnderWay: false, lookedIn: 0 };
};

async function within(done: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<null>();
  const limit = setTimeout(() => over.resolve(null), COSTS.answerMs).unref();
  await Promise.race([done, over.promise]);
  clearTimeout(limit);
}
