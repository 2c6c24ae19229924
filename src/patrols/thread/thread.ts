/**
 * The thread in which patrols work, as the town's own thread sees it: started when it is first needed, at most so many cycles at
 * once. One that takes too long is ended with all that it does: what it holds goes with it, and what was begun is begun anew.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { Ms, Reply, Request } from '../../../machines/protocol.ts';
import { textOf } from '../../../state/files/disk.ts';
import type { Damage } from '../../../state/ledger/file.ts';
import type { Settings } from '../../config/settings.ts';
import type { Overview } from '../../overview/overview.ts';
import { IS_BUILT, programFile } from '../../package.ts';
import { markOf } from '../../proc/node.ts';
import type { Granted, Wish } from './door.ts';
import type { Asked, Given, Said } from './worker.ts';
import { PATROL_HANDS } from '../policy.ts';
import { span } from '../../../machines/kernel/span.ts';

/** Where it is built it lies beside the modules (scripts/bundle.ts). */
const FILE = programFile(IS_BUILT ? 'patrols-worker' : 'patrols/thread/worker');
const { cyclesAtOnce: AT_ONCE, threadRestMs: REST_MS, threadStayMs: STAY_MS, threadHeap: HEAP } = PATROL_HANDS;

/** What the thread may ask of its town. */
export interface TownOfThread {
  ask(request: Request): Promise<Reply>;
  overview(): Promise<Overview>;
}

export interface ThreadNeeds {
  readonly settings: Settings;
  readonly town: TownOfThread;
  readonly limitMs: Ms;
  readonly log: (text: string) => void;
  readonly damaged: (damage: Damage) => void;
  /** What is wrong with town.toml since a patrol read it; null = it is right. */
}

interface Open {
  readonly answer: PromiseWithResolvers<unknown>;
  readonly limit: NodeJS.Timeout;
}

/** The thread's program, as it was when the town first needed it: the package may be gone later, or another one. */
interface Kept {
  readonly mark: string | null;
  readonly text: Buffer;
}

/** Starts it from its file while that is the same one, else from memory, where a module finds its neighbours as in its file. */
function startFrom({ mark, text }: Kept, options: WorkerOptions): Worker {
  if (markOf(FILE) === mark) return new Worker(FILE, options);
  const [file, folder] = [FILE, dirname(FILE)].map((path) => JSON.stringify(path));
  return new Worker(`((__filename, __dirname) => {${text.toString()}\n})(${file}, ${folder})`, {
    ...options,
    eval: true,
  });
}

/** A start costs more than a minute's look: it stays for one that comes soon. */
const restFor = (againMs: Ms): Ms => (againMs <= STAY_MS ? Math.max(REST_MS, 2 * againMs) : REST_MS);

export class PatrolThread {
  readonly #needs: ThreadNeeds;
  /** The last that a patrol read without a mistake: the next thread begins with it. */
  #settings: Settings;
  readonly #open = new Map<number, Open>();
  readonly #waiting: (() => void)[] = [];
  #worker: Worker | null = null;
  #kept: Kept | null = null;
  #rest: NodeJS.Timeout | null = null;
  #restMs: Ms = REST_MS;
  #last = 0;
  #running = 0;

  constructor(needs: ThreadNeeds) {
    this.#needs = needs;
    this.#settings = needs.settings;
  }

  /** Rejects with what went wrong in it, with its end, or with its limit. */
  async ask<T>(question: Asked['question']): Promise<T> {
    if (this.#running >= AT_ONCE) await new Promise<void>((go) => this.#waiting.push(go));
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

  #asked(question: Asked['question']): Promise<unknown> {
    const id = (this.#last += 1);
    clearTimeout(this.#rest ?? undefined);
    const answer = Promise.withResolvers<unknown>();
    const order = question.do === 'order' ? question.order : null;
    if (question.do === 'evidence') this.#restMs = restFor(question.asked.againMs);
    const what = order === null ? question.do : 'of' in order ? `the patrol of ${order.of}` : order.type;
    const limit = setTimeout(() => {
      void this.#end(`${what} took longer than ${span(this.#needs.limitMs)}`);
    }, this.#needs.limitMs);
    this.#open.set(id, { answer, limit });
    (this.#worker ??= this.#start()).postMessage({ id, question } satisfies Asked);
    return answer.promise;
  }

  #start(): Worker {
    const { log } = this.#needs;
    const { TOWN_TOKEN: _, ...env } = process.env;
    const workerData: Given = { settings: this.#settings };
    const options = { workerData, env, resourceLimits: HEAP };
    // Sources are many files, and edited while a town runs from them.
    if (IS_BUILT) this.#kept ??= { mark: markOf(FILE), text: readFileSync(FILE) };
    const worker = this.#kept === null ? new Worker(FILE, options) : startFrom(this.#kept, options);
    worker.on('message', (said: Said) => {
      if ('wish' in said) void this.#grant(worker, said);
      else this.#take(said);
    });
    const over = (why: string): void => {
      if (this.#worker !== worker) return;
      log(`the thread of the patrols ended (${why}); it is started again when it is needed`);
      this.#worker = null;
      this.#fail(why);
    };
    worker.on('error', (error) => over(error instanceof Error ? error.message : String(error)));
    worker.on('exit', (code) => over(`exit code ${String(code)}`));
    return worker;
  }

  async #grant(worker: Worker, { wish, wanted }: Wish): Promise<void> {
    const { town } = this.#needs;
    const answer = await (wanted === null ? town.overview() : town.ask(wanted)).then(
      (value): Granted => ({ wish, ok: true, value }),
      (error: unknown): Granted => ({ wish, ok: false, why: textOf(error) }),
    );
    worker.postMessage(answer);
  }

  #take(said: Exclude<Said, Wish>): void {
    if ('note' in said) return this.#needs.log(said.note);
    if (said.damage !== null) this.#needs.damaged(said.damage);
    if (said.configured !== null) this.#settings = said.configured;
    const open = this.#open.get(said.id);
    this.#open.delete(said.id);
    clearTimeout(open?.limit);
    if (this.#open.size === 0) this.#rest = setTimeout(() => void this.#end('it rests'), this.#restMs).unref();
    if (said.ok) open?.answer.resolve(said.value);
    else open?.answer.reject(new Error(said.why));
  }

  async #end(why: string): Promise<void> {
    clearTimeout(this.#rest ?? undefined);
    const worker = this.#worker;
    this.#worker = null;
    this.#restMs = REST_MS;
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
