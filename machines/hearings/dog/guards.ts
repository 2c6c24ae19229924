/**
 * Guards of a dog: predicates that classify a fact independently of the dog's reaction. An outcome counts only if it is
 * `isOurOutcome`.
 */
import { answers, isForced } from '../dance.ts';
import type { Args, DogContext } from './orders.ts';
import { isSameOrder, type OutcomeBody, type Observation } from '../../protocol.ts';

export const isOurOutcome = ({ context, event }: Args) => !('re' in event) || isSameOrder(context.awaiting, event.re);
/** A look that answers our order and saw this. */
export const saw =
  (kind: Observation['kind'], also: (c: DogContext) => boolean = () => true) =>
  (a: Args) =>
    a.event.type === 'LOOKED' && a.event.observation.kind === kind && isOurOutcome(a) && also(a.context);
/**
 * A look that answers our order and could not tell what matters. By force the end of its target is all that does, and right
 * after TERM an answer: what else its screen shows need not be understood then.
 */
export const sawNothing = (a: Args): boolean => {
  if (a.event.type !== 'LOOKED' || a.event.observation.kind !== 'unknown') return false;
  const { seen } = a.event.observation;
  const isEnough = isForced(a.context.dance) ? seen !== undefined : a.context.termSent && seen === 'unanswered';
  return isOurOutcome(a) && !isEnough;
};
/** A look that answers our order, at an agent that cannot run. */
export const cannotRun = (a: Args): boolean =>
  saw('unknown')(a) && a.event.type === 'LOOKED' && 'cannotRun' in a.event.observation;
/** A question that was not typed, for this reason. */
export const isObstacle = (kind: string) => (a: Args) =>
  a.event.type === 'NOT_ASKED' && a.event.obstacle.kind === kind && isOurOutcome(a);
/** `town alive` with a code of ours, from this life, where answers count. */
export const isAnswerByCommand = ({ context: { dance }, event }: Args): boolean =>
  event.type === 'ALIVE_ANSWERED' &&
  !isForced(dance) &&
  answers(dance, event.code) &&
  (event.uuid === null || event.uuid === dance.target.uuid);
export const leaves = ({ alive, newcomers }: Extract<OutcomeBody, { type: 'SIGNALLED' }>): boolean =>
  alive.length + newcomers.length > 0;
/** A later order to kill outranks the answer. */
export const isSparable = ({ answered, dance }: DogContext): boolean => answered && !isForced(dance);
export const roundsLeft = (a: Args): boolean =>
  isOurOutcome(a) &&
  a.event.type === 'SIGNALLED' &&
  leaves(a.event) &&
  a.context.dance.rounds < a.context.policy.maxRounds;
