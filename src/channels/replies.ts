/**
 * Hears the replies on channels: one loop for each, which connects anew after a failure.
 * 1. A reply goes to the town, and counts as heard once the town has it on record. Killed before, it is fetched and told once more; the
 *    town knows it by its id.
 * 2. What proves no caller is dropped here: a flood costs the town nothing.
 */
import { CHANNELS } from '../../machines/channels/policy.ts';
import { backoffMs } from '../../machines/kernel/schedule.ts';
import type { Instant } from '../../machines/protocol.ts';
import type { ReplyMarks } from '../../state/channels/marks.ts';
import { textOf } from '../../state/files/disk.ts';
import type { Clock } from '../ports/ports.ts';
import { clean } from '../terminal/print.ts';
import { Undelivered, type Ear, type Heard, type Listening, type Page, type Trouble } from './port.ts';
import { isProved } from './proof.ts';

export interface RepliesNeeds {
  readonly ears: ReadonlyMap<string, Ear>;
  readonly marks: ReplyMarks;
  readonly key: string;
  readonly clock: Clock;
  /** Resolves once the town has it on record. */
  readonly take: (heard: Heard) => Promise<void>;
  readonly mentioned: Listening['mentioned'];
  readonly spoke: Listening['spoke'];
  readonly log: (text: string) => void;
}

/** `q<number> <secret> <option> <text>`, as a button or a person says it; most options take no text. */
const WORDS = /^\s*q?(\d{1,9})\s+([a-z\d]{8,40})\s+(\S{1,20})(?:\s+(\S[^]*))?$/i;

/** null = it is no answer. */
export function heardIn(text: string, more: Pick<Heard, 'id' | 'from'>): Heard | null {
  const [, number, proof = '', word = '', words = ''] = WORDS.exec(text.trimEnd()) ?? [];
  if (number === undefined) return null;
  const answer = { number: Number(number), proof: proof.toLowerCase(), word: word.toLowerCase() };
  return { ...more, ...answer, text: clean(words, 'lines') };
}

interface Failing {
  readonly since: Instant;
  readonly tries: number;
  readonly why: string;
}

export class Replies {
  readonly #needs: RepliesNeeds;
  readonly #failing = new Map<string, Failing>();
  /** Channels on which it is heard what comes. */
  readonly #up = new Set<string>();

  constructor(needs: RepliesNeeds) {
    this.#needs = needs;
  }

  troubles(): readonly Trouble[] {
    const now = this.#needs.clock.now();
    return [...this.#failing].map(([of, { since, why }]) => ({
      channel: of,
      why,
      forMs: now - since,
      isDeaf: true as const,
    }));
  }

  /** On each channel: one that was not reached yet is none that works. */
  isHearing(): boolean {
    return this.#up.size === this.#needs.ears.size;
  }

  /** Says a line to an agent on this channel, at once or not at all. Rejects with `Undelivered`. */
  async page(name: string, page: Page): Promise<void> {
    const failing = this.#failing.get(name);
    if (failing !== undefined) throw new Undelivered(failing.why);
    const ear = this.#needs.ears.get(name);
    if (ear?.page === undefined) throw new Undelivered(`no agent is on ${name}`);
    await ear.page(page);
  }

  /** Until `stop`. */
  async run(stop: AbortSignal): Promise<void> {
    await Promise.all([...this.#needs.ears].map(([name, ear]) => this.#loop(name, ear, stop)));
  }

  async #loop(name: string, ear: Ear, stop: AbortSignal): Promise<void> {
    const { marks, clock, mentioned, spoke } = this.#needs;
    let since: string | null = null;
    while (!stop.aborted) {
      try {
        since ??= await marks.of(name);
        if (since === null) await marks.set(name, (since = ear.now()));
        await ear.listen({
          since,
          signal: stop,
          mentioned,
          spoke,
          up: () => {
            this.#failing.delete(name);
            this.#up.add(name);
          },
          hear: async (mark, heard) => {
            if (heard !== null && isProved(this.#needs.key, heard)) {
              await this.#needs.take(heard);
              await marks.set(name, mark);
            }
            since = mark;
          },
        });
      } catch (error) {
        await clock.sleep(this.#fail(name, textOf(error)), stop);
      }
    }
  }

  /** The time to wait before the next try. The same words once more are not logged. */
  #fail(name: string, why: string): number {
    const before = this.#failing.get(name);
    if (why !== before?.why) this.#needs.log(`${name} (replies): ${why}`);
    const tries = (before?.tries ?? 0) + 1;
    this.#up.delete(name);
    this.#failing.set(name, { since: before?.since ?? this.#needs.clock.now(), tries, why });
    return backoffMs(tries, CHANNELS.backoffMs, CHANNELS.maxBackoffMs);
  }
}
