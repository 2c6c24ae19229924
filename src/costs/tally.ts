/**
 * What one file of a program, or its server, tells of a conversation so far: tokens, and whether the agent does anything new. A sum
 * holds only what the program itself said: no price, and no guess of ours. In memory only.
 */
import { hash } from 'node:crypto';
import type { WallMs } from '../../machines/protocol.ts';
import { lineOf } from '../sources/question.ts';
import { COSTS } from './policy.ts';

/** Tokens, and what they cost. */
export interface Sums {
  /** Sent to the model anew, what is written into its cache included. */
  readonly input: number;
  /** Read from its cache. */
  readonly cached: number;
  /** Written by the model, its thoughts included. */
  readonly output: number;
  /** In US dollars, as the program says; null = it does not. */
  readonly cost: number | null;
}

export const NOTHING: Sums = { input: 0, cached: 0, output: 0, cost: null };

const both = (one: number | null, other: number | null): number | null =>
  one === null && other === null ? null : (one ?? 0) + (other ?? 0);

export const sumOf = (one: Sums, other: Sums): Sums => ({
  input: one.input + other.input,
  cached: one.cached + other.cached,
  output: one.output + other.output,
  cost: both(one.cost, other.cost),
});

/** Of a program that names no cost. */
export const less = (one: Sums, other: Sums): Sums => ({
  input: one.input - other.input,
  cached: one.cached - other.cached,
  output: one.output - other.output,
  cost: null,
});

/** Calls that were made before with the same words: one again and again, or a few by turns. */
export interface Repeated {
  /** Which, each once. Foreign text in one line, each cut, without secrets. */
  readonly call: string;
  /** How many were made since the last thing that was new, that one included. */
  readonly count: number;
}

/** What is known of a conversation. */
export interface Counted {
  readonly sums: Sums;
  /** When its first message was written; null = the program does not tell. */
  readonly since: WallMs | null;
  /** When its last message was written; null = the program does not say. */
  readonly lastAt: WallMs | null;
  /** Oldest first: what each stretch of `COSTS.stretchMs` took, … */
  readonly stretches: readonly Stretch[];
  /** … of all from then on; 0 = from the beginning. */
  readonly keptFrom: WallMs;
  /** Changes with each word of the agent's own and each call that are not among its last few; null = not known. */
  readonly news: string | null;
  /** null = the last thing that it did was new, or is not known. */
  readonly repeated: Repeated | null;
}

export interface Stretch {
  readonly from: WallMs;
  readonly sums: Sums;
}

/** A call of a tool. */
export interface Call {
  /** The program's own id of it. */
  readonly id: string;
  readonly name: string;
  /** What it was called with, whole. */
  readonly input: unknown;
  /** What it is about, in a line: a command, a file. Foreign text. */
  readonly subject: string;
}

const printOf = (text: string): string => hash('sha1', text, 'base64');

export class Tally {
  #sums = NOTHING;
  #since: WallMs | null = null;
  #lastAt: WallMs | null = null;
  #stretches: Stretch[] = [];
  #keptFrom: WallMs = 0;
  #news = 0;
  /** Prints of the last calls and words that were new, the newest last. */
  #calls: readonly string[] = [];
  #words: readonly string[] = [];
  /** Since the last thing that was new: the calls, each once in words for people, and how many there were. */
  #loop: ReadonlyMap<string, string> = new Map();
  #count = 0;
  #lastId = '';

  /** `at`: when; null = it is not told, and counts for the stretch before. */
  spent(at: WallMs | null, sums: Sums): void {
    this.#sums = sumOf(this.#sums, sums);
    if (at !== null) {
      this.#since = Math.min(this.#since ?? at, at);
      this.#lastAt = Math.max(this.#lastAt ?? at, at);
    }
    const last = this.#stretches.at(-1);
    const from = at === null ? (last?.from ?? 0) : Math.floor(at / COSTS.stretchMs) * COSTS.stretchMs;
    if (last !== undefined && from <= last.from)
      this.#stretches[this.#stretches.length - 1] = { from: last.from, sums: sumOf(last.sums, sums) };
    else this.#stretches.push({ from, sums });
    if (this.#stretches.length <= COSTS.maxStretches) return;
    this.#stretches.shift();
    this.#keptFrom = this.#stretches[0]?.from ?? 0;
  }

  /** Words that the agent wrote; those of before are no news. */
  said(text: string): void {
    const print = printOf(text.trim());
    if (text.trim() === '' || this.#words.includes(print)) return;
    this.#words = latest(this.#words, print);
    this.#isNew();
  }

  called({ id, name, input, subject }: Call): void {
    if (id === this.#lastId) return;
    this.#lastId = id;
    const print = printOf(`${name} ${JSON.stringify(input)}`);
    if (!this.#calls.includes(print)) {
      this.#calls = latest(this.#calls, print);
      this.#isNew();
    }
    if (!this.#loop.has(print))
      this.#loop = new Map([...this.#loop, [print, shown(subject === '' ? name : `${name}: ${subject}`)]]);
    this.#count += 1;
  }

  #isNew(): void {
    this.#news += 1;
    this.#loop = new Map();
    this.#count = 0;
  }

  get counted(): Counted {
    return {
      sums: this.#sums,
      since: this.#since,
      lastAt: this.#lastAt,
      stretches: [...this.#stretches],
      keptFrom: this.#keptFrom,
      news: String(this.#news),
      repeated: this.#count > 1 ? { call: [...this.#loop.values()].join(' · '), count: this.#count } : null,
    };
  }
}

const latest = (prints: readonly string[], print: string): readonly string[] =>
  [...prints, print].slice(-COSTS.loopLength);

function shown(call: string): string {
  const line = lineOf(call);
  return line.length > COSTS.callChars ? `${line.slice(0, COSTS.callChars - 1)}…` : line;
}

/** Of one conversation that several files tell of: that of its agent, and those of agents of that one. */
export function combineParts(all: readonly Counted[]): Counted {
  const known = all.flatMap(({ since }) => since ?? []);
  const news = all.map((one) => one.news);
  // One that ended keeps its last count for ever: what the agent does now stands in the part that was written to last.
  const [last] = [...all].sort((one, other) => (other.lastAt ?? 0) - (one.lastAt ?? 0));
  return {
    sums: all.reduce((sum, one) => sumOf(sum, one.sums), NOTHING),
    since: known.length === 0 ? null : Math.min(...known),
    lastAt: last?.lastAt ?? null,
    stretches: all.flatMap(({ stretches }) => stretches).sort((one, other) => one.from - other.from),
    keptFrom: Math.max(0, ...all.map(({ keptFrom }) => keptFrom)),
    news: news.includes(null) ? null : news.join(' '),
    repeated: last?.repeated ?? null,
  };
}

/** What it took since then, by whole stretches; null = not known so far back. */
export function sumsSince({ sums, since, stretches, keptFrom }: Counted, from: WallMs): Sums | null {
  if (since !== null && since >= from) return sums;
  if (keptFrom > from) return null;
  return stretches
    .filter((one) => one.from + COSTS.stretchMs > from)
    .reduce((sum, one) => sumOf(sum, one.sums), NOTHING);
}
