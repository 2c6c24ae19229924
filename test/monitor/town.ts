/** A town whose workers a test shows as it likes, on the shipped tree of actors in virtual time, with the mailbox of the tag beside it. */
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { Incarnation, NudgeObstacle, Order, WorkerSeen } from '../../machines/protocol.ts';
import { Drive, incarnation, townInput } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';

export const SECOND = 1_000;
export const POLL = POLICY.monitor.pollIntervalSecs * SECOND;
export const ORCHESTRATOR = incarnation('orchestrator');

/** One that works: what it wrote changes with `mark`. */
export const worker = (n: number | string, more: Partial<WorkerSeen> = {}): WorkerSeen => ({
  life: incarnation(n, typeof n === 'string' ? { session: n } : {}),
  tags: ['worker'],
  state: 'unknown',
  since: null,
  source: null,
  rule: null,
  detail: null,
  report: null,
  mark: ' 0',
  lines: ['line 1', 'line 2'],
  error: null,
  isExcused: false,
  workedSince: null,
  ...more,
});

export interface Letter {
  readonly id: string;
  readonly to: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly suggested: { readonly action: string; readonly options: readonly string[] };
}

export class MonitorTown {
  /** By the number of each. */
  readonly workers = new Map<number | string, WorkerSeen>();
  orchestrators: readonly Incarnation[] = [];
  /** The mailbox of the tag: sent once by id, wherever it moved to. */
  readonly letters: Letter[] = [];
  readonly #read = new Set<string>();
  /** Orders to send letters, each try. */
  tries = 0;
  /** The disk takes no letter. */
  isFull = false;
  /** What is in the way of a nudge; null = nothing. */
  obstacle: NudgeObstacle | null = null;
  /** Lives before which it does not stand. */
  readonly free = new Set<string>();
  readonly drive: Drive;

  constructor(policy: Partial<Policy['monitor']> = {}) {
    const monitor = { ...POLICY.monitor, ...policy };
    this.drive = new Drive([this.#hands], { input: townInput({ ...POLICY, monitor }, { monitors: true }) });
  }

  readonly #hands: SimHands = {
    pollWorkers: ({ isRegular }) => ({
      type: 'WORKERS_SEEN',
      workers: [...this.workers.values()],
      orchestrators: this.orchestrators,
      waiting: this.#waiting(),
      isRegular,
    }),
    mail: (order) => {
      this.tries += 1;
      if (this.isFull) return { type: 'ORDER_FAILED', why: 'the disk is full' };
      this.#take(order);
      return { type: 'MAILED' };
    },
    nudge: ({ target: { uuid } }) =>
      this.obstacle === null || this.free.has(uuid)
        ? { type: 'NUDGED' }
        : { type: 'NOT_NUDGED', obstacle: this.obstacle },
  };

  #take({ id, to, subject, body }: Extract<Order, { type: 'mail' }>): void {
    const name = id.name ?? '';
    if (this.letters.some((one) => one.id === name)) return;
    this.letters.push({ id: name, to, type: subject, ...(JSON.parse(body) as Pick<Letter, 'payload' | 'suggested'>) });
  }

  #waiting() {
    const times = this.letters.flatMap(({ id }) => (this.#read.has(id) ? [] : [Number(id.split('-')[1])]));
    const [oldestAt, newestAt] = times.length === 0 ? [null, null] : [Math.min(...times), Math.max(...times)];
    return { count: times.length, oldestAt, newestAt };
  }

  /** The orchestrator reads what waits. */
  read(): void {
    for (const { id } of this.letters) this.#read.add(id);
  }

  show(n: number | string, more: Partial<WorkerSeen> = {}): void {
    this.workers.set(n, { ...(this.workers.get(n) ?? worker(n)), ...more });
  }

  /** It writes a line. */
  write(n: number | string): void {
    const { mark } = this.workers.get(n) ?? worker(n);
    this.show(n, { mark: ` ${Number((mark ?? '0').trim()) + 1}` });
  }

  report(n: number | string, status: NonNullable<WorkerSeen['report']>['status'], more: object = {}): void {
    this.show(n, { report: { status, message: null, outcome: null, at: this.drive.wall, ...more } });
    this.drive.tell({ type: 'CHANGED', what: 'reports' });
  }

  polls(count: number): void {
    this.drive.run(count * POLL);
  }

  /** Types of the letters so far, in order. */
  get types(): string[] {
    return this.letters.map(({ type }) => type);
  }

  get nudges(): string[] {
    return this.drive.given('nudge').map(({ text }) => text);
  }
}
