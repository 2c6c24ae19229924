/** What a dog notes of what it learns: the words of an observation, who is not there any more, how long its dance lasts. Pure. */
import { lags, noteAttempt, seenMs, untypedNote } from '../dance.ts';
import type { Args, DogContext, DogEvent } from './orders.ts';
import { isSameProc, type Dance, type Instant, type Ms, type Obstacle, type Proc } from '../../protocol.ts';
import type { Observation, Stamp } from '../../protocol.ts';

export const at = (event: DogEvent): Instant => (event as Partial<Stamp>).at ?? NaN;
/** What was seen, as the end of a sentence in the record. */
export const describe = (observation: Observation | { kind: string; what?: string }): string =>
  'cannotRun' in observation
    ? `: ${observation.why}`
    : 'what' in observation && observation.what
      ? `: ${observation.what}`
      : 'quote' in observation
        ? `: ${observation.by}`
        : '';
/** The note about a question whose window ended without an answer. */
export const SILENT = 'silent' satisfies Observation['kind'];
export const endedOf = ({ tree }: Dance, living: readonly Proc[]): readonly Proc[] =>
  (tree ?? []).filter((proc) => !living.some((one) => isSameProc(one, proc)));
export const observationText = (observation: Observation): string => observation.kind + describe(observation);
/** The note about a question that is not typed yet; null = this fact tells no reason. */
export function untypedWhy(event: DogEvent): string | null {
  if (event.type === 'ORDER_FAILED') return untypedNote(event.why);
  if (event.type !== 'NOT_ASKED') return null;
  const { obstacle } = event;
  return 'what' in obstacle ? untypedNote(obstacle.what) : 'why' in obstacle ? untypedNote(obstacle.why) : null;
}
/** What the pane showed. A pane that is gone shows nothing, and words read before stay known. */
export const lastWords = (event: DogEvent): Pick<Dance, 'tailAfter'> | false => {
  if (event.type !== 'LOOKED') return false;
  const { observation, tail } = event;
  return !((observation.kind === 'gone' || observation.kind === 'paneless') && tail === '') && { tailAfter: tail };
};
/** What this fact tells of the agent; null = nothing. */
export const observationOrObstacle = (event: DogEvent): Observation | Obstacle | null =>
  event.type === 'LOOKED' ? event.observation : event.type === 'NOT_ASKED' ? event.obstacle : null;
/** The dance's questions, with the present one closed. */
export const attemptsNow = (dance: Dance): Dance['attempts'] =>
  noteAttempt(dance, { seen: dance.attempts[dance.attempt - 1]?.seen || SILENT });
/** Observable time in which the question could not be delivered, or its agent could not run, by now. */
export const undeliveredBy = ({ context: { dance, policy, lastSeen, lastUndelivered }, event }: Args): Ms =>
  dance.undeliveredMs + seenMs(lastUndelivered ?? lastSeen, at(event), 2 * policy.retryMs);
/** Observable time in which a person was at the keys, by now. It stops at its limit: an endless wait must not mean endless saves. */
export const personBy = ({ context: { dance, policy, lastSeen }, event }: Args): Ms =>
  Math.min(policy.personMs, dance.personMs + seenMs(lastSeen, at(event), policy.maxPerLookMs));
export const danceDuration = ({ beganAt }: DogContext, now: Instant): Ms | null =>
  beganAt === null ? null : now - beganAt;
/** The dance's duration by now, for a step in which no time counted; nothing before the first clock. */
export function withDuration(context: DogContext, now: Instant): Partial<DogContext> {
  const { dance, policy } = context;
  if (Number.isNaN(now)) return {};
  const lastedMs = danceDuration(context, now);
  if (lastedMs === null) return { beganAt: now - (dance.lastedMs ?? 0) };
  return lags(dance, lastedMs, policy) ? { dance: { ...dance, lastedMs } } : {};
}
