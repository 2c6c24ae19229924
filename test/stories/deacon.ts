/** The Deacon of a story: whether it beats, what its pane shows, what mail it has, and so what the chain's orders bring. */
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { Order, SessionSpec } from '../../machines/protocol.ts';
import { isRetired } from '../../machines/sessions/state.ts';
import type { Beat, BootStatus, DeaconSeen, Letter, Notes } from '../../machines/protocol/watchdog.ts';
import type { Chain } from '../../machines/town.ts';
import { Ages } from '../../src/watchdog/staleness.ts';
import { readDeaconMail } from '../../src/watchdog/observe.ts';
import { heldBack, notAsked } from '../../src/watchdog/paused.ts';
import type { Answer } from '../world/hands.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;
const SPEC: SessionSpec = {
  name: POLICY.watchdog.deacon.session,
  command: ['deacon'],
  dir: '/town/deacon',
  tags: ['deacon'],
  restart: 'permanent',
  process: null,
};

const ACTOR = 'town-7-boot';
interface Time {
  readonly now: number;
  readonly wall: number;
}

const isRetiredIn = ({ sessions }: World, name: string): boolean => {
  const record = sessions.get(name);
  return record !== undefined && isRetired(record);
};

export class DeaconWorld {
  /** Null = the story has no watchdog chain. */
  chain: Chain | null = null;
  watchdog: Policy['watchdog'] = POLICY.watchdog;
  pane: Pick<DeaconSeen, 'pane' | 'what'> = { pane: 'idle', what: '' };
  mail = 0;
  paused = false;
  letters: Letter[] = [];
  checks: Notes['healthChecks'] = {};
  /** Why orders of a type fail. */
  readonly failing = new Map<Order['type'], string>();
  status: BootStatus | null = null;
  /** As the actor wrote it last. */
  heartbeat: Beat | null = null;
  /** When it stopped beating; null = it beats each minute. */
  #silentSince: number | null = null;
  readonly #born = new Map<string, number>();
  #time: Time = { now: 0, wall: 0 };
  readonly #ages = new Ages({ now: () => this.#time.now, wall: () => this.#time.wall });
  #letters = 0;
  #nudged: { readonly uuid: string; readonly at: number } | null = null;

  become(mode: 'actor' | 'session'): void {
    this.chain = { deacon: mode === 'actor' ? null : SPEC, life: ACTOR };
  }
  beat(does: boolean, now: number): void {
    this.#silentSince = does ? null : now;
  }

  /** A letter of the life that has this name now; of nobody's where none does. */
  write(from: string, { subject, body = '' }: { subject: string; body?: string }, sentAt: number, world: World): void {
    const record = world.sessions.get(from);
    const uuid = record?.state === 'running' ? record.incarnation?.uuid : undefined;
    const sender = uuid === undefined ? null : { session: from, uuid, startedAt: record?.startedAt ?? null };
    const id = `m-${(this.#letters += 1)}`;
    this.letters.push({ id, from, via: 'agent', subject, body, sentAt, writtenBy: uuid ?? null, sender });
  }

  /** null = the order is none of the chain's. */
  answer(order: Order, time: Time, world: World): Answer {
    const { now } = time;
    const why = this.failing.get(order.type);
    if (why !== undefined) return { type: 'ORDER_FAILED', why };
    switch (order.type) {
      case 'announce':
        return { type: 'ANNOUNCED' };
      case 'readBoot':
        return { type: 'BOOT_READ', runningMs: null, status: this.status };
      case 'readHealth':
        return { type: 'HEALTH_READ', checks: this.checks };
      case 'observeDeacon':
        return { type: 'DEACON_OBSERVED', seen: this.#seen(time, world) };
      case 'discover': {
        const life = this.#life(now, world) === null ? 'absent' : 'alive';
        const found = order.names.map(
          (name) => ({ name, life, uuid: null, retired: isRetiredIn(world, name) }) as const,
        );
        return { type: 'DISCOVERED', found, paused: this.paused };
      }
      case 'readDeaconMail':
        return { type: 'DEACON_MAIL_READ', letters: this.letters, healthy: 1, unhealthy: 0, paused: this.paused };
      case 'archiveDeaconMail':
        this.letters = this.letters.filter(({ id }) => !order.ids.includes(id));
        return { type: 'MAIL_ARCHIVED' };
      case 'nudge': {
        const waitMs = this.#nudged?.uuid === order.target.uuid ? this.#nudged.at + 5 * MINUTE - now : 0;
        if (waitMs > 0)
          return { type: 'NOT_NUDGED', obstacle: { kind: 'recent', what: 'it was nudged a moment ago', waitMs } };
        this.#nudged = { uuid: order.target.uuid, at: now };
        return { type: 'NUDGED' };
      }
      case 'fileWarrant':
        world.warrants.set(order.warrant.id, order.warrant);
        return { type: 'WARRANT_WRITTEN' };
      case 'ask':
        return this.#isHeldBack(order) ? notAsked : null;
      case 'look': {
        const answer = world.answer(order, now);
        if (!this.#isHeldBack(order) || answer === null || !('type' in answer) || answer.type !== 'LOOKED')
          return answer;
        return { ...answer, sight: heldBack(answer.sight) };
      }
      case 'clear': {
        const agent = world.agents.get(order.target.session);
        if (agent) agent.diesAt = Math.min(agent.diesAt, now);
        return null; // the world says what comes of it
      }
      case 'readWarrants': {
        const taken = new Set([...world.dances.values()].flatMap((d) => d.warrants.map((w) => w.id)));
        return { type: 'WARRANTS_READ', warrants: [...world.warrants.values()].filter((w) => !taken.has(w.id)) };
      }
      default:
        return null;
    }
  }

  #isHeldBack({ target }: Order & { type: 'ask' | 'look' }): boolean {
    return this.paused && target.session === SPEC.name;
  }

  #life(now: number, world: World): DeaconSeen['life'] {
    const agent = world.agents.get(SPEC.name);
    return agent === undefined || agent.server !== world.server || agent.diesAt <= now ? null : agent.incarnation;
  }

  #seen({ now, wall }: Time, world: World): DeaconSeen {
    const isActor = this.chain?.deacon === null;
    const life = isActor ? null : this.#life(now, world);
    const lives = isActor || life !== null;
    const key = life?.uuid ?? 'actor';
    if (lives && !this.#born.has(key)) this.#born.set(key, now);
    const born = this.#born.get(key) ?? now;
    this.#time = { now, wall };
    const startedMsAgo = lives ? now - born : null;
    const ageMs = this.#silentSince === null ? (now - born) % MINUTE : now - this.#silentSince;
    return {
      alive: world.mute ? 'unknown' : lives ? 'yes' : 'no',
      // An actor beats by itself, and the hands measure it.
      heartbeat:
        isActor && this.heartbeat !== null && this.#silentSince === null
          ? readDeaconMail(this.#ages, this.heartbeat, { uuid: ACTOR, startedMsAgo })
          : { ageMs, mine: this.#silentSince === null || this.#silentSince >= born, dueInMs: null },
      mail: this.mail,
      ...(isActor ? { pane: 'none', what: '' } : this.pane),
      paused: this.paused,
      isHeard: [...world.dances.values()].some((d) => d.stage !== 'closed' && d.target.uuid === life?.uuid),
      retired: isRetiredIn(world, SPEC.name),
      startedMsAgo,
      life,
    };
  }
}
