/**
 * A patrol without a running town: the machine of the town, driven in this process. Its orders are carried out one after another, and
 * its record is saved when a cycle has ended, so that the next town goes on from there.
 */
import { createActor, type ActorRefFrom } from 'xstate';
import { round } from '../../../machines/rounds/round.ts';
import type { RoundInput } from '../../../machines/rounds/state.ts';
import type { Order, OutcomeBody, Reply, Stamp } from '../../../machines/protocol.ts';
import type { Patrolled, PatrolRecord } from '../../../machines/protocol/patrols.ts';
import { textOf } from '../../../state/files/disk.ts';
import { answerIn } from '../../terminal/failure.ts';

export interface DriverHands {
  /** Carries out an order; an error is its failure. */
  readonly perform: (order: Order) => Promise<OutcomeBody>;
  readonly save: (record: PatrolRecord) => Promise<void>;
  readonly now: () => Stamp;
}

const CALLER = 'driver';

export class PatrolDriver {
  readonly #actor: ActorRefFrom<typeof round>;
  readonly #hands: DriverHands;
  readonly #of: string;
  readonly #orders: Order[] = [];
  #saved: PatrolRecord | null = null;

  constructor(input: RoundInput, hands: DriverHands) {
    this.#of = input.of;
    this.#hands = hands;
    this.#actor = createActor(round, { input });
    this.#actor.on('*', (order) => this.#orders.push(order));
    this.#actor.start();
  }

  /** One whole cycle. `via`: who asks for it. Rejects with Failure: why it came to nothing. */
  async cycle(via: 'operator' | 'agent'): Promise<Patrolled> {
    const { perform, now } = this.#hands;
    const request = { verb: 'patrol', of: this.#of } as const;
    this.#actor.send({ type: 'REQUESTED', rpc: CALLER, request, via, ...now() });
    let answer: Reply | null = null;
    for (let order = this.#orders.shift(); order !== undefined; order = this.#orders.shift()) {
      if (order.type === 'reply') answer = order.reply;
      const outcome = await perform(order).catch((error: unknown): OutcomeBody => {
        return { type: 'ORDER_FAILED', why: textOf(error) };
      });
      this.#actor.send({ ...outcome, ...now(), re: order.id });
      await this.#save();
    }
    if (answer === null) throw new Error('its record cannot be read');
    return answerIn(answer) as Patrolled;
  }

  async #save(): Promise<void> {
    const { record } = this.#actor.getSnapshot().context;
    if (record === null || record === this.#saved) return;
    this.#saved = record;
    await this.#hands.save(record);
  }
}
