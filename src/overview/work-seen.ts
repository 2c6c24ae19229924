/**
 * When each agent began the work in which it was seen last: a report from before that says nothing of now (M-2). A screen counts one look
 * late. What a life did before it was seen first is not known.
 */
import type { WallMs } from '../../machines/protocol.ts';
import type { Word } from '../../machines/sessions/agent-state.ts';
import type { Reporter } from '../../machines/sessions/report-state.ts';

interface Work {
  /** null = none was seen. */
  readonly since: WallMs | null;
  readonly isGoingOn: boolean;
  /** When it was seen at work last; null = never. */
  readonly lastAt: WallMs | null;
  /** When this life was seen first. */
  readonly watchedSince: WallMs;
}

export class WorkSeen {
  #work: ReadonlyMap<string, Work> = new Map();

  /** Lives that are missing are forgotten. `word` null = nothing is known of that one now. */
  note(words: ReadonlyMap<string, Word | null>, now: WallMs): void {
    this.#work = new Map([...words].map(([uuid, word]) => [uuid, after(this.#work.get(uuid), word, now)] as const));
  }

  lastAt(uuid: string): WallMs | null {
    return this.#work.get(uuid)?.lastAt ?? null;
  }

  of = (uuid: string): Pick<Reporter, 'workedSince' | 'watchedSince'> => {
    const { since = null, watchedSince = null } = this.#work.get(uuid) ?? {};
    return { workedSince: since, watchedSince };
  };
}

function after(before: Work | undefined, word: Word | null, now: WallMs): Work {
  const known = before ?? { since: null, isGoingOn: false, lastAt: null, watchedSince: now };
  if (word === null) return known;
  if (word.state !== 'working') return { ...known, isGoingOn: false };
  // A word of a screen is as old as the look that read it: one that stands still is not read again.
  const lastAt = Math.max(known.lastAt ?? word.at, word.at);
  return { ...known, since: word.since ?? (known.isGoingOn ? known.since : now), isGoingOn: true, lastAt };
}
