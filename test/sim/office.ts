/**
 * Runs one town with its watchdog chain, its mail and all that tells a person, in virtual time, through troubles that come and
 * go: the shipped street, loop, store, office and conditions on a disk in memory. Killed with -9 at a step of the test's choice,
 * and started again. Owns: the scene, the log of what a person was told.
 */
import { DEFAULTS } from '../../src/config/settings.ts';
import { sessionsRead } from './hands-sessions.ts';
import type { Elsewhere, Exit, Order, OutcomeBody } from '../../machines/protocol.ts';
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { Perform } from '../../src/ports/ports.ts';
import { paths } from '../../state/files/layout.ts';
import { readPatrol } from '../../state/patrols/records.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { readNote } from '../../state/watchdog/records.ts';
import { incarnation, townInput } from '../world/drive.ts';
import { layered, QUIET } from '../world/hands.ts';
import { Deacon, DEACON, LIFE } from '../world/deacon.ts';
import { systemError, type Operation } from '../world/disk.ts';
import { CLEAN, CRASH, Machine } from '../world/machine.ts';
import { never } from '../world/never.ts';
import { running } from '../world/records.ts';
import { Accusations, GUEST, heardIn, patrolledIn, type Hearings, type Patrols } from './office-world.ts';
import type { Happened } from './log.ts';
import { MortalSim, MortalTown } from './mortal.ts';
import { SIM_POLICY, SIM_STATE } from './policy.ts';

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
/** An agent that keeps dying lives so long. */
const LIFE_MS = 300;

const EDGES: ReadonlySet<Order['type']> = new Set(['alert', 'endAlert', 'endOthers']);

/** A planted fault of what tells, for tests of the oracle. */
export type OfficePlant =
  'loses ends' | 'tells each time' | 'ends what stands' | 'forgets what others told' | 'tells nobody';

/** What is so in the world; a test changes it. */
export class Scene extends Deacon implements Hearings, Patrols {
  /** The Deacon is an actor of the town from its next start on. */
  isDeaconActor = false;
  heard: Hearings['heard'] = 'answers';
  /** The guest's pane shows a dialog. */
  isAsking = false;
  rigs: readonly string[] = [];
  hasLedger = false;
  readonly brokenRigs = new Set<string>();
  starts: 'works' | 'fails' | 'taken' = 'works';
  readonly failing = new Set<Order['type']>();
  isDiskFull = false;
  broken: string | null = null;
}

/** What a person was told, and when the town died. */
export type OfficeEntry = Happened<Record<'alert' | 'recovered', { episode: string }> & { killed: object }>;

interface Change {
  readonly at: number;
  readonly make: (scene: Scene, sim: OfficeSim) => void;
}

export interface OfficeRan {
  readonly log: readonly OfficeEntry[];
  /** Places where it could have been killed; and those of them just before an alert began or ended. */
  readonly steps: number;
  readonly edges: readonly number[];
  /** Episodes that are open in the end. */
  readonly open: readonly string[];
}

export class OfficeSim extends MortalSim {
  readonly scene = new Scene();
  readonly log: OfficeEntry[] = [];
  readonly plant: OfficePlant | null;
  readonly machine = new Machine();
  readonly accusations = new Accusations();
  readonly edges: number[] = [];
  readonly #killAt: number;

  constructor(changes: readonly Change[], killAt = Infinity, plant: OfficePlant | null = null) {
    super();
    this.plant = plant;
    this.#killAt = killAt;
    for (const life of [incarnation(7, { session: 'worker' }), LIFE, GUEST]) {
      this.disk.put(
        paths.session(life.session),
        sessionText(running(life, { ...DEACON, name: life.session }, { startedAt: 1 })),
      );
      this.machine.lives.set(life.uuid, { incarnation: life, diesAt: Infinity, end: { exit: CLEAN } });
    }
    for (const { at, make } of changes) this.time.at(at, () => make(this.scene, this));
  }

  run(until: number): Promise<OfficeRan> {
    return this.play(until, () => {
      const open = [...this.disk.files().keys()].filter((path) => /^alerts\/.*\.json$/.test(path));
      return { log: this.log, steps: this.steps, edges: this.edges, open };
    });
  }

  protected override fault(operation: Operation): Error | undefined {
    return this.scene.isDiskFull && ['write', 'append', 'rename'].includes(operation)
      ? systemError('ENOSPC')
      : undefined;
  }
  protected isLast(step: number): boolean {
    return step === this.#killAt;
  }
  protected died(): number {
    this.log.push({ t: this.time.now, what: 'killed' });
    return DOWN_MS;
  }
  protected make(): OfficeTown {
    return new OfficeTown(this);
  }

  /** Somebody accuses the guest. `force`: an operator wants it ended. */
  accuse(force = false): void {
    this.accusations.file(this.disk, this.wall, force);
    this.announce({ type: 'POKED', what: 'warrants' });
  }

  /** The worker's life ends so, and each that follows; null = the next one lives. */
  doom(exit: Exit | null): void {
    if (exit === null) return void this.machine.fates.delete('worker');
    this.machine.fates.set('worker', { ms: LIFE_MS, exit });
    this.machine.endName('worker', this.time.now + LIFE_MS, { exit });
  }

  /** The worker crashes once, and leaves this running. */
  crash(...left: readonly Elsewhere[]): void {
    for (const { incarnation: life } of this.machine.of('worker')) this.machine.left.set(life.uuid, left);
    this.machine.endName('worker', this.time.now, { exit: CRASH });
  }

  start(order: Order & { type: 'startSession' }, now: number): OutcomeBody {
    const { machine, scene } = this;
    if (machine.tmux === 'unknown') throw new Error('tmux is silent');
    return order.spec.name === 'worker' && scene.starts !== 'works'
      ? { type: 'SESSION_NOT_STARTED', why: 'simulated', taken: scene.starts === 'taken' }
      : machine.start(order, now);
  }
}

/** What the world shows, or does. */
const seenIn = (sim: OfficeSim) =>
  layered(
    {
      nudge: { type: 'NOT_NUDGED', obstacle: { kind: 'busy', what: 'a draft' } },
      fileWarrant: { type: 'WARRANT_WRITTEN' },
      startSession: (order, now) => sim.start(order, now),
    },
    sim.scene.hands,
    heardIn(sim.scene),
    patrolledIn(sim.scene, () => sim.wall),
    sim.machine.hands,
    QUIET,
  );

class OfficeTown extends MortalTown {
  readonly #office: OfficeSim;
  readonly #seen: ReturnType<typeof seenIn>;

  constructor(sim: OfficeSim) {
    const chain = { deacon: sim.scene.isDeaconActor ? null : DEACON };
    super(sim, townInput(OFFICE_POLICY, { entropy: `${sim.time.now}`, chain, rigs: DEFAULTS.patrols }));
    this.#office = sim;
    this.#seen = seenIn(sim);
  }

  protected override get isAsking(): boolean {
    return this.#office.scene.isAsking;
  }
  protected override begun(): void {
    this.inbox.announce({ type: 'CONDITION_FOUND', what: 'config-broken', why: this.#office.scene.broken });
  }
  protected before(): Promise<void> {
    return Promise.resolve();
  }
  protected said(what: 'alert' | 'recovered', episode: string): void {
    const { time, log, plant } = this.#office;
    if (plant !== 'tells nobody') log.push({ t: time.now, what, episode });
  }

  protected async perform(order: Order, signal: AbortSignal): Promise<OutcomeBody> {
    const { plant, edges, steps } = this.#office;
    const { telling, inbox } = this;
    if (EDGES.has(order.type)) edges.push(steps);
    switch (order.type) {
      case 'alert': {
        const { episode } = order.alert;
        if (plant === 'tells each time') await this.notify({ kind: 'alert', episode });
        const outcome = await telling.alert(order, signal);
        const over = { type: 'endAlert', episode, text: 'planted' } as const;
        if (plant === 'ends what stands')
          inbox.announce({ type: 'ALERT_ORDERED', by: { name: 'planted' }, change: over });
        return outcome;
      }
      case 'endAlert':
        return plant === 'loses ends' ? { type: 'ALERTED' } : telling.endAlert(order, signal);
      case 'endOthers':
        return plant === 'forgets what others told' ? { type: 'ALERTED' } : telling.endOthers(order, signal);
      case 'tell':
      case 'mail':
      case 'notify':
      case 'confirmAlert':
      case 'readAlerts':
      case 'checkAlerts':
        return (telling[order.type] as Perform)(order, signal);
      case 'announce':
        inbox.announce(order.news);
        return { type: 'ANNOUNCED' };
      case 'readSessions':
        return {
          ...sessionsRead(await this.store.readSessions()),
          serverDeaths: await this.#note('serverDeaths'),
        };
      case 'readRecords':
        return this.store.readRecords();
      case 'readWarrants':
        return { type: 'WARRANTS_READ', warrants: await this.store.readWarrants() };
      case 'readPatrol':
        return { type: 'PATROL_READ', record: await readPatrol(this.#files, order.of) };
      case 'readBoot':
        return { type: 'BOOT_READ', runningMs: null, status: await this.#note('bootStatus') };
      case 'readHealth':
        return { type: 'HEALTH_READ', checks: (await this.#note('healthChecks')) ?? {} };
      default: {
        await this.clock.sleep(2);
        if (this.#office.scene.failing.has(order.type)) throw new Error('it fails, simulated');
        return (this.#seen(order, this.time.now) as OutcomeBody | null) ?? never();
      }
    }
  }

  get #files() {
    return { disk: this.disk, quarantine: this.quarantine, maxBytes: SIM_STATE.maxRecordBytes };
  }

  #note<K extends Parameters<typeof readNote>[1]>(id: K) {
    return readNote<K>(this.#files, id);
  }
}
