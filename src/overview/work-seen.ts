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
  /** When this life was seen first. */
  readonly watchedSince: WallMs;
}

export class WorkSeen {
  #work: ReadonlyMap<string, Work> = new Map();

  /** Lives that are missing are forgotten. `word` null = nothing is known of that one now. */
  note(words: ReadonlyMap<string, Word | null>, now: WallMs): void {
    this.#work = new Map([...words].map(([uuid, word]) => [uuid, after(this.#work.get(uuid), word, now)] as const));
  }

  of = (uuid: string): Pick<Reporter, 'workedSince' | 'watchedSince'> => {
    const { since = null, watchedSince = null } = this.#work.get(uuid) ?? {};
    return { workedSince: since, watchedSince };
  };
}

function after(before: Work | undefined, word: Word | null, now: WallMs): Work {
  const { since, isGoingOn, watchedSince } = before ?? { since: null, isGoingOn: false, watchedSince: now };
  if (word === null) return { since, isGoingOn, watchedSince };
  if (word.state !== 'working') return { since, isGoingOn: false, watchedSince };
  return { since: word.since ?? (isGoingOn ? since : now), isGoingOn: true, watchedSince };
}
