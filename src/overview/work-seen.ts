/** When each agent began the work in which it was seen last: a report from before that says nothing of now (M-2). A screen counts one look late. */
import type { WallMs } from '../../machines/protocol.ts';
import type { Word } from '../../machines/sessions/agent-state.ts';

interface Work {
  readonly since: WallMs;
  readonly isGoingOn: boolean;
}

export class WorkSeen {
  #work: ReadonlyMap<string, Work> = new Map();

  /** Lives that are missing are forgotten. `word` null = nothing is known of that one now. */
  note(words: ReadonlyMap<string, Word | null>, now: WallMs): void {
    this.#work = new Map(
      [...words].flatMap(([uuid, word]) => {
        const before = this.#work.get(uuid);
        const next = after(before, word, now);
        return next === undefined ? [] : [[uuid, next] as const];
      }),
    );
  }

  /** null = it was not seen to work. */
  since = (uuid: string): WallMs | null => this.#work.get(uuid)?.since ?? null;
}

function after(before: Work | undefined, word: Word | null, now: WallMs): Work | undefined {
  if (word === null) return before;
  if (word.state !== 'working') return before && { ...before, isGoingOn: false };
  if (before?.isGoingOn === true) return { since: word.since ?? before.since, isGoingOn: true };
  return { since: word.since ?? now, isGoingOn: true };
}
