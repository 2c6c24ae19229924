/**
 * The world of a story: what targets, sessions and tmux are like at each moment, and so what comes of every order.
 * It plays the hands and the disk; the tree, the machines and their records are the real ones.
 */
import type { Incarnation, Ms, Obstacle, Order, OutcomeBody, Proc, Observation } from '../../machines/protocol.ts';
import type { OrderOf } from '../../src/ports/ports.ts';
import { incarnation } from '../world/drive.ts';
import { ASKED, seeing, type Answer, type SimHands } from '../world/hands.ts';
import { Machine } from '../world/machine.ts';
import { SharedLogin } from './login.ts';

export type Mood = Observation | { readonly kind: 'busy'; readonly what: string };

/** An accused. */
export interface Target {
  readonly incarnation: Incarnation;
  mood: Mood;
  /** Codes that it printed. */
  readonly said: Set<string>;
  tree: readonly Proc[];
  /** Prints the code of its last question at TERM. */
  wakesAtTerm: boolean;
  /** Pids that end only by KILL. */
  readonly stubborn: Set<number>;
  /** Signals after which a new process of it appears. */
  breeds: number;
  /** Why its work cannot be saved; null = it can. */
  unsavable: string | null;
  /** Looks whose outcome makes its dog throw. */
  poison: number;
}
const HANDS_OF_TMUX: ReadonlySet<Order['type']> = new Set([
  ...(['ask', 'look', 'listTree', 'signal', 'clear', 'scan', 'startSession'] as const),
]);

export class World extends Machine {
  readonly targets = new Map<string, Target>();
  /** Why no agent can be started; null = each that is asked for is. */
  unstartable: { readonly why: string; readonly taken: boolean } | null = null;
  readonly login = new SharedLogin();
  /** tmux does not answer. */
  mute = false;
  /** How long each server lives from the first agent in it on; null = for ever. */
  serverLifeMs: Ms | null = null;
  #serverDiesAt: Ms | null = null;
  /** The code of its last question, by hearing. */
  readonly codes = new Map<string, string>();

  override unrecorded = { life: 'absent' } as const;

  readonly told: SimHands = {
    ask: (order, now) => (this.tmux === 'none' ? this.#paneless(order, now) : this.#asked(order)),
    look: (order, now) => (this.tmux === 'none' ? this.#paneless(order, now) : this.#looked(order)),
    listTree: ({ target }) => ({ type: 'TREE_LISTED', tree: this.target(target.session).tree }),
    rescue: (order) => this.#rescued(order),
    signal: (order) => this.#signalled(order),
    clear: ({ tree, target }) => ({
      type: 'CLEARED',
      survivors: tree.filter(({ pid }) => this.target(target.session).stubborn.has(pid)),
    }),
    scan: ({ known, waits = [] }, now) => {
      this.#ageServer(now);
      const seen = this.scan(known, now);
      if (seen.type !== 'SESSIONS_SEEN' || this.login.members.length === 0) return seen;
      return { ...seen, seen: seen.seen.map((one) => this.login.seen(one)), free: this.login.free(waits) };
    },
    startSession: (order, now) => ({ after: 5, body: this.#started(order, now) }),
  };

  /** What becomes of an order that tmux does not answer; undefined = it needs no tmux, or tmux answers. */
  unanswered({ type }: Order): OutcomeBody | undefined {
    if (!this.mute || !HANDS_OF_TMUX.has(type)) return undefined;
    const why = 'tmux did not answer';
    if (type === 'ask') return { type: 'NOT_ASKED', obstacle: { kind: 'unknown', why } };
    return type === 'look' ? seeing({ kind: 'unknown', why }) : { type: 'ORDER_FAILED', why };
  }

  target(session: string): Target {
    const known = this.targets.get(session);
    if (known) return known;
    const n = this.targets.size + 1;
    const born = (this.tmux === 'none' && this.of(session).at(-1)?.incarnation) || incarnation(n, { session });
    const fresh: Target = {
      incarnation: born,
      mood: { kind: 'silent' },
      said: new Set(),
      tree: [born.agent, { pid: born.agent.pid + 100, started: '8@boot' }],
      stubborn: new Set(),
      wakesAtTerm: false,
      breeds: 0,
      unsavable: null,
      poison: 0,
    };
    this.targets.set(session, fresh);
    return fresh;
  }

  #paneless({ type, target }: Order & { type: 'ask' | 'look' }, now: Ms): OutcomeBody {
    const observation: Observation & Obstacle = this.isAlive(target, now)
      ? { kind: 'unknown', why: 'it runs without tmux' }
      : { kind: 'gone', paneStays: false };
    return type === 'ask' ? { type: 'NOT_ASKED', obstacle: observation } : seeing(observation);
  }

  #asked({ id, target, code }: OrderOf<'ask'>): OutcomeBody {
    const { mood } = this.target(target.session);
    switch (mood.kind) {
      case 'answered':
      case 'evidence':
      case 'inconclusive':
      case 'error':
      case 'silent':
      case 'resting':
        this.codes.set(id.dance ?? '', code);
        return ASKED;
      default:
        return { type: 'NOT_ASKED', obstacle: mood };
    }
  }

  #looked(order: Order & { type: 'look' }): OutcomeBody {
    const target = this.target(order.target.session);
    if (target.poison > 0) {
      target.poison -= 1;
      return { type: 'LOOKED', tail: '' } as unknown as OutcomeBody; // an outcome that no hand should give
    }
    const attempt = order.attempts.at(-1);
    if (attempt && attempt.askedAt !== null && target.said.has(attempt.code))
      return seeing({ kind: 'answered', by: 'code', quote: `ALIVE ${attempt.code}` });
    return seeing(target.mood.kind === 'busy' ? { kind: 'silent' } : target.mood);
  }

  #rescued(order: Order & { type: 'rescue' }): OutcomeBody {
    const { unsavable } = this.target(order.target.session);
    if (unsavable !== null) return { type: 'ORDER_FAILED', why: unsavable };
    return { type: 'RESCUED', rescue: { folder: `rescue/${order.dance}`, ref: null } };
  }

  #signalled(order: Order & { type: 'signal' }): Answer {
    const target = this.target(order.target.session);
    const alive = order.signal === 'TERM' ? order.tree.filter((p) => target.stubborn.has(p.pid)) : [];
    if (order.signal === 'KILL') target.stubborn.clear();
    else if (target.wakesAtTerm) this.#wake(order, alive);
    const after = alive.length > 0 ? order.graceMs : 50; // the hands return as soon as none is left
    if (target.breeds === 0) return { after, body: { type: 'SIGNALLED', alive, newcomers: [] } };
    target.breeds -= 1;
    const newcomers = [{ pid: 2_000 + order.tree.length, started: '9@boot' }];
    return { after, body: { type: 'SIGNALLED', alive, newcomers } };
  }

  /** It answers at TERM, and with it lives what ignores the signal. */
  #wake({ id, target: { session } }: Order & { type: 'signal' }, alive: readonly Proc[]): void {
    const target = this.target(session);
    target.tree = alive;
    target.said.add(this.codes.get(id.dance ?? '') ?? '');
  }

  #ageServer(now: Ms): void {
    if (this.#serverDiesAt === null || this.#serverDiesAt > now) return;
    this.endServer(now);
    this.#serverDiesAt = null;
  }

  #started(order: OrderOf<'startSession'>, now: Ms): OutcomeBody {
    if (this.unstartable !== null) return { type: 'SESSION_NOT_STARTED', ...this.unstartable };
    const held = this.login.held(order.spec.name, order.dead);
    if (held !== null) return held;
    this.login.begins(order.spec.name);
    this.#ageServer(now);
    if (this.serverLifeMs !== null) this.#serverDiesAt ??= now + this.serverLifeMs;
    return this.start(order, now);
  }
}
