/**
 * The journal of a town as a stream: what it holds, and then what is added, each line once. It is read from the files, so it goes
 * on over restarts and kills of the town.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Disk } from '../../state/files/disk.ts';
import { growingFile, type GrowingFile } from '../../state/files/growing-file.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { lineOf, partNames, type WrittenLine } from '../../state/journal.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { CLIENT } from './policy.ts';

/** `at` is ISO, `kind` in past tense (`session.died`); further fields are the kind's own. */
export type TownEvent = WrittenLine & {
  /** Its place in the journal: a stream that begins after it goes on with the next event. */
  readonly cursor: string;
};

export interface EventsOptions {
  /** The cursor of the last event that was handled, `start` for all that the journal holds, or `now`, the default. */
  readonly after?: string;
  /** Ends the stream, without an error. */
  readonly signal?: AbortSignal;
}

/** Where a stream begins: lines of a part that it leaves out. null = the first part there is. */
interface Place {
  readonly part: string | null;
  readonly skip: number;
}

const CURSOR = /^(\d{4}-\d{2}-\d{2}(?:\.\d+)?\.jsonl):(\d{1,12})$/;

/** Throws Failure: (2) for what is no cursor, (3) where the journal does not go back so far. */
function placeOf(after: string, parts: readonly string[]): Place {
  if (after === 'start') return { part: null, skip: 0 };
  if (after === 'now') return { part: parts.at(-1) ?? null, skip: parts.length === 0 ? 0 : Infinity };
  const [, part, lines] = CURSOR.exec(after) ?? [];
  if (part === undefined) {
    const text = `${JSON.stringify(after.slice(0, 80))} is no cursor; give that of an event, "start" or "now"`;
    throw new Failure(EXIT.usage, 'bad_cursor', text);
  }
  if (parts.includes(part)) return { part, skip: Number(lines) };
  throw gone(part);
}

/** Its oldest parts go with their days, or with their bytes. */
const gone = (part: string): Failure =>
  new Failure(EXIT.notRunning, 'cursor_gone', `the journal does not go back to ${part} any more; begin after "start"`);

const unreadPart = (name: string, following: string | undefined): Failure => {
  const path = `${FOLDERS.journal}/${name}`;
  const way = following === undefined ? '' : `, or begin after "${following}:0" to leave its events out`;
  return new Failure(EXIT.failed, 'journal_unread', `${path} cannot be read; see to its owner and mode${way}`);
};

/** `unread`: it cannot be read now. `more`: it is not read to its end. */
interface Found {
  readonly events: readonly TownEvent[];
  readonly growth: 'unread' | 'more' | 'end';
}

const NOTHING: Found = { events: [], growth: 'end' };

/** Reads one part, each line once: the town may cut lines off that it could not acknowledge, and writes them again. */
class Part {
  readonly name: string;
  #lines = 0;
  /** Looks in a row that could not read it. */
  #unread = 0;
  #found: TownEvent[] = [];
  /** The highest number of a line that was read. */
  #highest = 0;
  /** The last lines that were read, by number: the text of one that was cut off and written anew may be another. */
  readonly #known = new Map<number, string>();
  readonly #file: GrowingFile;

  constructor(root: string, name: string) {
    this.name = name;
    this.#file = growingFile(join(root, FOLDERS.journal, name), CLIENT.lineBytes, {
      line: (bytes) => this.#take(bytes.toString('utf8')),
      anew: () => (this.#lines = 0),
    });
  }

  #take(text: string): void {
    this.#lines += 1;
    if (this.#lines <= this.#highest - CLIENT.keptLines || this.#known.get(this.#lines) === text) return;
    this.#known.set(this.#lines, text);
    this.#known.delete(this.#lines - CLIENT.keptLines);
    this.#highest = Math.max(this.#highest, this.#lines);
    // A line that a crash tore was never acknowledged.
    const line = lineOf(text);
    if (line !== null) this.#found.push({ ...line, cursor: `${this.name}:${this.#lines}` });
  }

  /** The next ones behind so many lines. Throws Failure once it could not be read for a while. */
  async next(skip: number, following: string | undefined): Promise<Found> {
    const growth = await this.#file.read();
    this.#unread = growth === 'unread' ? this.#unread + 1 : 0;
    if (this.#unread > CLIENT.unreadLooks) throw unreadPart(this.name, following);
    const events = this.#found.filter(({ cursor }) => Number(cursor.split(':')[1]) > skip);
    this.#found = [];
    return { events, growth: growth === 'same' ? 'end' : growth };
  }
}

/**
 * As `placeOf` throws, (3) also where it is read so slowly that a part went before it was read, and (1) where a part stays unreadable: it
 * is never passed over. `root`: of the town.
 */
export async function* eventsOf(
  disk: Pick<Disk, 'list'>,
  root: string,
  { after = 'now', signal }: EventsOptions = {},
): AsyncGenerator<TownEvent, void> {
  const place = placeOf(after, await partNames(disk));
  let skip = place.skip;
  let part = place.part === null ? null : new Part(root, place.part);
  while (signal?.aborted !== true) {
    // A part that has a successor before it is read to its end is written no more.
    const names = await partNames(disk);
    if (part !== null && !names.includes(part.name)) throw gone(part.name);
    const following = part === null ? names[0] : names[names.indexOf(part.name) + 1];
    const { events, growth } = (await part?.next(skip, following)) ?? NOTHING;
    yield* events;
    if (growth === 'more') continue;
    // What was there before "now" was read, and the part knows it: a line that is written there anew is a new one.
    if (growth === 'end' && skip === Infinity) skip = 0;
    if (growth !== 'end' || following === undefined)
      await pause(CLIENT.againMs, undefined, { signal }).catch(() => undefined);
    else [part, skip] = [new Part(root, following), 0];
  }
}
