/**
 * What the conversations of the town's agents took so far (M-12), by their programs' own word. Looks beside the scan, in slices, within
 * a budget; keeps sums and places in memory, so a restarted town reads each file once more.
 * 1. What was not read whole is unknown. So is a life whose program does not tell.
 * 2. A place that hangs keeps its sums, and holds up no other one for longer than `COSTS.answerMs`.
 * 3. A conversation that began or ended is looked at in the next scan. One that ended is read until nothing in it is new,
 *    or `COSTS.partLooks` times more: another session may go on with it.
 * 4. A conversation that the next life goes on with is read on, and one that ended stays until the town's process ends.
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
  /** How often it is still read after its life ended, or went on with another one. */
  lastLooks: number;
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
    const isTime = now >= this.#nextAt;
    if (this.#isLooking || !(isTime || this.#hasNews(lives, telling))) return;
    this.#isLooking = true;
    this.#looks += 1;
    if (isTime) this.#lookedAt = now;
    try {
      this.#note(lives, telling);
      const told = [...this.#current].flatMap(([uuid, one]) => (telling.has(uuid) ? [one] : []));
      const due = [...this.#over, ...(isTime ? told : told.filter(({ lookedIn }) => lookedIn === 0))];
      // A look that ran out of its budget left some for the next one, which begins with them.
      due.sort((one, other) => one.lookedIn - other.lookedIn);
      // Those that were read before have little news; a large one that is new leaves them nothing.
      const [read, unread] = [true, false].map((is) => due.filter(({ meter }) => (meter.counted !== null) === is));
      const left = [await this.#read(read ?? []), await this.#read(unread ?? [])];
      const isShown = now - this.#shownAt < COSTS.restMs || due.some(({ meter }) => meter.counted === null);
      const took = this.#clock.now() - now;
      const pause = left.includes(false)
        ? Math.min(Math.max(took / COSTS.maxShare, COSTS.soonMs), COSTS.everyMs)
        : isShown
          ? COSTS.everyMs
          : COSTS.restMs;
      this.#nextAt = isTime ? now + pause : Math.min(this.#nextAt, now + pause);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Those that have to be read a last time. One whose place hangs is not asked again. */
  get #over(): readonly Known[] {
    return [...this.#known.values()].filter(({ lastLooks, isUnderWay }) => lastLooks > 0 && !isUnderWay);
  }

  /** Whether a conversation began or ended since the last look. */
  #hasNews(lives: readonly Incarnation[], telling: Telling): boolean {
    const here = new Set(lives.map(({ uuid }) => uuid));
    const begins = ({ uuid }: Incarnation): boolean => {
      const { books, conversation = null } = telling.get(uuid) ?? {};
      return books !== undefined && conversation !== null && conversation !== this.#current.get(uuid)?.id;
    };
    return this.#over.length > 0 || [...this.#current.keys()].some((uuid) => !here.has(uuid)) || lives.some(begins);
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
      one.lastLooks = 0;
      this.#known.delete(key);
      this.#known.set(key, one);
      next.set(uuid, one);
    }
    this.#end(new Set(next.values()), telling);
    this.#current = next;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= COSTS.maxConversations) break;
      this.#known.delete(oldest);
    }
  }

  #end(left: ReadonlySet<Known>, telling: Telling): void {
    for (const [uuid, one] of this.#current) {
      // The server of opencode ended with its agent.
      if (left.has(one) || one.program === 'opencode') continue;
      const { books, conversation } = telling.get(uuid) ?? {};
      if (books !== undefined && conversation === one.id) one.books = books;
      // Its last words, then agents that these call, then what those wrote.
      one.lastLooks = COSTS.partLooks + 1;
      one.lookedIn = 0;
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
      const before = one.meter.counted;
      await within(one.meter.look(one.books, budget).finally(() => (one.isUnderWay = false)));
      if (isLeft(budget)) wasRead(one, one.meter.counted !== before);
    }
    return isLeft(budget);
  }
}

const fresh = (session: string, id: string, books: Books): Known => {
  return {
    session,
    id,
    program: books.program,
    meter: meterOf(books),
    books,
    isUnderWay: false,
    lastLooks: 0,
    lookedIn: 0,
  };
};

/** Nothing new at a last look: there will be none. One whose place hangs was not read. */
function wasRead(one: Known, isNews: boolean): void {
  if (!one.isUnderWay) one.lastLooks = isNews ? Math.max(0, one.lastLooks - 1) : 0;
}

async function within(done: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<null>();
  const limit = setTimeout(() => over.resolve(null), COSTS.answerMs).unref();
  await Promise.race([done, over.promise]);
  clearTimeout(limit);
}
