/**
 * Agents that work by their program's word, and of which it told no step between two close looks (M-3). A program writes an answer
 * down once it is whole, so one that streams a long one looks hung to all but its screen.
 */
import type { Incarnation } from '../../machines/protocol.ts';
import { hasNews, type Written } from '../screen/written.ts';
import type { Heard } from '../sources/port.ts';

/** What a program wrote (M-3). */
export interface Wrote extends Written {
  /** How many looks found something new. */
  readonly news: number;
  /** A line of it by which its work has failed; null = none. */
  readonly error: string | null;
  /** How far its program said it was when this was read at a standstill; absent = it was read for another cause. */
  readonly step?: string | undefined;
}

export const newsOf = (before: Wrote | null, now: Written): number =>
  before === null ? 0 : before.news + (hasNews(before, now) ? 1 : 0);

/** The first look at a standstill is what later ones are compared with. */
export function stillWrote(before: Wrote | null, now: Written, step: string | undefined): Wrote {
  const news = before?.step === step ? newsOf(before, now) : (before?.news ?? 0);
  return { ...now, error: null, news, step };
}

export class Standstill {
  #last: ReadonlyMap<string, string> = new Map();

  /** Those of `lives` that made no step since this was asked last. A tool that has time left makes none either, and is no standstill. */
  of(heard: ReadonlyMap<string, Heard>, lives: readonly Pick<Incarnation, 'uuid'>[]): ReadonlySet<string> {
    const last = this.#last;
    const asked = new Set(lives.map(({ uuid }) => uuid));
    this.#last = new Map(
      [...heard].flatMap(([uuid, { word, progress, hasTool }]) =>
        word?.state === 'working' && progress !== undefined && hasTool !== true ? [[uuid, progress] as const] : [],
      ),
    );
    return new Set(
      [...this.#last]
        .filter(([uuid, progress]) => asked.has(uuid) && last.get(uuid) === progress)
        .map(([uuid]) => uuid),
    );
  }
}
