/** The real loop, inbox and tree around a town without hands: the disk and every order are in the test's hand. */
import type { News, NewsBody, Order, OutcomeBody, SavedRecord } from '../../machines/protocol.ts';
import { POLICY } from '../../machines/policy.ts';
import { PROCESS } from '../../src/ports/policy.ts';
import { STATE } from '../../state/files/policy.ts';
import { town } from '../../machines/town.ts';
import { FactQueue } from '../../src/town/fact-queue.ts';
import { LEVELS } from '../../machines/alert-kinds.ts';
import type { StepSeen } from '../../src/journal/chronicle.ts';
import { Loop } from '../../src/town/loop.ts';
import type { Hands } from '../../src/ports/ports.ts';
import { ActorTree } from '../../src/town/actor-tree.ts';
import { townInput } from '../world/drive.ts';
import { quiet } from '../world/hands.ts';
import { FakeClock, settled } from './fake-clock.ts';

export type Disk = (records: readonly SavedRecord[]) => Promise<void>;
type Performer = (order: Order, signal: AbortSignal) => Promise<OutcomeBody>;

/** What the hands do when a test says nothing else: the quiet answer at once, or nothing for ever. */
export const still: Performer = (order) => {
  const answer = quiet(order, 0);
  return answer === null || 'after' in answer ? new Promise(() => undefined) : Promise.resolve(answer);
};

export class Rig {
  readonly clock = new FakeClock();
  readonly inbox = new FactQueue(this.clock);
  readonly tree = new ActorTree(town, townInput(POLICY), LEVELS);
  /** What happened outside, in order: `saved <stage>`, `save failed`, `<order type>`. */
  readonly log: string[] = [];
  readonly performed: Order[] = [];
  readonly steps: StepSeen[] = [];
  readonly degraded: (string | null)[] = [];
  readonly progress: number[] = [];
  disk: Disk = () => Promise.resolve();
  perform: Performer = still;
  readonly loop: Loop<string>;
  readonly ended: Promise<string>;

  constructor() {
    const hands = new Proxy({} as Hands, {
      get: () => (order: Order, signal: AbortSignal) => {
        this.performed.push(order);
        this.log.push(order.type);
        return this.perform(order, signal);
      },
    });
    this.loop = new Loop<string>({
      tree: this.tree,
      inbox: this.inbox,
      clock: this.clock,
      hands,
      commit: async (records) => {
        const text = records
          .map((r) => (r.kind === 'dance' ? r.value.stage : r.kind === 'session' ? r.value.state : r.kind))
          .join(' ');
        try {
          await this.disk(records);
        } catch (error) {
          this.log.push('save failed');
          throw error;
        }
        if (text !== '') this.log.push(`saved ${text}`);
      },
      journal: (step) => {
        if (step.facts.length > 0 || step.orders.length > 0) this.steps.push(step);
        return [];
      },
      policy: { ...STATE, ...PROCESS },
      progress: ({ steps }) => this.progress.push(steps),
      degraded: (why) => this.degraded.push(why),
    });
    this.ended = this.loop.run().then(
      () => 'stopped',
      (error: unknown) => String(error),
    );
  }

  /** News arrives, and all that can happen at once does. */
  async news(body: NewsBody): Promise<void> {
    const news: News = { ...body, at: this.clock.now(), wall: this.clock.wall() };
    this.inbox.push(news);
    await settled();
  }

  /** Types of what was performed, without the town's housekeeping. */
  get acts(): string[] {
    return this.performed.map((o) => o.type).filter((type) => !/^(read|scan|alert|end)/.test(type));
  }

  async stop(): Promise<void> {
    this.loop.stop();
    await this.ended;
  }
}
