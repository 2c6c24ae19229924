/**
 * A dog by itself: woken with a record, told facts one by one, read by what it orders. For tables whose cells are decisions.
 */
import { createActor, type ActorRefFrom } from 'xstate';
import { freshDance } from '../../machines/hearings/dance.ts';
import { danceOf } from '../../machines/hearings/dog/record.ts';
import { dog } from '../../machines/hearings/dog/chart.ts';
import type { ToDog } from '../../machines/hearings/dog/orders.ts';
import type { PoolTools } from '../../machines/hearings/queue.ts';
import { POLICY } from '../../machines/policy.ts';
import { type DancePolicy } from '../../machines/hearings/policy.ts';
import type { Dance, Mark, NewsBody, Order, OutcomeBody, Proc, Observation } from '../../machines/protocol.ts';
import { stateText } from '../../src/town/actor-tree.ts';
import { WALL, warrant } from '../world/drive.ts';

export const MARK: Mark = { line: 40, width: 200, alternate: false, cpuRate: null };
export const TREE: readonly Proc[] = [
  { pid: 1001, started: '7@boot' },
  { pid: 1002, started: '8@boot' },
];
export const tools = (policy: Partial<DancePolicy> = {}): PoolTools => ({
  policy: { ...POLICY.dance, ...policy },
  entropy: 'test',
  command: { started: 'town alive', adopted: '/opt/town alive --root /town' },
  wallAtZero: WALL,
});
/** A dance in its first attempt; `more` says where it stands. */
export const danceAt = (more: Partial<Dance>, force = false): Dance => ({
  ...freshDance('dog-1', 1, warrant('w1', undefined, { force }), tools(), { wall: WALL, escalate: false }),
  ...more,
});
/** The same dance with its questions up to the present one known as asked. */
export const askedUpTo = (dance: Dance, attempt: number): Dance => ({
  ...dance,
  attempt,
  attempts: dance.attempts.map((a, i) => (i < attempt ? { ...a, askedAt: WALL, mark: MARK } : a)),
});
export const SIGHTS = {
  answered: { kind: 'answered', by: 'code', quote: 'ALIVE K73F' },
  evidence: { kind: 'evidence', what: 'new lines' },
  inconclusive: { kind: 'inconclusive', what: 'it is busy: Thinking (12s)' },
  limited: { kind: 'limited', what: 'usage limit reached, resets 3am' },
  error: { kind: 'error', what: 'API Error: 529' },
  silent: { kind: 'silent' },
  resting: { kind: 'resting' },
  dialog: { kind: 'dialog', what: 'Do you want to proceed?' },
  person: { kind: 'person', what: 'a key 3 s ago' },
  'gone, pane left': { kind: 'gone', paneStays: true },
  'gone with its pane': { kind: 'gone', paneStays: false },
  replaced: { kind: 'replaced' },
  paneless: { kind: 'paneless', what: 'its pane %1 is gone, but its process 1001 lives on' },
  unknown: { kind: 'unknown', why: 'tmux did not answer' },
  'not understood': { kind: 'unknown', why: 'what covers its screen is not known', seen: 'unanswered' },
  stopped: {
    kind: 'unknown',
    why: 'its process 1001 (bash) is stopped; `kill -CONT 1001` continues it',
    seen: 'unanswered',
    cannotRun: true,
  },
  'place lost': { kind: 'unknown', why: 'the place of the question is lost', seen: 'lost' },
} as const satisfies Record<string, Observation>;
export type ObservationName = keyof typeof SIGHTS;

export class LoneDog {
  now = 10_000;
  readonly orders: Order[] = [];
  readonly #ref: ActorRefFrom<typeof dog>;

  constructor(dance: Dance, policy: Partial<DancePolicy> = {}) {
    this.#ref = createActor(dog, { input: { ...tools(policy), dance: structuredClone(dance) } });
    this.#ref.on('*', (order) => this.orders.push(order));
    this.#ref.subscribe({ error: () => undefined }); // a crash is read from `status`
    this.#ref.start();
  }

  get status(): string {
    return this.#ref.getSnapshot().status;
  }
  get dance(): Dance {
    return danceOf(this.#ref.getSnapshot());
  }
  get state(): string {
    return stateText(this.#ref.getSnapshot().value);
  }
  get wakeAt(): number | null {
    return this.#ref.getSnapshot().context.wakeAt;
  }
  get last(): Order | undefined {
    return this.orders.at(-1);
  }
  /** Types of the orders given since `from`. */
  typesSince(from: number): string[] {
    return this.orders.slice(from).map((o) => o.type);
  }
  /** The outcome of the order it waits for. */
  outcome(body: OutcomeBody, re = this.#ref.getSnapshot().context.awaiting ?? {}): void {
    this.#ref.send({ ...body, re, ...this.#stamp });
  }
  look(observation: Observation): void {
    this.outcome({ type: 'LOOKED', observation, tail: 'tail' });
  }
  news(body: NewsBody): void {
    this.#ref.send({ ...body, ...this.#stamp });
  }
  hear(event: ToDog): void {
    this.#ref.send(event);
  }
  /** Time passes in one leap, then a TICK. */
  pass(ms: number): void {
    this.now += ms;
    this.#ref.send({ type: 'TICK', ...this.#stamp });
  }
  get #stamp() {
    return { at: this.now, wall: WALL + this.now };
  }
}

/** A dog that woke with this record and has its checkpoint behind it. */
export function awake(dance: Dance, policy: Partial<DancePolicy> = {}): LoneDog {
  const lone = new LoneDog(dance, policy);
  lone.outcome({ type: 'SAVED' });
  return lone;
}

/** What a dance is for any dog: nothing of this changes by a recovery. */
export const kept = ({ attempt, attempts, observedMs, personMs, tree, killing, rescue, target }: Dance) => ({
  attempt,
  attempts,
  observedMs,
  personMs,
  tree,
  killing,
  rescue,
  target,
});

/** Cells of a table drawn with bars: the first line names the columns, the first cell of a line its row. */
export function cells(table: string): { row: string; column: string; cell: string }[] {
  const [head, ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((text) => text.trim()));
  return rows.flatMap(([row, ...texts]) => {
    if (texts.length !== (head?.length ?? 0) - 1) throw new Error(`row ${row} has ${texts.length} cells`);
    return texts.map((cell, i) => ({ row: row ?? '', column: head?.[i + 1] ?? '', cell }));
  });
}
