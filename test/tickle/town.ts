/** Tickle alone on the shipped tree of actors, in virtual time: a test says what agents are there and when each shows a sign. */
import { POLICY } from '../../machines/policy.ts';
import type { Incarnation, NudgeObstacle, OutcomeBody, RequestOf, Reply } from '../../machines/protocol.ts';
import type { AgentSeen, Method, TickleRecord } from '../../machines/protocol/tickle.ts';
import { createSupervisor } from '../../machines/kernel/supervisor.ts';
import { tickle } from '../../machines/tickle/machine.ts';
import { TICKLE, type TicklePolicy } from '../../machines/tickle/policy.ts';
import type { TownInput } from '../../machines/town.ts';
import { Drive, incarnation, START, townInput, WALL } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

/** An agent of the world. */
export interface Agent {
  life: Incarnation | null;
  bornMs: number | null;
  /** On the drive's own clock; null = it never showed a sign. */
  signAt: number | null;
  hook: AgentSeen['hook'];
  signals: AgentSeen['signals'];
  spared: string | null;
  owner: string | null;
}

/** A record of evidence, as the ledger would hold it. */
export interface Noted {
  readonly id: string;
  readonly tag: string;
  readonly [more: string]: unknown;
}

const alone = createSupervisor('town', { tickle }, ({ policy, entropy }: TownInput) => ({
  strategy: 'one_for_one',
  policy: policy.supervisor,
  entropy,
  children: [{ id: 'tickle', src: 'tickle', input: { policy: policy.tickle } }],
}));

export class TickleTown {
  readonly agents = new Map<string, Agent>();
  /** What the ledger holds, in the order of its writing. */
  readonly ledger = new Map<string, Noted>();
  /** What was typed, and rung, with when. */
  readonly pages: { readonly agent: string; readonly by: Method; readonly at: number }[] = [];
  /** What stands in the way of a nudge; absent = nothing. */
  readonly obstacles = new Map<string, NudgeObstacle>();
  /** The bell fails for this reason; null = it is rung. */
  bell: string | null = null;
  /** Nothing is said on IRC for this reason; null = it is. */
  irc: string | null = null;
  /** The ledger cannot be used. */
  isLost = false;
  /** Outcomes that a test gives instead; null = none ever comes. */
  readonly instead: { -readonly [Verb in keyof SimHands]: SimHands[Verb] } = {};
  readonly #input: TownInput;
  #drive: Drive | null = null;
  readonly #episodes = new Set<string>();
  /** Every begin of an episode. */
  readonly told: string[] = [];
  readonly #typedAt = new Map<string, number>();

  constructor(policy: Partial<TicklePolicy> = {}) {
    const own = { ...TICKLE, enabled: true, ...policy };
    this.#input = townInput({ ...POLICY, tickle: own });
  }

  /** The town starts when it is used first. */
  get drive(): Drive {
    this.#drive ??= new Drive([this.instead, this.#hands], { input: this.#input, root: alone });
    return this.#drive;
  }

  readonly #hands: SimHands = {
    readEvidence: (_, now) => this.#seen(now),
    ringBell: ({ agent }, now) => {
      if (this.bell === null) this.pages.push({ agent, by: 'bell', at: now });
      return { type: 'BELL_RUNG', error: this.bell };
    },
    sayOnIrc: ({ nick: agent }, now) => {
      if (this.irc === null) this.pages.push({ agent, by: 'irc', at: now });
      return { type: 'SAID_ON_IRC', error: this.irc, isUnsure: false };
    },
    nudge: ({ target: { session: agent, uuid } }, now) => {
      const obstacle = this.obstacles.get(agent);
      if (obstacle !== undefined) return { type: 'NOT_NUDGED', obstacle };
      // As the hand does: one nudge of a life in five minutes, over restarts.
      const last = this.#typedAt.get(uuid);
      if (last !== undefined && now - last < 5 * MINUTE)
        return { type: 'NOT_NUDGED', obstacle: { kind: 'recent', what: 'tickle nudged it', waitMs: 1 } };
      this.#typedAt.set(uuid, now);
      this.pages.push({ agent, by: 'pane', at: now });
      return { type: 'NUDGED' };
    },
    alert: ({ alert: { episode } }) => {
      if (!this.#episodes.has(episode)) this.told.push(episode);
      this.#episodes.add(episode);
      return { type: 'ALERTED' };
    },
    endAlert: ({ episode }) => {
      this.#episodes.delete(episode);
      return { type: 'ALERTED' };
    },
    endOthers: ({ of, except }) => {
      for (const episode of this.#episodes)
        if (`${episode}/`.startsWith(`${of}/`) && !except.includes(episode)) this.#episodes.delete(episode);
      return { type: 'ALERTED' };
    },
    noteEvidence: ({ entries }) => {
      if (this.isLost) return { type: 'ORDER_FAILED', why: 'the ledger is locked' };
      for (const { id, tag, body } of entries)
        if (!this.ledger.has(id)) this.ledger.set(id, { id, tag, ...(JSON.parse(body) as object) });
      return { type: 'EVIDENCE_NOTED', ids: entries.map(({ id }) => id) };
    },
  };

  #seen(now: number): OutcomeBody {
    if (this.isLost) return { type: 'ORDER_FAILED', why: 'the ledger is locked' };
    const wall = WALL + now + (this.#drive?.stepMs ?? 0);
    return {
      type: 'EVIDENCE_READ',
      agents: [...this.agents].map(([name, { signAt, ...agent }]): AgentSeen => {
        const silentMs = signAt === null ? null : Math.max(0, now - signAt);
        const lastAt = signAt === null ? null : wall - now + signAt;
        return { name, lastAt, silentMs, sign: signAt === null ? null : 'note', ...agent };
      }),
    };
  }

  /** An agent in a session, that showed its last sign so long ago. */
  agent(name: string, silentMs: number | null = 0, more: Partial<Agent> = {}): Agent {
    const agent: Agent = {
      life: incarnation(name, { session: name }),
      bornMs: null,
      signAt: silentMs === null ? null : (this.#drive?.now ?? START) - silentMs,
      hook: null,
      signals: null,
      spared: null,
      owner: null,
      ...more,
    };
    this.agents.set(name, agent);
    return agent;
  }

  /** It shows a sign now. */
  sign(name: string): void {
    const agent = this.agents.get(name);
    if (agent !== undefined) agent.signAt = this.drive.now;
  }

  run(ms: number): void {
    this.drive.run(ms);
  }
  /** kill -9, and up again. */
  kill(awayMs = SECOND): void {
    this.drive.restart(awayMs);
  }
  ask(wants: RequestOf<'tickle'>['do'], agent: string | null = null): Reply | undefined {
    const rpc = `ask-${this.drive.given('reply').length}-${wants}`;
    this.drive.ask({ verb: 'tickle', do: wants, agent }, { rpc });
    this.run(10);
    return this.drive.given('reply').find(({ to }) => to === rpc)?.reply;
  }

  get record(): TickleRecord {
    const record = this.drive.note('tickle');
    if (record === null) throw new Error('Tickle has no record');
    return record;
  }
  noted(tag: string): Noted[] {
    return [...this.ledger.values()].filter((one) => one.tag === tag);
  }
  /** Open episodes of Tickle, as the disk would have them. */
  get alerts(): string[] {
    return [...this.#episodes].filter((episode) => /^(silent-agent|tickle-fails)/.test(episode));
  }
}

/** After the grace, an agent falls silent. */
export function silent(...policy: ConstructorParameters<typeof TickleTown>): TickleTown {
  const town = new TickleTown(...policy);
  town.agent('builder');
  town.run(5 * MINUTE - SECOND);
  return town;
}
export const BELL = { bell: ['ring'] };
