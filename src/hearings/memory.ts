/**
 * What the hands remember of open hearings, in this process only. After a restart all of it is taken anew: nothing here
 * decides a verdict, it only lets a look see more.
 */
import type { HandsPolicy } from '../ports/policy.ts';
import type { Incarnation, Instant, Mark } from '../../machines/protocol.ts';
import type { Baseline } from './evidence.ts';
import type { Anchor } from './anchor.ts';
import { alphanumerics } from '../screen/text.ts';

/** What is typed besides the questions of a hearing, and keeps a later one of them away. */
export const SENT_KINDS = ['nudge', 'check'] as const;
export type SentKind = (typeof SENT_KINDS)[number];

/** One question to one life. */
export interface QuestionMemory {
  /** Of this life, by its uuid. */
  readonly life: string;
  /** What was taken before the first key of it; null = not by this process. */
  mark: Mark | null;
  /** Where its news begin; null = only the mark of the record is known. */
  anchor: Anchor | null;
  /** Our last key; null = before this process, or not yet. */
  keyAt: Instant | null;
  /** Signs of life are compared with this. */
  baseline: Baseline | null;
  /**
   * What this process did with its text.
   * typed: put before the program once, perhaps not shown
   * back: no longer there, or never was
   * sent: an Enter followed it, seen or not
   * unknown: an earlier process acted
   */
  delivery: 'unknown' | 'typed' | 'back' | 'sent';
}

/** Owns packs and the last texts sent by life, and hearings by question. Bounded: the oldest are forgotten. */
export class Memory {
  readonly #most: number;
  /** Names of packs by life. */
  readonly #packs = new Map<string, string>();
  readonly #questions = new Map<string, QuestionMemory>();
  /** When text of a kind was typed to a life last, by life and kind. */
  readonly #typed = new Map<string, Instant>();

  /** The last picture of work, by life. */
  readonly #pictures = new Map<string, { readonly picture: string; readonly since: Instant }>();

  constructor({ maxRemembered }: Pick<HandsPolicy, 'maxRemembered'>) {
    this.#most = maxRemembered;
  }

  question({ uuid }: Incarnation, code: string): QuestionMemory {
    const key = `${uuid}/${code}`;
    const known = this.#questions.get(key);
    if (known !== undefined) return known;
    const none = { mark: null, anchor: null, keyAt: null, baseline: null, delivery: 'unknown' } as const;
    const fresh: QuestionMemory = { life: uuid, ...none };
    this.#keep(this.#questions, key, fresh);
    return fresh;
  }

  /** Keys that were no question of a hearing: what they stir up is no sign of life, so every open hearing of this life compares anew. */
  typedInto({ uuid }: Incarnation, kind: SentKind | 'work', at: Instant): void {
    const typed = `${uuid}/${kind}`;
    this.#typed.delete(typed);
    this.#keep(this.#typed, typed, at);
    this.#stirredUp(uuid, at);
  }

  /** The key that a person chose in a dialog. */
  answered({ uuid }: Incarnation, at: Instant): void {
    this.#stirredUp(uuid, at);
  }

  /** Keys that take a draft of ours out again. A question that stands in it was not asked. */
  wasPutBack({ uuid }: Incarnation, draft: string, at: Instant): void {
    const words = alphanumerics(draft);
    for (const [key, question] of this.#questions)
      if (question.life === uuid && words.includes(key.slice(uuid.length + 1))) question.delivery = 'back';
    this.#stirredUp(uuid, at);
  }

  #stirredUp(uuid: string, at: Instant): void {
    for (const question of this.#questions.values()) {
      if (question.life !== uuid) continue;
      question.keyAt = at;
      question.baseline = null;
    }
  }

  /** Since when this life shows this picture, as far as it was looked at. */
  unchangedSince({ uuid }: Incarnation, picture: string, now: Instant): Instant {
    const known = this.#pictures.get(uuid);
    if (known?.picture === picture) return known.since;
    this.#keep(this.#pictures, uuid, { picture, since: now });
    return now;
  }

  /** When that was; what this process does not know it takes from `before`, once. */
  typedAt({ uuid }: Incarnation, kind: SentKind, before: () => Instant): Instant {
    const typed = `${uuid}/${kind}`;
    const known = this.#typed.get(typed);
    if (known !== undefined) return known;
    const at = before();
    this.#keep(this.#typed, typed, at);
    return at;
  }

  /** The name of the pack that judges this life; null = none is chosen for good. */
  packOf({ uuid }: Incarnation): string | null {
    return this.#packs.get(uuid) ?? null;
  }

  keepPack({ uuid }: Incarnation, name: string): void {
    this.#keep(this.#packs, uuid, name);
  }

  #keep<T>(map: Map<string, T>, key: string, value: T): void {
    map.set(key, value);
    for (const oldest of map.keys()) {
      if (map.size <= this.#most) break;
      map.delete(oldest);
    }
  }
}
