/**
 * The tree of actors, one step at a time: fact -> decide -> records and orders. Owns: the running tree, seen through one observer.
 * No I/O, no clock.
 * 1. `step` names every record that the step changed; its caller saves them before any of its orders gets out.
 * 2. An outcome goes to the actor that gave the order, TICK to each actor that waits for it, news to each that can take
 *    it.
 * 3. An order in flight is not given twice; only its return address changes (a revived dog asks again). One that its
 *    issuer gave up again within the step is not given at all.
 * 4. A wake-up that is not cleared would spin: the settle loop is capped and fails with the actor's name.
 */
import {
  createActor,
  type AnyActorLogic,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type InspectionEvent,
} from 'xstate';
import {
  isSameOrder,
  orderName,
  traitsOf,
  type Fact,
  type Instant,
  type News,
  type Order,
  type OrderId,
  type Outcome,
  type SavedRecord,
  type Stamp,
} from '../../machines/protocol.ts';
import { recordsOf } from '../../machines/kernel/persistence.ts';
import { Comparison, type Levels } from '../../machines/alerts/levels.ts';
import type { ActorView } from '../socket/protocol.ts';

/** Alerts that stand as long as what an actor sees, by the actor's `src`. */
type LevelsOf = Readonly<Record<string, Levels>>;

/** What one step wants: first the records durable, then the orders performed. */
export interface Step {
  readonly records: readonly SavedRecord[];
  readonly orders: readonly Order[];
}

/** News that is not found out again if its taker is away. */
const ONE_TIME_NEWS = ['REQUESTED', 'CONDITION_FOUND', 'FILE_REFUSED', 'OUTPUT_KEPT'] as const;
const isOneTime = (fact: News | Outcome): fact is News => ONE_TIME_NEWS.some((type) => type === fact.type);

/** Rounds of TICK within one step; a dog needs two, a supervisor three. */
const MAX_ROUNDS = 100;

interface SavedAs {
  readonly value: object | null;
  readonly text: string;
}
interface Waiting {
  readonly status: string;
  readonly context?: { readonly wakeAt?: Instant | null; readonly awaiting?: OrderId | null };
}

/** What a tree may be given besides. */
export interface ActorTreeOptions {
  /** Gets every inspection event of the tree (the inspector). Must not throw: it is called within a step. */
  readonly observe?: (event: InspectionEvent) => void;
  /** Called with each actor that threw, by its path, before its supervisor acts. */
  readonly onCrash?: (actor: string, error: unknown) => void;
}

export class ActorTree {
  readonly #live = new Map<AnyActorRef, AnyMachineSnapshot>();
  readonly #issuers = new Map<string, AnyActorRef>(); // name of an order -> who gave it
  readonly #saved = new Map<string, SavedAs>(); // kind/id -> as given out last
  readonly #lastRecords = new WeakMap<AnyActorRef, readonly SavedRecord[]>(); // the very list an actor gave last
  readonly #changed = new Map<AnyActorRef, AnyMachineSnapshot>();
  #undelivered: News[] = []; // of what is said once: who takes it still reads its records, or crashed and comes back
  #outbox: { order: Order; from: AnyActorRef }[] = [];
  readonly #root: AnyActorRef & { start(): unknown; stop(): unknown };
  readonly #levels: LevelsOf;
  readonly #comparison = new Comparison();
  #now: Instant = 0;
  /** Set when the root supervisor gave up: the process must end and be started anew. */
  failure: Error | null = null;

  constructor(town: AnyActorLogic, input: unknown, levels: LevelsOf, { observe, onCrash }: ActorTreeOptions = {}) {
    this.#levels = levels;
    this.#root = createActor(town, {
      id: 'town',
      input,
      inspect: (e) => {
        const ref = e.actorRef as AnyActorRef; // typed as ActorRefLike, is an actor
        if (e.type === '@xstate.actor') {
          ref.on('*', (order: unknown) => this.#outbox.push({ order: order as Order, from: ref }));
          if (onCrash !== undefined) ref.subscribe({ error: (error: unknown) => onCrash(pathOf(ref), error) });
        }
        if (e.type === '@xstate.snapshot') this.#watch(ref, e.snapshot as AnyMachineSnapshot);
        observe?.(e);
      },
    });
    this.#root.subscribe({
      error: (error: unknown) => {
        this.failure = error instanceof Error ? error : new Error(String(error));
      },
    });
  }

  /** Starts the tree; call once. */
  start(): Step {
    this.#root.start();
    return this.#flush();
  }

  stop(): void {
    this.#root.stop();
  }

  /** All facts of a batch, then time. Never throws for an actor's fault: see `failure`. */
  step(now: Stamp, facts: readonly (News | Outcome)[]): Step {
    this.#now = now.at;
    for (const fact of facts)
      if (isOneTime(fact)) this.#undelivered.push(fact);
      else this.#deliver(fact);
    this.#undelivered = this.#undelivered.filter((news) => !this.#announce(news));
    const tick = { type: 'TICK', at: now.at, wall: now.wall } satisfies Fact;
    for (let round = 0, due = this.#due(now.at); due.length > 0; due = this.#due(now.at)) {
      if (++round > MAX_ROUNDS)
        throw new Error(`${due.map((ref) => ref.id).join(', ')}: wakes and wakes without clearing wakeAt`);
      for (const ref of due) ref.send(tick);
    }
    return this.#flush();
  }

  /** The earliest instant that any actor waits for; Infinity = only a fact can move the town. */
  get nextWake(): Instant {
    let next = Infinity;
    for (const ref of this.#live.keys()) next = Math.min(next, wakeOf(ref));
    return next;
  }

  /** Whether an order that had to wait is still what its issuer waits for. One that is not is forgotten. */
  stillWanted(order: Order): boolean {
    if (waitsFor(this.#issuers.get(orderName(order.id)), order)) return true;
    this.#issuers.delete(orderName(order.id));
    return false;
  }

  /** The snapshots of the live actors of this `src`. */
  snapshotsOf(src: string): AnyMachineSnapshot[] {
    return [...this.#live.keys()]
      .filter((ref) => ref.src === src)
      .map((ref) => ref.getSnapshot() as AnyMachineSnapshot)
      .filter(({ status }) => status === 'active');
  }

  /** Every live actor with its state and how often its supervisor started it again. */
  get actors(): ActorView[] {
    return [...this.#live.keys()].map((ref) => {
      const snapshot = ref.getSnapshot() as AnyMachineSnapshot;
      const parent = (ref as { _parent?: AnyActorRef })._parent?.getSnapshot() as
        | { context?: { restarted?: Record<string, number>; dogs?: Record<string, { dance: { crashes: number } }> } }
        | undefined;
      const restarts = parent?.context?.restarted?.[ref.id] ?? parent?.context?.dogs?.[ref.id]?.dance.crashes ?? 0;
      return { id: pathOf(ref), state: stateText(snapshot.value), restarts };
    });
  }

  /** The live actors themselves, for an inspector. */
  get refs(): readonly AnyActorRef[] {
    return [...this.#live.keys()];
  }

  #deliver(fact: News | Outcome): void {
    if ('re' in fact) {
      const name = orderName(fact.re);
      const issuer = this.#issuers.get(name);
      this.#issuers.delete(name);
      if (fact.type === 'ORDER_FAILED' && this.#comparison.failed(fact.re, fact.at)) return;
      issuer?.send(fact);
      return;
    }
    this.#announce(fact);
  }

  /** Sends it to each actor that can take it; false = none can. */
  #announce(fact: News): boolean {
    let isTaken = false;
    for (const [ref, snapshot] of this.#live) {
      if (!snapshot.can(fact)) continue;
      ref.send(fact);
      isTaken = true;
    }
    return isTaken;
  }

  #due(now: Instant): AnyActorRef[] {
    return [...this.#live.keys()].filter((ref) => wakeOf(ref) <= now);
  }

  #watch(ref: AnyActorRef, snapshot: AnyMachineSnapshot): void {
    if (snapshot.status === 'active') this.#live.set(ref, snapshot);
    else this.#gone(ref);
    const src = ref.src as string;
    if (snapshot.status !== 'stopped' && (recordsOf(ref) ?? this.#levels[src])) this.#changed.set(ref, snapshot);
  }

  #gone(ref: AnyActorRef): void {
    this.#live.delete(ref);
    this.#comparison.forget(ref);
  }

  #flush(): Step {
    const alerts = this.#alertChanges();
    const records = this.#changedRecords();
    this.#changed.clear();
    // A crash is not announced.
    for (const ref of this.#live.keys()) if ((ref.getSnapshot() as Waiting).status !== 'active') this.#gone(ref);
    return { records, orders: [...this.#newOrders(), ...alerts] };
  }

  /** What the levels of the actors that changed say now, beside what is told already. */
  #alertChanges(): Order[] {
    return [...this.#changed].flatMap(([ref, snapshot]) => {
      const level = snapshot.status === 'active' ? this.#levels[ref.src as string] : undefined;
      return level === undefined ? [] : this.#comparison.compare(level, ref, snapshot, this.#now);
    });
  }

  #changedRecords(): SavedRecord[] {
    return [...this.#changed].flatMap(([ref, snapshot]) => {
      const kept = recordsOf(ref)?.(snapshot) ?? [];
      const before = this.#lastRecords.get(ref);
      if (before === kept) return [];
      this.#lastRecords.set(ref, kept);
      const same = new Set(before);
      return kept.filter((record) => !same.has(record) && this.#isNew(record, snapshot.status === 'done'));
    });
  }

  /** Another one than was given out last under its name; from now on it is that. */
  #isNew({ kind, id, value }: SavedRecord, isLast: boolean): boolean {
    const key = `${kind}/${id}`;
    const known = this.#saved.get(key);
    if (known !== undefined && hasSameFields(known.value, value)) return false;
    const text = JSON.stringify(value);
    if (isLast) this.#saved.delete(key);
    else this.#saved.set(key, { value, text });
    return known?.text !== text;
  }

  #newOrders(): Order[] {
    const given = this.#outbox;
    this.#outbox = [];
    return given.flatMap(({ order, from }) => {
      if (!waitsFor(from, order)) return []; // overtaken within this very step
      const name = orderName(order.id);
      const inFlight = this.#issuers.has(name);
      this.#issuers.set(name, from);
      return inFlight ? [] : [order];
    });
  }
}

/** When an actor wants to be woken; Infinity = only a fact moves it. */
function wakeOf(ref: AnyActorRef): Instant {
  const { status, context } = ref.getSnapshot() as Waiting;
  return status === 'active' ? (context?.wakeAt ?? Infinity) : Infinity;
}

/** Whether the issuer of an order waits for it. One that never waits for a single order wants all that it gave. */
function waitsFor(issuer: AnyActorRef | undefined, order: Order): boolean {
  if (traitsOf(order).awaited !== true) return true;
  const { status, context } = (issuer?.getSnapshot() ?? { status: 'stopped' }) as Waiting;
  if (status !== 'active') return false;
  return context?.awaiting === undefined || isSameOrder(context.awaiting, order.id);
}

/** Field by field the very same: nothing to compare as text. A dog looks far more often than its record changes. */
function hasSameFields(one: object | null, other: object | null): boolean {
  if (one === other) return true;
  if (one === null || other === null) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  const fields = other as Readonly<Record<string, unknown>>;
  return keys.every((key) => (one as Readonly<Record<string, unknown>>)[key] === fields[key]);
}

/** `town/watch/kennel/dog-17` */
function pathOf(ref: AnyActorRef): string {
  const parent = (ref as { _parent?: AnyActorRef })._parent;
  return parent ? `${pathOf(parent)}/${ref.id}` : ref.id;
}

/** `interrogating.listening` for `{ interrogating: 'listening' }`. */
export function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Object.entries(value as Record<string, unknown>)
    .map(([outer, inner]) => `${outer}.${stateText(inner)}`)
    .join(' ');
}
