/**
 * A hearing of a paused Deacon stands still (C-4): it is asked nothing, and what it does not say counts for nothing. An answer,
 * a dialog and its own end still end the hearing, and an order to kill is no judgement.
 */
import type { OutcomeBody, Observation } from '../../machines/protocol.ts';
import type { Hands } from '../ports/ports.ts';

const WHY = 'the Deacon is paused: it is not judged';

export const notAsked: OutcomeBody = { type: 'NOT_ASKED', obstacle: { kind: 'unknown', why: WHY } };

/** The same look, as far as a pause lets it count. `seen` stays for who is ended by force, without a word about answers. */
export function heldBack(observation: Observation): Observation {
  switch (observation.kind) {
    case 'silent':
    case 'inconclusive':
    case 'evidence':
    case 'person':
      return { kind: 'unknown', why: WHY, seen: 'lost' };
    case 'unknown':
      return observation.seen === undefined ? observation : { kind: 'unknown', why: observation.why, seen: 'lost' };
    default:
      return observation;
  }
}

export interface PauseDeps {
  /** The Deacon's session; null = it is an actor, and is never heard. */
  readonly deacon: string | null;
  readonly isPaused: () => Promise<boolean>;
}

/** These hands, which read the pause where the Deacon is the target: before a question, after a look. */
export function whilePaused<H extends Pick<Hands, 'ask' | 'look'>>({ deacon, isPaused }: PauseDeps, hands: H): H {
  return {
    ...hands,
    ask: async (order, signal) => {
      const isHeldBack = order.target.session === deacon && (await isPaused());
      return isHeldBack ? notAsked : hands.ask(order, signal);
    },
    look: async (order, signal) => {
      const outcome = await hands.look(order, signal);
      const isHeldBack = outcome.type === 'LOOKED' && order.target.session === deacon && (await isPaused());
      return isHeldBack ? { ...outcome, observation: heldBack(outcome.observation) } : outcome;
    },
  };
}
