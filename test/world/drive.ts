/**
 * Drives the shipped tree of actors in virtual time over simulated hands, without a loop between them: every save works at once.
 * Owns: the time, the records (what a town that is killed finds again), all that was ordered.
 */
import type { AnyActorLogic } from 'xstate';
import { heardOf } from '../../machines/hearings/history.ts';
import type {
  Dance,
  Episode,
  PastHearing,
  Incarnation,
  Ms,
  NewsBody,
  Order,
  OrderId,
  OutcomeBody,
  Reply,
  Request,
  SavedRecord,
  SessionRecord,
  Via,
  Warrant,
} from '../../machines/protocol.ts';
import type { NoteRead, Notes } from '../../machines/protocol/watchdog.ts';
import { POLICY, type Policy } from '../../machines/policy.ts';
import { town, type TownInput } from '../../machines/town.ts';
import { LEVELS } from '../../machines/alert-kinds.ts';
import { ActorTree, type Step } from '../../src/town/actor-tree.ts';
import { layered, QUIET, type Answers, type SimHands } from './hands.ts';

/** Where a drive's time begins. */
export const START = 1_000;
export const WALL = Date.UTC(2026, 0, 2, 18, 30);

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

/** For hours of virtual time: what a town looks at every two seconds, it looks at every fifteen. */
export const SELDOM: Policy = {
  ...POLICY,
  sessions: { ...POLICY.sessions, scanEveryMs: 15_000 },
  dance: { ...POLICY.dance, readWarrantsEveryMs: 15_000 },
};

export const townInput = (policy: Policy = POLICY, more: Partial<TownInput> = {}): TownInput => ({
  policy,
  entropy: 'test',
  command: { started: 'town alive', adopted: 'town alive' },
  connections: [],
  ...more,
});

type Facts = Parameters<ActorTree['step']>[1];
type Watch = (step: Step, now: number, facts: Facts) => void;

const stateOf = (saved: SavedRecord): string => {
  if (saved.kind === 'dance') return saved.value.stage;
  if (saved.kind === 'session') return saved.value.state;
  if (saved.kind === 'forgotten' || saved.kind === 'ack') return 'forgotten';
  return saved.value === null ? 'gone' : 'saved';
};

interface Setting {
  readonly input?: TownInput;
  readonly root?: AnyActorLogic;
  /** Sees every step with the time it was made at and the facts it was made of. */
  readonly watch?: Watch;
  /** What the town finds of an earlier one. */
  readonly sessions?: readonly SessionRecord[];
  readonly dances?: readonly Dance[];
  /** Whether the tmux server of a life that ended lives on, as a new process of the town sees it; by default it ended too. */
  readonly serverLives?: (life: Incarnation) => boolean;
}

export class Drive {
  now = START;
  /** How far the wall clock was stepped. */
  stepMs = 0;
  readonly orders: Order[] = [];
  /** The disk. */
  readonly records = new Map<string, SavedRecord>();
  /** The folder of warrants. */
  readonly warrants = new Map<string, Warrant>();
  /** Every change of a record, as `id stage`. */
  readonly trail: string[] = [];
  tree: ActorTree;
  #input: TownInput;
  readonly #root: AnyActorLogic;
  readonly #watch: Watch;
  readonly #serverLives: (life: Incarnation) => boolean;
  #calls = 0;
  #coming: { at: number; fact: Facts[number] }[] = [];
  readonly #answers: Answers;

  /** What these hands do not know is read from the records, or is as in an undisturbed town. */
  constructor(hands: SimHands | readonly SimHands[] | Answers = {}, setting: Setting = {}) {
    const { input = townInput(), root = town, watch = () => undefined, sessions = [], dances = [] } = setting;
    this.#serverLives = setting.serverLives ?? (() => false);
    this.#answers = typeof hands === 'function' ? hands : layered(...[hands].flat(), this.reading, QUIET);
    this.#input = input;
    this.#root = root;
    this.#watch = watch;
    for (const value of sessions)
      this.records.set(`session/${value.spec.name}`, { kind: 'session', id: value.spec.name, value });
    for (const value of dances) this.records.set(`dance/${value.id}`, { kind: 'dance', id: value.id, value });
    this.tree = this.#open();
  }

  /** What is read from the disk. */
  readonly reading: SimHands = {
    readSessions: () => ({
      type: 'SESSIONS_READ',
      sessions: this.sessions,
      outlived: this.sessions.flatMap(({ incarnation: life }) =>
        life !== null && this.#serverLives(life) ? [life.uuid] : [],
      ),
      serverDeaths: this.note('serverDeaths'),
    }),
    readRecords: () => this.#readRecords(),
    readWarrants: () => ({ type: 'WARRANTS_READ', warrants: this.#waiting }),
    readBoot: () => ({ type: 'BOOT_READ', runningMs: null, status: this.note('bootStatus') }),
    readNote: ({ note }) => ({ type: 'NOTE_READ', note, value: structuredClone(this.note(note)) }) as NoteRead,
    seeTurn: () => ({ type: 'TURN_SEEN', hasBegun: false }),
    readPatrol: ({ of }) => {
      const saved = this.records.get(`patrol/${of}`);
      return { type: 'PATROL_READ', record: saved?.kind === 'patrol' ? saved.value : null };
    },
    readAlerts: () => ({ type: 'ALERTS_READ', episodes: this.episodes, acked: {} }),
  };

  get sessions(): SessionRecord[] {
    return [...this.records.values()].flatMap((saved) => (saved.kind === 'session' ? [saved.value] : []));
  }
  get dances(): Dance[] {
    return [...this.records.values()].flatMap((saved) => (saved.kind === 'dance' ? [saved.value] : []));
  }
  get episodes(): Episode[] {
    return [...this.records.values()].flatMap((saved) =>
      saved.kind === 'alert' && saved.value !== null ? [saved.value] : [],
    );
  }
  session(name: string): SessionRecord {
    const found = this.sessions.find(({ spec }) => spec.name === name);
    if (found === undefined) throw new Error(`no record of ${name}`);
    return found;
  }
  note<K extends keyof Notes>(id: K): Notes[K] | null {
    const saved = this.records.get(`note/${id}`);
    return saved?.kind === 'note' ? (saved.value as Notes[K] | null) : null;
  }

  get #waiting(): Warrant[] {
    const taken = new Set(this.dances.flatMap(({ warrants }) => warrants.map(({ id }) => id)));
    return [...this.warrants.values()].filter(({ id }) => !taken.has(id));
  }

  #readRecords(): OutcomeBody {
    const all = this.dances;
    const open = all.filter(({ stage }) => stage !== 'closed');
    const heard = all.flatMap((one): PastHearing[] =>
      one.verdict === null || one.closedAt === null ? [] : [heardOf(one, one.closedAt)],
    );
    const lastDanceMs = Math.max(0, ...all.map(({ id }) => Number(id.slice('dog-'.length))));
    return { type: 'RECORDS_READ', dances: structuredClone(open), warrants: this.#waiting, heard, lastDanceMs };
  }

  get wall(): number {
    return WALL + this.now + this.stepMs;
  }

  /** kill -9 of the town: what was under way is lost, and a new process finds what the test's answers give it to read. */
  restart(awayMs: Ms, input = this.#input): void {
    this.#input = input;
    this.#coming = [];
    this.now += awayMs;
    this.tree = this.#open();
  }

  /** The machine sleeps: time passes for everything at once, and no step is made. */
  sleep(ms: Ms): void {
    this.now += ms;
    this.run(0);
  }

  #open(): ActorTree {
    this.tree = new ActorTree(this.#root, this.#input, LEVELS);
    this.#take(this.tree.start(), []);
    this.run(10); // everything opens
    return this.tree;
  }

  /** All of it arrives at once. */
  tell(...news: readonly NewsBody[]): void {
    for (const body of news) this.#coming.push({ at: this.now, fact: { ...body, at: this.now, wall: this.wall } });
    this.run(0);
  }

  outcome(re: OrderId, body: OutcomeBody): void {
    this.#coming.push({ at: this.now, fact: { ...body, re, at: this.now, wall: this.wall } });
    this.run(0);
  }

  /** Lets time pass, step by step, from fact to wake-up. */
  run(ms: Ms): void {
    const until = this.now + ms;
    for (let steps = 0; ; steps++) {
      if (steps > 1e6) throw new Error('does not end');
      const next = Math.min(...this.#coming.map((c) => c.at), this.tree.nextWake);
      if (next > until) break;
      this.now = Math.max(this.now, next);
      const due = this.#coming.filter((c) => c.at <= this.now);
      this.#coming = this.#coming.filter((c) => c.at > this.now);
      const facts = due.map((c) => ({ ...c.fact, at: this.now }));
      this.#take(this.tree.step({ at: this.now, wall: this.wall }, facts), facts);
    }
    this.now = until;
  }

  /** Episodes that a person was to be told of, and that were over, one after the other. */
  get alerts(): string[] {
    return this.given('alert').map(({ alert }) => alert.episode);
  }
  get ends(): string[] {
    return this.given('endAlert').map(({ episode }) => episode);
  }

  /** What a caller asks for, and what it is told at once. */
  ask(request: Request, more: { readonly rpc?: string; readonly via?: Via } = {}): Reply | undefined {
    const { rpc = `r${(this.#calls += 1)}`, ...via } = more;
    this.tell({ type: 'REQUESTED', rpc, ...via, request });
    return this.given('reply').find(({ to }) => to === rpc)?.reply;
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
      const line = `${r.id} ${stateOf(r)}`;
      if (this.trail.at(-1) !== line) this.trail.push(line);
    }
    for (const order of orders) {
      this.orders.push(order);
      if (order.type === 'announce') {
        const at = this.now + 1;
        this.#coming.push({ at, fact: { ...order.news, at, wall: this.wall + 1 } });
      }
      const answer = this.#answers(order, this.now, this);
      if (answer === null) continue;
      const { after, body } = 'after' in answer ? answer : { after: 1, body: answer };
      this.#coming.push({
        at: this.now + after,
        fact: { ...body, re: order.id, at: 0, wall: this.wall + after },
      });
    }
  }
}
