/**
 * When each agent began the work in which it was seen last: a report from before that says nothing of now (M-2). A screen counts one look
 * late. What a life did before it was seen first is not known.
 */
import type { WallMs } from '../../machines/protocol.ts';
import type { Word } from '../../machines/sessions/agent-state.ts';
import type { Reporter } from '../../machines/sessions/report-state.ts';
import type { Heard } from '../sources/port.ts';

interface Work {
  /** null = none was seen. */
  readonly since: WallMs | null;
  readonly isGoingOn: boolean;
  /** When it was last seen at work or waiting for an answer, or did something as its program dates it; null = never. */
  readonly lastAt: WallMs | null;
  /** When this life was seen first. */
  readonly watchedSince: WallMs;
  /** How far its program says that it is, and since when; null = it does not work, or its program does not tell. */
  readonly step: { readonly progress: string; readonly at: WallMs } | null;
}

/** How far a program at work says that it is, and when it did something last. */
type Step = Pick<Heard, 'progress' | 'hasTool' | 'changedAt'>;

export class WorkSeen {
  #work: ReadonlyMap<string, Work> = new Map();

  /** Lives that are missing are forgotten. `word` null = nothing is known of that one now. */
  note(words: ReadonlyMap<string, Word | null>, now: WallMs, steps: ReadonlyMap<string, Step> = new Map()): void {
    this.#work = new Map(
      [...words].map(([uuid, word]) => {
        const before = this.#work.get(uuid);
        const said = steps.get(uuid);
        const work = after(before, word, { now, changedAt: said?.changedAt ?? null });
        return [uuid, { ...work, step: stepOf(before, word, said, now) }] as const;
      }),
    );
  }

  /** When it did something last, as its program at work tells; null = it does not tell. */
  steppedAt(uuid: string): WallMs | null {
    return this.#work.get(uuid)?.step?.at ?? null;
  }

  lastAt(uuid: string): WallMs | null {
    return this.#work.get(uuid)?.lastAt ?? null;
  }

  of = (uuid: string): Pick<Reporter, 'workedSince' | 'watchedSince'> => {
    const { since = null, watchedSince = null } = this.#work.get(uuid) ?? {};
    return { workedSince: since, watchedSince };
  };
}

/** A tool that has time left is a step for as long as it runs. */
function stepOf(before: Work | undefined, word: Word | null, said: Step | undefined, now: WallMs): Work['step'] {
  if (word?.state !== 'working' || word.by !== 'program' || said?.progress === undefined) return null;
  const { progress, hasTool } = said;
  return hasTool === true || before?.step?.progress !== progress ? { progress, at: now } : before.step;
}

interface Seen {
  readonly now: WallMs;
  /** null = its program does not date what it does. */
  readonly changedAt: WallMs | null;
}

/** A word of a screen is as old as the look that read it, but a dialog stands until it is answered: that time is no silence of its agent. */
function inTurnAt(word: Word | null, now: WallMs): WallMs | null {
  if (word?.state === 'asks') return now;
  return word?.state === 'working' ? word.at : null;
}

function after(before: Work | undefined, word: Word | null, { now, changedAt }: Seen): Omit<Work, 'step'> {
  const known = before ?? { since: null, isGoingOn: false, lastAt: null, watchedSince: now };
  const inTurn = inTurnAt(word, now);
  // A turn may be shorter than the time between two looks. A clock that was set back leaves an older sign in the future.
  const signs = [known.lastAt, changedAt, inTurn].filter((at) => at !== null);
  const times = signs.filter((at) => at <= now || inTurn === null);
  const lastAt = times.length === 0 ? null : Math.max(...times);
  if (word === null) return { ...known, lastAt };
  if (word.state !== 'working') return { ...known, isGoingOn: false, lastAt };
  return { ...known, since: word.since ?? (known.isGoingOn ? known.since : now), isGoingOn: true, lastAt };
}
