/**
 * The world of a story: what targets, sessions and tmux are like at each moment, and so what comes of every order.
 * It plays the hands and the disk; the street, the machines and their records are the real ones.
 */
import type {
  Dance,
  Heard,
  Incarnation,
  Mark,
  Order,
  OutcomeBody,
  Proc,
  SeenSession,
  SessionRecord,
  Sight,
  Warrant,
} from '../../machines/protocol.ts';
import type { ServerDeaths } from '../../machines/protocol/watchdog.ts';
import { incarnation } from '../world/drive.ts';
import { quiet, type Answer } from '../world/hands.ts';

const MARK: Mark = { line: 0, width: 200, alternate: false, cpuRate: null };
export type Mood = Sight | { readonly kind: 'busy'; readonly what: string };

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
/** A session's agent. */
interface Agent {
  readonly incarnation: Incarnation;
  server: number;
  diesAt: number;
  exitCode: number;
  limit: string | undefined;
}

export class World {
  readonly targets = new Map<string, Target>();
  readonly agents = new Map<string, Agent>();
  /** How long an agent of this name lives, and how it then exits. */
  readonly fates = new Map<string, { ms: number; code: number; limit?: string }>();
  /** Records and warrants on disk. */
  readonly dances = new Map<string, Dance>();
  readonly sessions = new Map<string, SessionRecord>();
  serverDeaths: ServerDeaths | null = null;
  readonly warrants = new Map<string, Warrant>();
  /** Why nobody can be started; null = whoever is asked for is. */
  unstartable: { readonly why: string; readonly taken: boolean } | null = null;
  /** tmux does not answer. */
  mute = false;
  /** There is no tmux: agents run without a pane. */
  absent = false;
  /** Which tmux server runs; a higher one is a later one. */
  server = 1;
  /** How long each server lives from the first agent in it on; null = for ever. */
  serverLifeMs: number | null = null;
  #serverDiesAt: number | null = null;

  target(session: string): Target {
    const known = this.targets.get(session);
    if (known) return known;
    const n = this.targets.size + 1;
    const born = (this.absent && this.agents.get(session)?.incarnation) || incarnation(n, { session });
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

  /** What becomes of an order that is given now. */
  answer(order: Order, now: number): Answer {
    if (this.mute && ['ask', 'look', 'listTree', 'signal', 'clear', 'scan', 'startSession'].includes(order.type))
      return this.#unanswered(order);
    if (this.absent && (order.type === 'ask' || order.type === 'look')) return this.#paneless(order, now);
    switch (order.type) {
      case 'ask':
        return this.#asked(this.target(order.target.session));
      case 'look':
        return this.#looked(order);
      case 'listTree':
        return { type: 'TREE_LISTED', tree: this.target(order.target.session).tree };
      case 'rescue':
        return this.#rescued(order);
      case 'signal':
        return this.#signalled(order);
      case 'clear':
        return { type: 'CLEARED', survivors: order.tree.filter((p) => this.#resists(order.target.session, p)) };
      case 'scan':
        return this.#seen(order.known, now);
      case 'startSession':
        return { after: 5, body: this.#started(order, now) };
      case 'readRecords':
        return this.#records();
      case 'readSessions':
        return { type: 'SESSIONS_READ', sessions: [...this.sessions.values()], serverDeaths: this.serverDeaths };
      default:
        return quiet(order, now);
    }
  }

  #unanswered(order: Order): OutcomeBody {
    const why = 'tmux did not answer';
    if (order.type === 'ask') return { type: 'NOT_ASKED', obstacle: { kind: 'unknown', why } };
    if (order.type === 'look') return { type: 'LOOKED', sight: { kind: 'unknown', why }, tail: '' };
    return { type: 'ORDER_FAILED', why };
  }

  #paneless({ type, target }: Order & { type: 'ask' | 'look' }, now: number): OutcomeBody {
    const agent = this.agents.get(target.session);
    const isGone = agent?.incarnation.uuid !== target.uuid || agent.diesAt <= now;
    const sight = isGone
      ? ({ kind: 'gone', left: false } as const)
      : ({ kind: 'unknown', why: 'it runs without tmux' } as const);
    return type === 'ask' ? { type: 'NOT_ASKED', obstacle: sight } : { type: 'LOOKED', sight, tail: '' };
  }

  #asked({ mood }: Target): OutcomeBody {
    switch (mood.kind) {
      case 'answered':
      case 'evidence':
      case 'reacted':
      case 'error':
      case 'silent':
        return { type: 'ASKED', mark: MARK, tail: '' };
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
      return { type: 'LOOKED', sight: { kind: 'answered', by: 'code', quote: `ALIVE ${attempt.code}` }, tail: '' };
    const sight: Sight = target.mood.kind === 'busy' ? { kind: 'silent' } : target.mood;
    return { type: 'LOOKED', sight, tail: '' };
  }

  #rescued(order: Order & { type: 'rescue' }): OutcomeBody {
    const { unsavable } = this.target(order.target.session);
    if (unsavable !== null) return { type: 'ORDER_FAILED', why: unsavable };
    return { type: 'RESCUED', rescue: { folder: `rescue/${order.dance}`, ref: null } };
  }

  #resists(session: string, { pid }: Proc): boolean {
    return this.target(session).stubborn.has(pid);
  }

  #signalled(order: Order & { type: 'signal' }): Answer {
    const target = this.target(order.target.session);
    const alive = order.signal === 'TERM' ? order.tree.filter((p) => target.stubborn.has(p.pid)) : [];
    if (order.signal === 'KILL') target.stubborn.clear();
    else if (target.wakesAtTerm) this.#wake(order, alive);
    const after = alive.length > 0 ? order.graceMs : 50; // the hands return as soon as nobody is left
    if (target.breeds === 0) return { after, body: { type: 'SIGNALLED', alive, newcomers: [] } };
    target.breeds -= 1;
    const newcomers = [{ pid: 2_000 + order.tree.length, started: '9@boot' }];
    return { after, body: { type: 'SIGNALLED', alive, newcomers } };
  }

  /** It answers at TERM, and with it lives what ignores the signal. */
  #wake({ id, target: { session } }: Order & { type: 'signal' }, alive: readonly Proc[]): void {
    const dance = this.dances.get(id.slice(0, id.indexOf('/')));
    const target = this.target(session);
    target.tree = alive;
    target.said.add(dance?.attempts[dance.attempt - 1]?.code ?? '');
  }

  #ageServer(now: number): void {
    if (this.#serverDiesAt === null || this.#serverDiesAt > now) return;
    this.server += 1;
    this.#serverDiesAt = null;
  }

  #started(order: Order & { type: 'startSession' }, now: number): OutcomeBody {
    const { name } = order.spec;
    if (this.unstartable !== null) return { type: 'SESSION_NOT_STARTED', ...this.unstartable };
    this.#ageServer(now);
    if (this.serverLifeMs !== null) this.#serverDiesAt ??= now + this.serverLifeMs;
    const born = incarnation(this.agents.size + 1, {
      uuid: order.uuid,
      session: name,
      server: { pid: 500 + this.server, started: '1@boot' },
      ...(this.absent && { origin: 'detached', sessionId: '', paneId: '' }),
    });
    const fate = this.fates.get(name);
    const diesAt = fate ? now + fate.ms : Infinity;
    this.agents.set(name, {
      ...{ incarnation: born, server: this.server, diesAt },
      ...{ exitCode: fate?.code ?? 0, limit: fate?.limit },
    });
    return { type: 'SESSION_STARTED', incarnation: born, tokenHash: 'hash' };
  }

  #seen(known: readonly Incarnation[], now: number): OutcomeBody {
    this.#ageServer(now);
    const seen = known.map(({ session, uuid }): SeenSession => {
      const agent = this.agents.get(session);
      const isDead = agent !== undefined && agent.diesAt <= now;
      const life = !this.absent && agent?.server !== this.server ? 'absent' : isDead ? 'dead' : 'alive';
      const exit = isDead ? ({ kind: 'code', code: agent.exitCode } as const) : null;
      return { name: session, uuid, life, exit, condemned: false, ...(isDead && { limit: agent.limit }) };
    });
    const server = seen.some((s) => s.life === 'absent') ? 'gone' : 'up';
    return { type: 'SESSIONS_SEEN', server: this.absent ? 'none' : server, seen };
  }

  #records(): OutcomeBody {
    const all = [...this.dances.values()];
    const open = all.filter((d) => d.stage !== 'closed');
    const taken = new Set(all.flatMap((d) => d.warrants.map((w) => w.id)));
    const heard = all.flatMap((d): Heard[] =>
      d.verdict === null || d.closedAt === null
        ? []
        : [{ ...d.target, verdict: d.verdict, evidenceOnly: d.evidenceOnly, closedAt: d.closedAt }],
    );
    return {
      type: 'RECORDS_READ',
      dances: JSON.parse(JSON.stringify(open)) as Dance[],
      warrants: [...this.warrants.values()].filter((w) => !taken.has(w.id)),
      heard,
      lastDanceMs: Math.max(0, ...all.map((d) => Number(d.id.slice('dog-'.length)))),
    };
  }
}
