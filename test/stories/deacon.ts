/** The Deacon of a story: whether it beats, what its pane shows, what mail it has, and so what the chain's orders bring. */
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { Order } from '../../machines/protocol.ts';
import { isRetired } from '../../machines/sessions/state.ts';
import type { DeaconSeen, Discovered } from '../../machines/protocol/watchdog.ts';
import type { Chain } from '../../machines/town.ts';
import { Ages } from '../../src/watchdog/staleness.ts';
import { readDeaconMail } from '../../src/watchdog/observe.ts';
import { heldBack, notAsked } from '../../src/watchdog/paused.ts';
import { Deacon, DEACON } from '../world/deacon.ts';
import type { Drive } from '../world/drive.ts';
import type { Answer, SimHands } from '../world/hands.ts';
import { CLEAN } from '../world/machine.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;

const ACTOR = 'town-7-boot';

export class DeaconWorld extends Deacon {
  /** Null = the story has no watchdog chain. */
  chain: Chain | null = null;
  watchdog: Policy['watchdog'] = POLICY.watchdog;
  pane: Pick<DeaconSeen, 'pane' | 'what'> = { pane: 'idle', what: '' };
  mail = 0;
  paused = false;
  /** Why orders of a type fail. */
  readonly failing = new Map<Order['type'], string>();
  readonly #world: World;
  readonly #drive: () => Drive;
  /** When it stopped beating; null = it beats each minute. */
  #silentSince: number | null = null;
  readonly #born = new Map<string, number>();
  readonly #ages: Ages;
  #letters = 0;
  #nudged: { readonly uuid: string; readonly at: number } | null = null;

  constructor(world: World, drive: () => Drive) {
    super();
    this.#world = world;
    this.#drive = drive;
    this.#ages = new Ages({ now: () => drive().now, wall: () => drive().wall });
  }

  readonly told: SimHands = {
    ...this.hands,
    nudge: ({ target: { uuid } }, now) => {
      const waitMs = this.#nudged?.uuid === uuid ? this.#nudged.at + 5 * MINUTE - now : 0;
      if (waitMs > 0)
        return { type: 'NOT_NUDGED', obstacle: { kind: 'recent', what: 'it was nudged a moment ago', waitMs } };
      this.#nudged = { uuid, at: now };
      return { type: 'NUDGED' };
    },
    fileWarrant: ({ warrant }) => {
      this.#drive().warrants.set(warrant.id, warrant);
      return { type: 'WARRANT_WRITTEN' };
    },
  };

  become(mode: 'actor' | 'session'): void {
    this.chain = { deacon: mode === 'actor' ? null : DEACON, life: ACTOR };
  }
  beat(does: boolean, now: number): void {
    this.#silentSince = does ? null : now;
  }

  /** A letter of the life that has this name now; of no life where none does. */
  write(from: string, { subject, body = '' }: { subject: string; body?: string }): void {
    const record = this.#drive().sessions.find(({ spec }) => spec.name === from);
    const uuid = record?.state === 'running' ? record.incarnation?.uuid : undefined;
    const sender = uuid === undefined ? null : { session: from, uuid };
    const id = `m-${(this.#letters += 1)}`;
    const sentAt = this.#drive().wall;
    this.letters.push({ id, from, via: 'agent', subject, body, sentAt, writtenBy: uuid ?? null, sender });
  }

  /** What a pause keeps back of what is found, and that a Deacon who is cleared is gone. */
  within(order: Order, now: number, answer: Answer): Answer {
    if (order.type === 'clear') this.#world.endName(order.target.session, now, { exit: CLEAN });
    if ((order.type !== 'ask' && order.type !== 'look') || !this.#isHeldBack(order)) return answer;
    if (order.type === 'ask') return notAsked;
    return answer !== null && 'type' in answer && answer.type === 'LOOKED'
      ? { ...answer, observation: heldBack(answer.observation) }
      : answer;
  }

  #isHeldBack({ target }: Order & { type: 'ask' | 'look' }): boolean {
    return this.paused && target.session === DEACON.name;
  }

  #life(now: number): DeaconSeen['life'] {
    const life = this.#world.of(DEACON.name).at(-1);
    return life !== undefined && life.diesAt > now ? life.incarnation : null;
  }
  #isRetired(name: string): boolean {
    const record = this.#drive().sessions.find(({ spec }) => spec.name === name);
    return record !== undefined && isRetired(record);
  }

  override get isPaused(): boolean {
    return this.paused;
  }
  override foundAs(name: string, now: number): Discovered {
    return { name, life: this.#life(now) === null ? 'absent' : 'alive', uuid: null, retired: this.#isRetired(name) };
  }
  override seenAt(now: number): DeaconSeen {
    const heartbeat = this.#drive().note('heartbeat');
    const isActor = this.chain?.deacon === null;
    const life = isActor ? null : this.#life(now);
    const lives = isActor || life !== null;
    const key = life?.uuid ?? 'actor';
    if (lives && !this.#born.has(key)) this.#born.set(key, now);
    const born = this.#born.get(key) ?? now;
    const startedMsAgo = lives ? now - born : null;
    const ageMs = this.#silentSince === null ? (now - born) % MINUTE : now - this.#silentSince;
    return {
      alive: this.#world.mute ? 'unknown' : lives ? 'yes' : 'no',
      // An actor beats by itself, and the hands measure it.
      heartbeat:
        isActor && heartbeat !== null && this.#silentSince === null
          ? readDeaconMail(this.#ages, heartbeat, { uuid: ACTOR, startedMsAgo })
          : { ageMs, mine: this.#silentSince === null || this.#silentSince >= born, dueInMs: null },
      mail: this.mail,
      ...(isActor ? { pane: 'none', what: '' } : this.pane),
      paused: this.paused,
      isHeard: this.#drive().dances.some((d) => d.stage !== 'closed' && d.target.uuid === life?.uuid),
      retired: this.#isRetired(DEACON.name),
      startedMsAgo,
      life,
    };
  }
}
