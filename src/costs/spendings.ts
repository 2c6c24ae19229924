/** What each life spends and what for, as a scan tells it (M-12). Only of an agent that repeats a call git is asked besides. */
import type { Incarnation, Spending } from '../../machines/protocol.ts';
import { BURNING } from '../../machines/sessions/policy.ts';
import type { Heard } from '../sources/port.ts';
import { Costs } from './costs.ts';
import { Trees, type TreesDeps } from './trees.ts';

/** What programs said at the last look, by the uuid of a life. */
export type Reports = ReadonlyMap<string, Pick<Heard, 'books' | 'conversation' | 'word'>>;

export class Spendings {
  readonly costs: Costs;
  readonly #trees: Trees;
  #lives: readonly Incarnation[] = [];
  #reports: Reports = new Map();
  #isLooking = false;

  constructor(deps: TreesDeps) {
    this.costs = new Costs(deps.clock);
    this.#trees = new Trees(deps);
  }

  /** undefined = not known. */
  of(uuid: string): Spending | undefined {
    const { conversation = null, word = null } = this.#reports.get(uuid) ?? {};
    const counted = this.costs.of(uuid);
    if (counted === null || conversation === null) return undefined;
    const { sums, news, repeated } = counted;
    return {
      conversation,
      tokens: sums.input + sums.cached + sums.output,
      isAtWork: word && word.state === 'working',
      news,
      repeated,
      tree: this.#trees.of(uuid),
    };
  }

  /** For a person who asks: as `look` does, of the lives of the last one. Never rejects. */
  lookNow(): Promise<void> {
    this.costs.show();
    return this.look(this.#lives, this.#reports);
  }

  /** Never rejects. */
  async look(lives: readonly Incarnation[], reports: Reports): Promise<void> {
    this.#lives = lives;
    this.#reports = reports;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.costs.look(lives, reports);
      await this.#trees.look(lives.filter(({ uuid }) => this.#repeats(uuid)));
    } finally {
      this.#isLooking = false;
    }
  }

  #repeats(uuid: string): boolean {
    const { isAtWork, repeated } = this.of(uuid) ?? {};
    return isAtWork === true && (repeated?.count ?? 0) >= BURNING.minRepeats;
  }
}
