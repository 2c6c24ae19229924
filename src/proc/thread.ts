/**
 * A thread for calls that may wait for a disk, for git or for other programs: started when it is first needed, ended when it was not
 * needed for a while. A question that takes too long ends it with all that it does; the next question starts it anew.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Worker, type ResourceLimits, type WorkerOptions } from 'node:worker_threads';
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { span } from '../../machines/kernel/span.ts';
import type { Ms } from '../../machines/protocol.ts';
import { IS_BUILT, programFile } from '../package.ts';
import { markOf } from './node.ts';
import type { Answered, Asked } from './thread-side.ts';

export interface ThreadNeeds<Question, Word> {
  /** What the log calls it: `the thread of the patrols`. */
  readonly name: string;
  /** Its program, as it is named below src/: `tickle/worker`. Where it is built it lies beside the modules (scripts/bundle.ts). */
  readonly program: string;
  /** What it is started with. */
  readonly given: () => object;
  readonly heap: ResourceLimits;
  /** Questions at once; more of them wait. */
  readonly atOnce: number;
  readonly limitMs: Ms;
  /** It ends when it was not asked for so long. */
  readonly restMs: Ms;
  /** A question, as the error about its limit names it. */
  readonly inWords: (question: Question) => string;
  /** What its program says besides answers. */
  readonly heard: (word: Word, say: (message: unknown) => void) => void;
  readonly log: (text: string) => void;
}

interface Open {
  readonly answer: PromiseWithResolvers<unknown>;
  readonly limit: NodeJS.Timeout;
}

/** Its program, as it was when the town first needed it: the package may be gone later, or another one. */
interface Kept {
  readonly mark: string | null;
  /** Deflated: a third of it, which is hardly ever needed. */
  readonly text: Buffer;
}

/** Each town does it as it starts: a fifth more memory than at the usual level, for a third of the time. */
const QUICK = { level: constants.Z_BEST_SPEED } as const;

/** Starts it from its file while that is the same one, else from memory, where a module finds its neighbours as in its file. */
function startFrom(path: string, { mark, text }: Kept, options: WorkerOptions): Worker {
  if (markOf(path) === mark) return new Worker(path, options);
  const [file, folder] = [path, dirname(path)].map((one) => JSON.stringify(one));
  return new Worker(`((__filename, __dirname) => {${inflateRawSync(text).toString()}\n})(${file}, ${folder})`, {
    ...options,
    eval: true,
  });
}

export class Thread<Question, Word extends object> {
  readonly #needs: ThreadNeeds<Question, Word>;
  readonly #file: string;
  readonly #open = new Map<number, Open>();
  readonly #waiting: (() => void)[] = [];
  #worker: Worker | null = null;
  #kept: Kept | null = null;
  #rest: NodeJS.Timeout | null = null;
  #last = 0;
  #running = 0;

  constructor(needs: ThreadNeeds<Question, Word>) {
    this.#needs = needs;
    this.#file = programFile(IS_BUILT ? needs.program.replaceAll('/', '-') : needs.program);
  }

  /** Rejects with what went wrong in it, with its end, or with its limit. */
  async ask<T>(question: Question): Promise<T> {
    if (this.#running >= this.#needs.atOnce) await new Promise<void>((go) => this.#waiting.push(go));
    this.#running += 1;
    try {
      return (await this.#asked(question)) as T;
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    await this.#end('the town stops');
  }

  #asked(question: Question): Promise<unknown> {
    const { inWords, limitMs } = this.#needs;
    const id = (this.#last += 1);
    clearTimeout(this.#rest ?? undefined);
    const answer = Promise.withResolvers<unknown>();
    const limit = setTimeout(() => {
      void this.#end(`${inWords(question)} took longer than ${span(limitMs)}`);
    }, limitMs);
    this.#open.set(id, { answer, limit });
    (this.#worker ??= this.#start()).postMessage({ id, question } satisfies Asked<Question>);
    return answer.promise;
  }

  #start(): Worker {
    const { name, given, heap, heard, log } = this.#needs;
    const { TOWN_TOKEN: _, ...env } = process.env;
    const options = { workerData: given(), env, resourceLimits: heap };
    // Sources are many files, and edited while a town runs from them.
    if (IS_BUILT) this.#kept ??= { mark: markOf(this.#file), text: deflateRawSync(readFileSync(this.#file), QUICK) };
    const worker = this.#kept === null ? new Worker(this.#file, options) : startFrom(this.#file, this.#kept, options);
    worker.on('message', (said: Answered | Word) => {
      if ('id' in said) this.#take(said);
      else heard(said, (message) => worker.postMessage(message));
    });
    const over = (why: string): void => {
      if (this.#worker !== worker) return;
      log(`${name} ended (${why}); it is started again when it is needed`);
      this.#worker = null;
      this.#fail(why);
    };
    worker.on('error', (error) => over(error instanceof Error ? error.message : String(error)));
    worker.on('exit', (code) => over(`exit code ${String(code)}`));
    return worker;
  }

  #take(said: Answered): void {
    const open = this.#open.get(said.id);
    this.#open.delete(said.id);
    clearTimeout(open?.limit);
    if (this.#open.size === 0) this.#rest = setTimeout(() => void this.#end('it rests'), this.#needs.restMs).unref();
    if (said.ok) open?.answer.resolve(said.value);
    else open?.answer.reject(new Error(said.why));
  }

  async #end(why: string): Promise<void> {
    clearTimeout(this.#rest ?? undefined);
    const worker = this.#worker;
    this.#worker = null;
    this.#fail(why);
    await worker?.terminate();
  }

  #fail(why: string): void {
    for (const { answer, limit } of this.#open.values()) {
      clearTimeout(limit);
      answer.reject(new Error(why));
    }
    this.#open.clear();
  }
}
