/** A town process of a watchdog chain's history: what an observer sees of it. */
import type { Order, OutcomeBody, SavedRecord } from '../../machines/protocol.ts';
import type { Hands, Perform } from '../../src/ports/ports.ts';
import type { JournalLine } from '../../state/journal.ts';
import { townInput } from '../world/drive.ts';
import { chainHandsOf } from './chain-hands.ts';
import type { ChainSim } from './chain.ts';
import { MortalTown } from './mortal.ts';

export class ChainTown extends MortalTown {
  readonly #chain: ChainSim;
  readonly #performs: Hands;

  constructor(sim: ChainSim) {
    const { history, policy } = sim;
    const life = `town-${sim.time.now}`;
    const chain = { deacon: history.isActor ? null : sim.spec, life };
    super(sim, townInput(policy, { entropy: `${history.seed}/${sim.time.now}`, chain }));
    this.#chain = sim;
    this.#performs = chainHandsOf(sim, this, life);
  }

  protected async before({ type, id: { giver, round = 0, verb = '' } }: Order): Promise<void> {
    const { world, chance } = this.#chain;
    if (giver === 'daemon' || giver === 'boot') world.tell({ what: 'ordered', type, giver, round, verb });
    await this.pause(1 + chance.upTo(4));
  }

  protected perform(order: Order, signal: AbortSignal): Promise<OutcomeBody> {
    return (this.#performs[order.type] as Perform)(order, signal);
  }

  protected said(what: 'alert' | 'recovered', episode: string): void {
    const { world, plant } = this.#chain;
    world.tell({ what, episode });
    if (plant === 'tells twice') world.tell({ what, episode });
  }

  protected override async commit(records: readonly SavedRecord[], lines: readonly JournalLine[]): Promise<void> {
    await super.commit(records, lines);
    for (const record of records) {
      if (record.kind !== 'dance') continue;
      const { id: dance, target, stage, warrants } = record.value;
      const force = warrants.some((one) => one.force);
      const own = warrants.some((one) => one.force && one.requester === target.session);
      this.#chain.world.tell({ what: 'hearing', dance, life: target.uuid, stage, force, own });
    }
  }
}
