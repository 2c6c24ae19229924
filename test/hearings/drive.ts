/**
 * Drives the real street in virtual time, without hands: a test says what each order's outcome is.
 * Everything that went out is kept, so that a test reads what the town wanted.
 */
import type { AnyActorLogic } from 'xstate';
import type { NewsBody, Order, OutcomeBody, SavedRecord, Incarnation, Warrant, Ms } from '../../machines/protocol.ts';
import { POLICY, type Policy } from '../../machines/policy.ts';
import { town, type TownInput } from '../../machines/town.ts';
import { keepers } from '../../src/town/projections.ts';
import { Street, type Step } from '../../src/town/street.ts';

export const WALL = Date.UTC(2026, 0, 2, 18, 30);
/** An outcome, null = none yet, or an outcome after some time. */
export type Answer = OutcomeBody | null | { readonly after: Ms; readonly body: OutcomeBody };
export type Answers = (order: Order, now: number) => Answer;

export const incarnation = (n: number | string, more: Partial<Incarnation> = {}): Incarnation => ({
  uuid: `uuid-${n}`,
  session: `gt-rig-${n}`,
  server: { pid: 500, started: '1@boot' },
  sessionId: '$1',
  paneId: `%${typeof n === 'number' ? n : 1}`,
  agent: { pid: 1000 + (typeof n === 'number' ? n : 0), started: '7@boot' },
  origin: 'started',
  ...more,
});
export const warrant = (id: string, target = incarnation(1), more: Partial<Warrant> = {}): Warrant => ({
  id,
  target,
  reason: 'no output for 20 minutes',
  requester: 'deacon',
  filedAt: WALL,
  force: false,
  ...more,
});

export const townInput = (policy: Policy = POLICY, more: Partial<TownInput> = {}): TownInput => ({
  policy,
  entropy: 'test',
  command: { started: 'town alive', adopted: 'town alive' },
  connections: [],
  ...more,
});

/** What an undisturbed town answers to the orders that are not under test. */
export const quiet = (order: Order): Answer => {
  switch (order.type) {
    case 'checkpoint':
      return { type: 'SAVED' };
    case 'readRecords':
      return { type: 'RECORDS_READ', dances: [], warrants: [], heard: [], lastDanceMs: 0 };
    case 'readWarrants':
      return { type: 'WARRANTS_READ', warrants: [] };
    case 'readSessions':
      return { type: 'SESSIONS_READ', sessions: [] };
    case 'tell':
      return { type: 'TOLD' };
    case 'alert':
    case 'endAlert':
    case 'endOthers':
      return { type: 'ALERTED' };
    case 'mail':
      return { type: 'MAILED' };
    case 'reply':
      return { type: 'REPLIED' };
    case 'connect':
      return { type: 'CONNECTED', what: order.what };
    default:
      return null;
  }
};

type Facts = Parameters<Street['step']>[1];
type Watch = (step: Step, now: number, facts: Facts) => void;

export class Drive {
  now = 1_000;
  /** How far the wall clock was stepped. */
  stepMs = 0;
  readonly orders: Order[] = [];
  readonly records = new Map<string, SavedRecord>();
  /** Every change of a record, as `id stage`. */
  readonly trail: string[] = [];
  street: Street;
  #input: TownInput;
  readonly #root: AnyActorLogic;
  /** Sees every step with the time it was made at and the facts it was made of. */
  readonly #watch: Watch;
  #coming: { at: number; fact: Facts[number] }[] = [];
  #answers: Answers;

  constructor(
    answers: Answers,
    input: TownInput = townInput(),
    root: AnyActorLogic = town,
    watch: Watch = () => undefined,
  ) {
    this.#answers = answers;
    this.#input = input;
    this.#root = root;
    this.#watch = watch;
    this.street = this.#open();
  }

  get wall(): number {
    return WALL + this.now + this.stepMs;
  }

  /** kill -9 of the town: what was under way is lost, and a new process finds what the test's answers give it to read. */
  restart(awayMs: Ms, input = this.#input): void {
    this.#input = input;
    this.#coming = [];
    this.now += awayMs;
    this.street = this.#open();
  }

  /** The machine sleeps: time passes for everything at once, and no step is made. */
  sleep(ms: Ms): void {
    this.now += ms;
    this.run(0);
  }

  #open(): Street {
    this.street = new Street(this.#root, this.#input, keepers);
    this.#take(this.street.start(), []);
    this.run(10); // everything opens
    return this.street;
  }

  set answers(answers: Answers) {
    this.#answers = answers;
  }

  /** All of it arrives at once. */
  tell(...news: readonly NewsBody[]): void {
    for (const body of news) this.#coming.push({ at: this.now, fact: { ...body, at: this.now, wall: this.wall } });
    this.run(0);
  }

  outcome(re: string, body: OutcomeBody): void {
    this.#coming.push({ at: this.now, fact: { ...body, re, at: this.now, wall: this.wall } });
    this.run(0);
  }

  /** Lets time pass, step by step, from fact to wake-up. */
  run(ms: Ms): void {
    const until = this.now + ms;
    for (let steps = 0; ; steps++) {
      if (steps > 1e6) throw new Error('does not end');
      const next = Math.min(...this.#coming.map((c) => c.at), this.street.nextWake);
      if (next > until) break;
      this.now = Math.max(this.now, next);
      const due = this.#coming.filter((c) => c.at <= this.now);
      this.#coming = this.#coming.filter((c) => c.at > this.now);
      const facts = due.map((c) => ({ ...c.fact, at: this.now }));
      this.#take(this.street.step({ at: this.now, wall: this.wall }, facts), facts);
    }
    this.now = until;
  }

  /** The orders of these types given so far. */
  given<T extends Order['type']>(...types: T[]): Extract<Order, { type: T }>[] {
    return this.orders.filter((o): o is Extract<Order, { type: T }> => types.includes(o.type as T));
  }

  #take(step: Step, facts: Facts): void {
    const { records, orders } = step;
    this.#watch(step, this.now, facts);
    for (const r of records) {
      if (r.kind === 'forgotten') this.records.delete(`session/${r.id}`);
      else this.records.set(`${r.kind}/${r.id}`, r);
      const what =
        r.kind === 'dance'
          ? r.value.stage
          : r.kind === 'session'
            ? r.value.state
            : r.kind === 'note'
              ? 'saved'
              : 'forgotten';
      const line = `${r.id} ${what}`;
      if (this.trail.at(-1) !== line) this.trail.push(line);
    }
    for (const order of orders) {
      this.orders.push(order);
      if (order.type === 'announce') {
        const at = this.now + 1;
        this.#coming.push({ at, fact: { ...order.news, at, wall: this.wall + 1 } });
      }
      const answer = this.#answers(order, this.now);
      if (answer === null) continue;
      const { after, body } = 'after' in answer ? answer : { after: 1, body: answer };
      this.#coming.push({
        at: this.now + after,
        fact: { ...body, re: order.id, at: 0, wall: this.wall + after },
      });
    }
  }
}
