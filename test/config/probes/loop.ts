/** The real loop of a town with these settings, with a disk, hands and a clock that a probe moves. */
import {
  orderName,
  type NewsBody,
  type Order,
  type OutcomeBody,
  type SavedRecord,
} from '../../../machines/protocol.ts';
import { town } from '../../../machines/town.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { FactQueue } from '../../../src/town/fact-queue.ts';
import { LEVELS } from '../../../machines/alert-kinds.ts';
import { Loop } from '../../../src/town/loop.ts';
import type { Hands } from '../../../src/ports/ports.ts';
import { ActorTree } from '../../../src/town/actor-tree.ts';
import { townInput } from '../../world/drive.ts';
import { FakeClock, settled } from '../../town/fake-clock.ts';
import { still } from '../../town/rig.ts';

export interface LoopTown {
  readonly clock: FakeClock;
  readonly degraded: (string | null)[];
  readonly progress: number[];
  readonly failures: string[];
  disk: (records: readonly SavedRecord[]) => Promise<void>;
  perform: (order: Order, signal: AbortSignal) => Promise<OutcomeBody>;
  news(body: NewsBody): Promise<void>;
}

/** What `visit` finds in a town that runs with these settings. */
export async function loopUnder<T>(settings: Settings, visit: (town: LoopTown) => Promise<T>): Promise<T> {
  const clock = new FakeClock();
  const inbox = new FactQueue(clock);
  const here: LoopTown = {
    clock,
    degraded: [],
    progress: [],
    failures: [],
    disk: () => Promise.resolve(),
    perform: still,
    news: async (body) => {
      inbox.push({ ...body, at: clock.now(), wall: clock.wall() });
      await settled();
    },
  };
  const hands = new Proxy({} as Hands, {
    get: () => (order: Order, signal: AbortSignal) => here.perform(order, signal),
  });
  const loop = new Loop<string>({
    inbox,
    clock,
    hands,
    tree: new ActorTree(town, townInput(settings.policy), LEVELS),
    commit: (records) => here.disk(records),
    journal: ({ facts }) => {
      for (const fact of facts) if (fact.type === 'ORDER_FAILED') here.failures.push(orderName(fact.re));
      return [];
    },
    policy: { ...settings.state, ...settings.process },
    progress: ({ steps }) => here.progress.push(steps),
    degraded: (why) => here.degraded.push(why),
  });
  const ended = loop.run();
  await settled();
  const found = await visit(here);
  loop.stop();
  // A save that never ends holds its loop; nothing of it goes on.
  await Promise.race([ended, settled()]);
  return found;
}
