/** What a timer types (M-6), and work that was sent: to the life that its session has then, through the doors of every nudge. */
import type { SessionRecord } from '../../machines/protocol.ts';
import { REMOVED } from '../../machines/sends/policy.ts';
import { ChangeFilter } from '../journal/change-filter.ts';
import type { Clock, Hands } from '../ports/ports.ts';
import { SOURCES } from '../sources/policy.ts';
import type { Sources } from '../sources/sources.ts';

export interface RemindNeeds {
  readonly session: (name: string) => Promise<SessionRecord | null>;
  readonly nudge: Hands['nudge'];
  /** Why nothing is typed unasked now, in words; null = it is. */
  readonly held: () => Promise<string | null>;
  readonly log: (text: string) => void;
}

const TYPED = 'typed';
const TASK = { from: 'operator', raw: true, atRest: true } as const;

/** Where it could not type, that is a warning in the log, once until the reason changes; its timer goes on. */
export const remindHand = ({ session: recordOf, nudge, held, log }: RemindNeeds): Hands['remind'] => {
  const changes = new ChangeFilter();
  return async ({ id, session, text, isTask = false, life }, signal) => {
    const record = await recordOf(session);
    // Work that waits for an agent that will never come back would be typed to a stranger of its name.
    if (record === null && isTask) return { type: 'NOT_NUDGED', obstacle: { kind: 'unfit', what: REMOVED } };
    const { state, incarnation: target = null } = record ?? {};
    if (life !== undefined && target?.uuid !== life) return { type: 'NOT_NUDGED', obstacle: { kind: 'replaced' } };
    const why = await held();
    const outcome =
      why !== null
        ? // As behind an agent at work: it waits, and is no trouble of its own.
          ({ type: 'NOT_NUDGED', obstacle: { kind: 'working', what: why } } as const)
        : target === null || (state !== 'running' && state !== 'observed')
          ? ({ type: 'NOT_NUDGED', obstacle: { kind: 'gone', paneStays: false } } as const)
          : await nudge(
              { type: 'nudge', id, target, text, isWork: true, ...(isTask ? TASK : { from: 'timer', raw: false }) },
              signal,
            );
    // Work is tried again and again, and its actor says what keeps it.
    if (isTask) return outcome;
    const is = outcome.type === 'NOT_NUDGED' ? outcome.obstacle.kind : TYPED;
    if (changes.isNew(`${id.name}/${session}`, is) && is !== TYPED) log(`a timer typed nothing to ${session}: ${is}`);
    return outcome;
  };
};

export interface SeeTurnNeeds extends Pick<RemindNeeds, 'session'>, Pick<Clock, 'sleep'> {
  readonly sources: Pick<Sources, 'of'>;
}

/** An agent that asks is in a turn too. Of a program that says nothing itself nothing is waited for. */
export const seeTurnHand =
  ({ session: recordOf, sources, sleep }: SeeTurnNeeds): Hands['seeTurn'] =>
  async ({ session }) => {
    const { incarnation: life = null } = (await recordOf(session)) ?? {};
    for (let look = 0; life !== null && look < SOURCES.begunLooks; look += 1) {
      const word = (await sources.of([life])).get(life.uuid)?.word ?? null;
      if (word?.by !== 'program') break;
      if (word.state === 'working' || word.state === 'asks') return { type: 'TURN_SEEN', hasBegun: true };
      await sleep(SOURCES.begunEveryMs);
    }
    return { type: 'TURN_SEEN', hasBegun: false };
  };
