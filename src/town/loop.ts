/**
 * The loop: the only place where the town waits, for the save, for the earliest wake-up, or for a fact.
 * 1. Orders get out only after every record of their step is durable. One save holds all facts that were waiting.
 * 2. Every order gets exactly one outcome: an error or its time limit becomes ORDER_FAILED; what comes later is
 *    dropped.
 * 3. When the disk refuses, the town goes on observing; orders that act wait until the records behind them are durable,
 *    and those that are unwanted by then are dropped.
 * 4. It does not spin, and it shows progress only when it made some.
 */
import { dirname } from 'node:path';
import {
  traitsOf,
  type Instant,
  type Ms,
  type News,
  type Order,
  type Outcome,
  type SavedRecord,
} from '../../machines/protocol.ts';
import type { ProcessPolicy } from '../ports/policy.ts';
import { wordsOf } from '../../state/files/disk.ts';
import type { StatePolicy } from '../../state/files/policy.ts';
import type { FactQueue } from './fact-queue.ts';
import type { StepSeen } from '../journal/chronicle.ts';
import type { Clock, Hands, Perform } from '../ports/ports.ts';
import type { Step, ActorTree } from './actor-tree.ts';
import { span } from '../../machines/kernel/span.ts';

export interface LoopDeps<Line> {
  readonly tree: ActorTree;
  readonly inbox: FactQueue;
  readonly clock: Clock;
  readonly hands: Hands;
  /** Makes records and journal lines durable; rejects when the disk refuses. Called again with all that is still due. */
  readonly commit: (records: readonly SavedRecord[], lines: readonly Line[]) => Promise<void>;
  /** What of a step belongs into the journal. */
  readonly journal: (step: StepSeen) => readonly Line[];
  readonly policy: Pick<StatePolicy, 'slowSaveMs' | 'retrySaveMs'> &
    Pick<ProcessPolicy, 'orderMs' | 'rescueMs' | 'patrolMs' | 'progressEveryMs'>;
  /** After each real round; `saving` = a save has begun and not ended. */
  readonly progress: (p: { steps: number; saving: boolean }) => void;
  /** An edge: the disk became slow or refused (why), or recovered (null), as the first save that works says too. */
  readonly degraded: (why: string | null) => void;
  /** The longest step so far and its kind are for the bench and the metrics. */
  readonly stepped?: (ms: Ms) => void;
}

/** Journal lines kept in memory while the disk refuses; older ones are dropped first. */
const MAX_LINES = 10_000;

/** A cycle of a witness or of the Deacon waits its turn behind others; its hands limit its own time. */
const PATROLS_BEFORE = 12;

/** Why a wait is over that did its duty; without a reason each abort would make an error with its stack. */
const ENDED = 'ended';

const isObserving = (order: Order): boolean => traitsOf(order).observes === true;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Each try has a temporary file of its own: the same trouble has the same words, with its folder alone. */
function reasonOf(error: unknown): string {
  const path = error instanceof Error && 'path' in error ? error.path : null;
  return typeof path === 'string' ? `${wordsOf(error)}: ${dirname(path)}` : messageOf(error);
}

/** How long the hands may take before the order counts as failed. */
export function limitOf(
  order: Pick<Order, 'type'> & { readonly graceMs?: Ms },
  policy: Pick<ProcessPolicy, 'orderMs' | 'rescueMs' | 'patrolMs'>,
): Ms {
  const { limit } = traitsOf(order);
  if (limit === 'rescue') return policy.rescueMs;
  if (limit === 'patrol') return PATROLS_BEFORE * policy.patrolMs;
  return policy.orderMs + (limit === 'grace' ? (order.graceMs ?? 0) : 0);
}

export class Loop<Line> {
  readonly #deps: LoopDeps<Line>;
  readonly #stopping = new AbortController();
  readonly #dirty = new Map<string, SavedRecord>();
  #lines: Line[] = [];
  #delayed: Order[] = [];
  #retryAt: Instant = -Infinity;
  #degraded: string | null | undefined;
  #saving = false;
  #isSlow = false;
  #steps = 0;

  constructor(deps: LoopDeps<Line>) {
    this.#deps = deps;
  }

  get steps(): number {
    return this.#steps;
  }
  get saving(): boolean {
    return this.#saving;
  }
  /** A save is under way for longer than it should. */
  get isSlow(): boolean {
    return this.#isSlow;
  }
  /** Why the town is degraded by its disk; null = it is not. */
  get degradedBy(): string | null {
    return this.#degraded ?? null;
  }

  /** Runs until `stop`. Rejects with what made the root supervisor give up. */
  async run(): Promise<void> {
    const { tree, inbox, clock, policy } = this.#deps;
    await this.#saveThenAct(tree.start(), []);
    while (!this.#isStopping()) {
      const latest = clock.now() + policy.progressEveryMs;
      const retryAt = this.#dirty.size > 0 ? this.#retryAt : Infinity;
      await inbox.wait(Math.min(tree.nextWake, latest, retryAt), this.#stopping.signal);
      if (this.#isStopping()) break;
      const facts = inbox.take();
      const began = this.#deps.stepped ? performance.now() : 0;
      const step = tree.step({ at: clock.now(), wall: clock.wall() }, facts);
      this.#deps.stepped?.(performance.now() - began);
      this.#steps += 1;
      if (tree.failure !== null) throw tree.failure;
      await this.#saveThenAct(step, facts);
      this.#deps.progress({ steps: this.#steps, saving: false });
    }
    tree.stop();
  }

  /** Ends the loop after the save that is under way; orders still in the hands are told to end. */
  stop(): void {
    this.#stopping.abort();
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #saveThenAct(step: Step, facts: readonly (News | Outcome)[]): Promise<void> {
    for (const record of step.records) this.#dirty.set(`${record.kind}/${record.id}`, record);
    this.#lines.push(...this.#deps.journal({ facts, ...step, wall: this.#deps.clock.wall() }));
    const durable = await this.#save();
    if (durable) {
      const held = this.#delayed.filter((order) => this.#deps.tree.stillWanted(order));
      this.#delayed = [];
      this.#act([...held, ...step.orders]);
    } else {
      this.#delayed.push(...step.orders.filter((o) => !isObserving(o)));
      this.#act(step.orders.filter(isObserving));
    }
  }

  /** True when nothing waits for the disk any more. */
  async #save(): Promise<boolean> {
    const { clock, commit, policy } = this.#deps;
    if (this.#dirty.size === 0 && this.#lines.length === 0) return true;
    if (clock.now() < this.#retryAt) return false;
    const records = [...this.#dirty.values()];
    const lines = this.#lines;
    const done = new AbortController();
    this.#saving = true;
    const slow = this.#warnWhenSlow(done.signal);
    try {
      await commit(records, lines);
      this.#dirty.clear();
      this.#lines = [];
      this.#retryAt = -Infinity;
      this.#setDegraded(null);
      return true;
    } catch (error) {
      this.#retryAt = clock.now() + policy.retrySaveMs;
      this.#lines = lines.slice(-MAX_LINES);
      this.#setDegraded(`records cannot be saved: ${reasonOf(error)}`);
      return false;
    } finally {
      this.#saving = false;
      this.#isSlow = false;
      done.abort(ENDED);
      await slow;
    }
  }

  async #warnWhenSlow(done: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(this.#deps.policy.slowSaveMs, done);
    if (done.aborted) return;
    this.#isSlow = true;
    if (this.degradedBy === null) this.#setDegraded('waiting for disk: a save takes longer than it should');
  }

  #setDegraded(why: string | null): void {
    if (this.#degraded === why) return;
    this.#degraded = why;
    this.#deps.degraded(why);
  }

  #act(orders: readonly Order[]): void {
    for (const order of orders) void this.#perform(order);
  }

  async #perform(order: Order): Promise<void> {
    const { hands, inbox, clock, policy } = this.#deps;
    const limit = new AbortController();
    const over = new AbortController();
    const limitMs = limitOf(order, policy);
    const began = clock.now();
    const end = () => limit.abort(new Error('the town stops'));
    this.#stopping.signal.addEventListener('abort', end, { once: true });
    const perform = hands[order.type] as Perform;
    const body = await Promise.race([
      (async () => perform(order, limit.signal))().catch(
        (error: unknown) => ({ type: 'ORDER_FAILED', why: messageOf(error) }) as const,
      ),
      clock.sleep(limitMs, over.signal).then(() => {
        if (!over.signal.aborted) limit.abort(new Error('its time limit is over'));
        return { type: 'ORDER_FAILED', why: `no outcome within ${span(limitMs)}` } as const;
      }),
    ]);
    over.abort(ENDED);
    this.#stopping.signal.removeEventListener('abort', end);
    inbox.push({ ...body, re: order.id, began, at: clock.now(), wall: clock.wall() });
  }
}
