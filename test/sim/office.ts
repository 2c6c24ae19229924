/**
 * The scene of alerts: a town with its watchdog chain, its mail and all that tells a person, through troubles that come and go, killed at
 * a step of the test's choice.
 */
import { DEFAULTS } from '../../src/config/settings.ts';
import type { Order } from '../../machines/protocol.ts';
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { TownInput } from '../../machines/town.ts';
import type { Hands, Perform } from '../../src/ports/ports.ts';
import { paths } from '../../state/files/layout.ts';
import { readPatrol } from '../../state/patrols/records.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { townInput } from '../world/drive.ts';
import { layered, type SimHands } from '../world/hands.ts';
import { Deacon, DEACON } from '../world/deacon.ts';
import { systemError, type Operation } from '../world/disk.ts';
import { never } from '../world/never.ts';
import { running } from '../world/records.ts';
import { DEAF, type Life, type TargetPlan } from './agent-plans.ts';
import { watchdogHandsOf } from './hands-watchdog.ts';
import type { Death } from './log.ts';
import type { Plant } from './plants.ts';
import { SIM_POLICY } from './policy.ts';
import type { Kill } from './scenes.ts';
import type { TownProcess } from './town.ts';
import { TownWorld } from './town-world.ts';

const SECOND = 1_000;
/** The town's numbers, small enough that a trouble is told within a minute or two. */
const OFFICE_POLICY: Policy = {
  ...SIM_POLICY,
  dance: { ...SIM_POLICY.dance, overdueMs: 10 * SECOND, heardWithinMs: 25 * SECOND },
  alerts: { ...SIM_POLICY.alerts, remindEveryMs: 5 * SECOND },
  ledger: { lookEveryMs: 5 * SECOND, backUpEveryMs: 10 * SECOND, soonMs: SECOND },
  sessions: { ...SIM_POLICY.sessions, takenRetryMs: 8 * SECOND, survivorsEveryMs: 5 * SECOND },
  watchdog: {
    ...POLICY.watchdog,
    heartbeatMs: 10 * SECOND,
    boot: { ...POLICY.watchdog.boot, deadlineMs: 4 * SECOND, runningTtlMs: 8 * SECOND, startGraceMs: 0 },
    deacon: { ...POLICY.watchdog.deacon, activeMs: 4 * SECOND, idleMs: 8 * SECOND },
  },
};
const DOWN_MS = 1 * SECOND;
const TURN_MS = 2;
/** An agent that keeps dying lives so long. */
const LIFE_MS = 300;

const TELLS: ReadonlySet<string> = new Set<Order['type']>(['alert', 'endAlert', 'endOthers']);
/** An agent that the town keeps up. */
const WORKER = 'worker';
/** Who is accused: an agent of a person's, which the town never starts. */
const GUEST = 'guest';

/** What is so in the world besides its agents; a trouble changes it. */
export class Scene extends Deacon {
  /** The Deacon is an actor of the town from its next start on. */
  isDeaconActor = false;
  /** What a look at a pane comes to: an observation, an error, or an outcome that makes the dog throw. */
  looks: 'work' | 'fail' | 'fall' = 'work';
  /** What is killed runs on, pane and all. */
  isClearing = true;
  rigs: readonly string[] = [];
  hasLedger = false;
  /** Whose patrol comes to nothing. */
  readonly brokenRigs = new Set<string>();
  starts: 'work' | 'fail' | 'taken' = 'work';
  readonly failing = new Set<string>();
  isDiskFull = false;
  broken: string | null = null;
}

export interface Change {
  readonly at: number;
  readonly make: (scene: Scene, world: Office) => void;
}

export class Office extends TownWorld {
  readonly scene = new Scene();
  /** How often it told a person that an alert begins or ends. */
  tellings = 0;
  readonly #killAt: number;
  /** A town that cannot write its epoch does not start; what this scene asks is what one says that runs. */
  override readonly hasEpoch = false;
  #accusations = 0;

  constructor(changes: readonly Change[], kill?: Kill, plant: Plant | null = null) {
    super({ seed: 1, plant, fuses: kill !== undefined && 'step' in kill ? [kill.step] : [] });
    this.#killAt = kill !== undefined && 'telling' in kill ? kill.telling : Infinity;
    for (const name of [WORKER, DEACON.name, GUEST]) {
      const origin = name === GUEST ? 'adopted' : 'started';
      const { incarnation } = this.agents.settle({ ...DEAF, name, origin, restart: 'permanent' });
      const state = name === GUEST ? 'observed' : 'running';
      const record = running(incarnation, { ...DEACON, name }, { startedAt: 1, state });
      this.disk.put(paths.session(name), sessionText(record));
    }
    for (const { at, make } of changes) this.time.at(at, () => make(this.scene, this));
  }

  async run(until: number): Promise<void> {
    this.boot();
    await this.pass(() => until);
    if (this.newest !== null) this.newest.isDead = true;
  }
  /** Episodes that are open. */
  get open(): readonly string[] {
    return [...this.disk.files().keys()].filter((path) => /^alerts\/.*\.json$/.test(path));
  }

  protected override fault(operation: Operation): Error | undefined {
    return this.scene.isDiskFull && ['write', 'append', 'rename'].includes(operation)
      ? systemError('ENOSPC')
      : undefined;
  }
  protected override downMs(): number {
    return DOWN_MS;
  }
  override inputOf(nth: number): TownInput {
    const chain = { deacon: this.scene.isDeaconActor ? null : DEACON };
    return townInput(OFFICE_POLICY, { entropy: `${nth}`, chain, rigs: DEFAULTS.patrols });
  }
  override begins({ inbox }: TownProcess): void {
    inbox.announce({ type: 'CONDITION_FOUND', what: 'config-broken', why: this.scene.broken });
  }

  override handsOf(town: TownProcess, common: Hands): Partial<Hands> {
    const watched = {
      deacon: DEACON.name,
      actor: `town-${town.number}`,
      mood: () => 'idle' as const,
      turnMs: () => TURN_MS,
    };
    const own = layered(this.#shown, this.scene.hands);
    const chain = watchdogHandsOf(town, watched, common);
    const hands: Partial<Hands> = {
      ...common,
      ...chain,
      readNote: (order, signal) => {
        // No stall watch.
        if (order.note === 'tickle' || chain.readNote === undefined) return never();
        return chain.readNote(order, signal);
      },
      startSession: (order, signal) => {
        const { starts } = this.scene;
        return order.spec.name !== WORKER || starts === 'work'
          ? common.startSession(order, signal)
          : Promise.resolve({ type: 'SESSION_NOT_STARTED', why: 'simulated', taken: starts === 'taken' });
      },
      look: (order, signal) => {
        if (this.scene.looks === 'fail') return Promise.reject(new Error('nothing is to be seen, simulated'));
        if (this.scene.looks === 'fall') return Promise.resolve({ type: 'LOOKED', tail: '' } as never);
        return common.look(order, signal);
      },
      clear: (order, signal) =>
        this.scene.isClearing
          ? common.clear(order, signal)
          : Promise.resolve({ type: 'CLEARED', survivors: order.tree }),
      readPatrol: async ({ of }) => {
        const { disk, quarantine } = town;
        return {
          type: 'PATROL_READ',
          record: await readPatrol({ disk, quarantine }, of),
        };
      },
      ...this.#planted(town, common),
    };
    const perform =
      (hand: Perform | undefined): Perform =>
      async (order, signal) => {
        if (TELLS.has(order.type)) this.tellings += 1;
        if (TELLS.has(order.type) && this.tellings === this.#killAt) this.kill();
        if (this.scene.failing.has(order.type)) throw new Error('it fails, simulated');
        const shown = await town.quick(() => own(order, this.time.now));
        if (shown !== null && !('after' in shown) && shown.type !== 'ANNOUNCED') {
          await town.pause(TURN_MS);
          return shown;
        }
        return hand === undefined ? never() : hand(order, signal);
      };
    const all = new Set([...Object.keys(hands), ...Object.keys(this.#shown), ...Object.keys(this.scene.hands)]);
    return Object.fromEntries([...all].map((type) => [type, perform(hands[type as keyof Hands] as Perform)]));
  }

  /** What rigs and panes show that no agent is behind. */
  get #shown(): SimHands {
    const { scene } = this;
    return {
      nudge: { type: 'NOT_NUDGED', obstacle: { kind: 'busy', what: 'a draft' } },
      fileWarrant: { type: 'WARRANT_WRITTEN' },
      readRigs: () => ({ type: 'RIGS_READ', rigs: scene.rigs, hasLedger: scene.hasLedger }),
      openLedger: { type: 'LEDGER_OPENED', backedUpAt: null },
      readEscalations: { type: 'ESCALATIONS_READ', open: [], gates: [] },
      backUpLedger: () => ({ type: 'LEDGER_BACKED_UP', backedUpAt: this.wall }),
      patrol: ({ of }) => {
        if (scene.brokenRigs.has(of)) throw new Error('it comes to nothing, simulated');
        const found = { observed: {}, deeds: [], isActive: false, stranded: [], isPaused: false };
        return { type: 'PATROLLED', found };
      },
    };
  }

  /** What a planted fault does instead. */
  #planted(town: TownProcess, common: Hands): Partial<Hands> {
    switch (this.plant) {
      case 'tells each time':
        return {
          alert: async (order, signal) => {
            await town.notify({ kind: 'alert', episode: order.alert.episode });
            return common.alert(order, signal);
          },
        };
      case 'ends what stands':
        return {
          alert: async (order, signal) => {
            const outcome = await common.alert(order, signal);
            const change = { type: 'endAlert', episode: order.alert.episode, text: 'planted' } as const;
            town.inbox.announce({ type: 'ALERT_ORDERED', by: { name: 'planted' }, change });
            return outcome;
          },
        };
      case 'loses ends':
        return { endAlert: () => Promise.resolve({ type: 'ALERTED' }) };
      case 'forgets what others told':
        return { endOthers: () => Promise.resolve({ type: 'ALERTED' }) };
      default:
        return {};
    }
  }

  /** The guest is accused. `force`: an operator wants it ended. */
  accuseGuest(force = false): void {
    const guest = this.agents.living(GUEST);
    this.#accusations += 1;
    if (guest === undefined) throw new Error('the guest does not live');
    this.accuse(guest, { id: `w${this.#accusations}`, requester: 'operator', force, wakes: 1 });
  }
  guest(more: Partial<TargetPlan>): void {
    this.agents.become(GUEST, { hindered: [], immortal: false, untouchableAt: Infinity, ...more });
  }

  get worker(): Life | undefined {
    return this.agents.living(WORKER);
  }

  /** The worker's life ends so, and each that follows; null = the next one lives. */
  doom(of: Death | null): void {
    const session = this.agents.sessions.get(WORKER);
    if (session === undefined) return;
    session.fate = of === null ? null : { of, shown: true, afterMs: LIFE_MS, times: Infinity };
    const { worker } = this;
    if (of !== null) this.in(LIFE_MS, () => this.agents.end(worker, of));
  }
}
