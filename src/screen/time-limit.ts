/**
 * A person's own patterns, held to their share of CPU: one that takes for ever on some row would stop the town.
 * 1. Only V8 itself can bound every pattern for certain; that costs a tenth of a millisecond, so it is one call for a
 *    whole screen, and for single patterns an answer is kept.
 * 2. CPU of this thread counts: a machine that stood still meanwhile makes no pattern slow.
 * 3. What once took too long is asked nothing any more.
 */
import { createContext, Script } from 'node:vm';
import type { Ms } from '../../machines/protocol.ts';
import { READING } from './policy.ts';
import { span } from '../../machines/kernel/span.ts';

const RUN = new Script('work()');
/** Made when it is needed: that takes a millisecond. */
let context: { work?: () => void } | null = null;
const BROKEN_OFF = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

export class TimeLimit {
  readonly #most: Ms;
  readonly #over: () => void;
  #isOver = false;

  /** `over` is called once, when something took too long. */
  constructor(over: () => void, most: Ms = READING.maxOwnPackMs) {
    this.#over = over;
    this.#most = most;
  }

  /** Throws TookTooLong, and what `work` throws. `work` may be begun more than once. */
  run<T>(work: () => T): T {
    const before = process.threadCpuUsage();
    while (!this.#isOver) {
      const result = breakOff(work, this.#most);
      if (result !== null) return result.value;
      const { user, system } = process.threadCpuUsage(before);
      if (user + system < this.#most * 1_000) continue;
      this.#isOver = true;
      this.#over();
    }
    throw new TookTooLong(`more than ${span(this.#most)} of CPU`);
  }
}

/** Asks the patterns of a pack, for as long as they may take. Throws TookTooLong where a person wrote it. */
export const within = <T>({ limit }: { readonly limit?: TimeLimit }, ask: () => T): T =>
  limit === undefined ? ask() : limit.run(ask);

/** As `within`; `late` = it took too long. */
export function withinOr<T>(pack: { readonly limit?: TimeLimit }, ask: () => T, late: T): T {
  try {
    return within(pack, ask);
  } catch (error) {
    if (error instanceof TookTooLong) return late;
    throw error;
  }
}

/** null = broken off. */
function breakOff<T>(work: () => T, most: Ms): { readonly value: T } | null {
  let result: { readonly value: T } | null = null;
  context ??= createContext({}) as { work?: () => void };
  context.work = () => {
    result = { value: work() };
  };
  try {
    RUN.runInContext(context, { timeout: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === BROKEN_OFF) return null;
    throw error;
  }
  return result;
}

/** A pattern under a limit, for one text at a time. It fits nothing once that is over. */
export class LimitedPattern extends RegExp {
  readonly #limit: TimeLimit;
  readonly #known = new Map<string, RegExpExecArray | null>();

  constructor(pattern: RegExp, limit: TimeLimit) {
    super(pattern);
    this.#limit = limit;
  }

  override exec(text: string): RegExpExecArray | null {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const found = withinOr({ limit: this.#limit }, () => super.exec(text), null);
    if (this.#known.size >= READING.keptAnswers) this.#known.clear();
    this.#known.set(text, found);
    return found;
  }
}
