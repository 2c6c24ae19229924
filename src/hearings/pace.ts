/**
 * What the town types to agents besides the questions of a hearing, and how often (law 5): nudges and health checks.
 * 1. Each is on record before its first key, so that no echo of it ever passes for the agent's own word (D-3, D-4).
 * 2. One nudge of a life in `nudgeEveryMs`, for all askers and over restarts. A health check keeps away from both, its
 *    like and nudges; a nudge waits for no health check, so that asking never delays a wake-up.
 */
import type { Incarnation, Ms, NudgeObstacle } from '../../machines/protocol.ts';
import type { Nudged, Nudges } from '../../state/sessions/nudges.ts';
import type { Give } from '../sources/gives.ts';
import type { SentKind } from './memory.ts';
import type { HearingDeps } from './view.ts';
import { span } from '../../machines/kernel/span.ts';

/** The durable memory of what the town typed besides questions. All reject when the disk refuses: then nothing is typed. */
export interface NudgeBook extends Pick<
  Nudges,
  'add' | 'confirm' | 'addCheck' | 'addWork' | 'addGiven' | 'takeGivenBack' | 'setPressed'
> {
  of(life: Incarnation): Promise<Omit<Nudged, 'session' | 'uuid'> | null>;
}

export interface TypingDeps extends HearingDeps {
  readonly nudges: NudgeBook;
  readonly isProtected: (session: string) => boolean;
  /** How the program of this life takes work without a key now; null = it does not. Absent = none is asked. Never rejects. */
  readonly givesOf?: (life: Incarnation) => Promise<Give | null>;
}

type Recent = NudgeObstacle & { readonly kind: 'recent' };

/**
 * What of these kinds was typed too short a while ago; null = none was. On the town's own clock; after a restart
 * the wall clock tells how much of the wait is over, and never makes it longer.
 */
export async function tooSoon(
  { nudges, memory, clock, policy }: TypingDeps,
  life: Incarnation,
  kinds: readonly SentKind[],
): Promise<Recent | null> {
  const typed = await nudges.of(life);
  if (typed === null) return null;
  const now = clock.now();
  const wholeSeconds = (ms: Ms): Ms => Math.max(0, Math.ceil(ms / 1_000)) * 1_000;
  const recent = kinds.flatMap((kind): Recent[] => {
    const last = kind === 'nudge' ? typed.at : typed.checkedAt;
    if (last === null) return [];
    const at = memory.typedAt(life, kind, () => now - Math.max(0, clock.wall() - last));
    const waitMs: Ms = at + policy.nudgeEveryMs - now;
    if (waitMs <= 0) return [];
    const who = kind === 'nudge' ? `${typed.from ?? 'an unknown caller'} nudged it` : 'it was asked for a sign of life';
    const what = `${who} ${span(wholeSeconds(now - at))} ago; the next may go in ${span(wholeSeconds(waitMs))}`;
    return [{ kind: 'recent', what, waitMs, ...(kind === 'nudge' && typed.from !== null && { from: typed.from }) }];
  });
  return recent.sort((a, b) => b.waitMs - a.waitMs)[0] ?? null;
}
