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

/** Reads one part. */
class Part {
  readonly name: string;
  #lines = 0;
  #found: TownEvent[] = [];
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
    // A line that a crash tore was never acknowledged.
    const line = lineOf(text);
    if (line !== null) this.#found.push({ ...line, cursor: `${this.name}:${this.#lines}` });
  }

  /** The next ones behind so many lines, and whether they are all there are now. */
  async next(skip: number): Promise<{ readonly events: readonly TownEvent[]; readonly isAll: boolean }> {
    const before = this.#lines;
    const isAll = (await this.#file.read()) !== 'more';
    const events = this.#found.filter(({ cursor }) => Number(cursor.split(':')[1]) > Math.max(skip, before));
    this.#found = [];
    return { events, isAll };
  }
}

/** As `placeOf` throws, (3) also where it is read so slowly that a part went before it was read. `root`: of the town. */
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
    const { events, isAll } = (await part?.next(skip)) ?? { events: [], isAll: true };
    yield* events;
    if (!isAll) continue;
    skip = skip === Infinity ? 0 : skip;
    if (following === undefined) await pause(CLIENT.againMs, undefined, { signal }).catch(() => undefined);
    else [part, skip] = [new Part(root, following), 0];
  }
}
