/**
 * Runs one town with its watchdog chain, its mail and all that tells a person, in virtual time, through troubles that come and
 * go: the shipped street, loop, store, office and conditions on a disk in memory. Killed with -9 at a step of the test's choice,
 * and started again. Owns: the scene, the log of what a person was told.
 */
import type { NewsBody, Order, OutcomeBody, Proc, SeenSession, SessionRecord } from '../../machines/protocol.ts';
import { POLICY, type Policy } from '../../machines/policy.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import type { Notice } from '../../src/alerts/notify.ts';
import type { Hands, Perform } from '../../src/ports/ports.ts';
import { paths } from '../../state/files/layout.ts';
import type { Refused } from '../../state/files/quarantine.ts';
import { readPatrol } from '../../state/patrols/records.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { readNote } from '../../state/watchdog/records.ts';
import { incarnation, townInput, WALL } from '../world/drive.ts';
import { layered, QUIET } from '../world/hands.ts';
import { Deacon, DEACON, LIFE } from '../world/deacon.ts';
import { SimDisk, systemError } from '../world/disk.ts';
import { never } from '../world/never.ts';
import { Accusations, GUEST, heardIn, patrolledIn, type Hearings, type Patrols } from './office-world.ts';
import { SIM_POLICY, SIM_PROCESS, SIM_STATE } from './policy.ts';
import { settled, VirtualTime } from '../world/time.ts';
import { SimTown } from '../world/town.ts';

const SECOND = 1_000;
/** The town's numbers, small enough that a trouble is told within a minute or two. */
const OFFICE_POLICY: Policy = {
  ...SIM_POLICY,
  dance: { ...SIM_POLICY.dance, overdueMs: 10 * SECOND, heardWithinMs: 25 * SECOND },
  alerts: { ...SIM_POLICY.alerts, remindEveryMs: 5 * SECOND },
  ledger: { lookEveryMs: 5 * SECOND, backUpEveryMs: 10 * SECOND },
  sessions: { ...SIM_POLICY.sessions, takenRetryMs: 8 * SECOND, survivorsEveryMs: 5 * SECOND },
  watchdog: {
    ...POLICY.watchdog,
    heartbeatMs: 10 * SECOND,
    boot: { ...POLICY.watchdog.boot, deadlineMs: 4 * SECOND, runningTtlMs: 8 * SECOND, startGraceMs: 0 },
    deacon: { ...POLICY.watchdog.deacon, activeMs: 4 * SECOND, idleMs: 8 * SECOND },
  },
};
const DOWN_MS = 1 * SECOND;
/** The person's command takes so long. */
const NOTIFY_MS = 40;
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
  server: 'up' | 'gone' | 'unknown' = 'up';
  /** How each life of the agent goes that is started now. */
  agent: 'lives' | 'crashes' | 'ends' = 'lives';
  isLifeUnknown = false;
  starts: 'works' | 'fails' | 'taken' = 'works';
  readonly failing = new Set<Order['type']>();
  isDiskFull = false;
  broken: string | null = null;
  survivors: readonly Proc[] = [];
}

/** What a person was told, and when the town died. */
export type OfficeEntry =
  | { readonly t: number; readonly what: 'alert' | 'recovered'; readonly episode: string }
  | { readonly t: number; readonly what: 'killed' };

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

export class OfficeSim {
  readonly time = new VirtualTime();
  readonly scene = new Scene();
  readonly log: OfficeEntry[] = [];
  readonly plant: OfficePlant | null;
  readonly disk: SimDisk;
  readonly lives = new Map<string, SeenSession>();
  /** Files that a town of this simulation could not read: a mistake of the simulation. */
  readonly refused: string[] = [];
  readonly accusations = new Accusations();
  steps = 0;
  readonly edges: number[] = [];
  #killAt: number;
  #town: OfficeTown | null = null;

  constructor(changes: readonly Change[], killAt = Infinity, plant: OfficePlant | null = null) {
    this.plant = plant;
    this.#killAt = killAt;
    this.disk = new SimDisk({
      wall: () => this.wall,
      burn: () => {
        if (this.isKilled()) throw new Error('the town was killed');
      },
      fault: (operation) =>
        this.scene.isDiskFull && ['write', 'append', 'rename'].includes(operation) ? systemError('ENOSPC') : undefined,
    });
    const worker = incarnation(7, { session: 'worker' });
    for (const record of [running('worker', worker), running(DEACON.name, LIFE), running(GUEST.session, GUEST)]) {
      this.disk.put(paths.session(record.spec.name), sessionText(record));
      this.bear(record.incarnation?.uuid ?? '', record.spec.name);
    }
    for (const { at, make } of changes) this.time.at(at, () => make(this.scene, this));
  }

  get wall(): number {
    return WALL + this.time.now;
  }

  async run(until: number): Promise<OfficeRan> {
    this.boot();
    await settled();
    while (this.time.advance(until)) await settled();
    if (this.#town) this.#town.isDead = true;
    if (this.refused.length > 0) throw new Error(this.refused.join('\n'));
    const files = [...this.disk.files().keys()].filter((path) => /^alerts\/.*\.json$/.test(path));
    return { log: this.log, steps: this.steps, edges: this.edges, open: files };
  }

  /** A place where a kill may come; true = it came. */
  isKilled(): boolean {
    if (this.#town === null || this.#town.isDead) return true;
    this.steps += 1;
    if (this.steps !== this.#killAt) return false;
    this.kill();
    return true;
  }

  kill(): void {
    if (this.#town) this.#town.isDead = true;
    this.disk.kill();
    this.log.push({ t: this.time.now, what: 'killed' });
    this.time.at(this.time.now + DOWN_MS, () => this.boot());
  }

  boot(): void {
    this.#town = new OfficeTown(this);
    void this.#town.run();
  }

  announce(news: NewsBody): void {
    this.#town?.inbox.announce(news);
  }

  /** Somebody accuses the guest. `force`: an operator wants it ended. */
  accuse(force = false): void {
    this.accusations.file(this.disk, this.wall, force);
    this.announce({ type: 'POKED', what: 'warrants' });
  }

  bear(uuid: string, name: string): void {
    const life: SeenSession = { name, uuid, life: 'alive', exit: null, condemned: false };
    this.lives.set(uuid, life);
    if (name === 'worker') this.doom(uuid);
  }

  /** Lets the worker's life end as the scene wants it. */
  doom(uuid: string): void {
    const life = this.lives.get(uuid);
    const { agent } = this.scene;
    if (agent === 'lives' || life?.life !== 'alive') return;
    this.time.at(this.time.now + LIFE_MS, () => {
      this.lives.set(uuid, { ...life, life: 'dead', exit: { kind: 'code', code: agent === 'ends' ? 0 : 1 } });
    });
  }

  /** The lives of this session end at once. */
  endLives(session: string): void {
    for (const [uuid, life] of this.lives)
      if (life.name === session) this.lives.set(uuid, { ...life, life: 'dead', exit: { kind: 'code', code: 1 } });
  }

  left(session: string): Extract<OutcomeBody, { type: 'SURVIVORS_LISTED' }>['of'][number]['survivors'] {
    return session !== 'worker' ? [] : this.scene.survivors.map((proc) => ({ ...proc, program: 'sleep' }));
  }

  show(name: string, uuid: string): SeenSession {
    const { scene, lives } = this;
    const none: SeenSession = { name, uuid, life: 'absent', exit: null, condemned: false };
    const known = lives.get(uuid) ?? none;
    if (scene.server === 'gone') return { ...none, life: 'absent' };
    const isHidden = scene.server === 'unknown' || (scene.isLifeUnknown && name === 'worker');
    return isHidden ? { ...none, life: 'unknown' } : known;
  }

  start({ spec, uuid }: Order & { type: 'startSession' }): OutcomeBody {
    const { scene } = this;
    if (scene.server === 'unknown') throw new Error('tmux is silent');
    if (scene.server === 'gone') scene.server = 'up';
    if (spec.name === 'worker' && scene.starts !== 'works')
      return { type: 'SESSION_NOT_STARTED', why: 'simulated', taken: scene.starts === 'taken' };
    if (!this.lives.has(uuid)) this.bear(uuid, spec.name);
    const born = incarnation(9, { uuid, session: spec.name });
    return { type: 'SESSION_STARTED', incarnation: born, tokenHash: 'hash' };
  }

  doomAll(): void {
    for (const { uuid, name } of [...this.lives.values()]) if (name === 'worker') this.doom(uuid);
  }
}

const running = (name: string, life: SessionRecord['incarnation']): SessionRecord => ({
  ...freshSession({ ...DEACON, name, restart: 'permanent' }, ''),
  ...{ state: 'running', pending: null, incarnation: life, startedAt: 1 },
});

type Told = Pick<Notice, 'kind'> & { readonly episode?: unknown };

/** What the world shows, or does. */
const seenIn = (sim: OfficeSim) =>
  layered(
    {
      nudge: { type: 'NOT_NUDGED', obstacle: { kind: 'busy', what: 'a draft' } },
      fileWarrant: { type: 'WARRANT_WRITTEN' },
      listSurvivors: ({ of }) => ({
        ...{ type: 'SURVIVORS_LISTED', of: of.map(({ life }) => ({ life, survivors: sim.left(life.session) })) },
      }),
      startSession: (order) => sim.start(order),
      scan: ({ known }) => ({
        ...{ type: 'SESSIONS_SEEN', server: sim.scene.server },
        seen: known.map(({ session, uuid }) => sim.show(session, uuid)),
      }),
    },
    sim.scene.hands,
    heardIn(sim.scene),
    patrolledIn(sim.scene, () => sim.wall),
    QUIET,
  );

class OfficeTown extends SimTown {
  readonly #sim: OfficeSim;
  readonly #seen: ReturnType<typeof seenIn>;
  protected readonly hands: Hands;

  constructor(sim: OfficeSim) {
    const input = townInput(OFFICE_POLICY, {
      entropy: `${sim.time.now}`,
      chain: { deacon: sim.scene.isDeaconActor ? null : DEACON },
      rigs: true,
    });
    super({ time: sim.time, wall: () => sim.wall, disk: sim.disk, input, state: SIM_STATE, process: SIM_PROCESS });
    this.#sim = sim;
    this.#seen = seenIn(sim);
    const perform: Perform = async (order, signal) => {
      if (this.#isOver()) return never();
      const outcome = await this.#perform(order, signal);
      return this.#isOver() ? never() : outcome;
    };
    this.hands = new Proxy({} as Hands, { get: () => perform });
  }

  protected refused({ file, why }: Refused): void {
    this.#sim.refused.push(`${file}: ${why}`);
  }
  protected override get isAsking(): boolean {
    return this.#sim.scene.isAsking;
  }

  async run(): Promise<void> {
    await this.store.open().catch(() => new Promise(() => undefined));
    if (this.isDead) return;
    this.inbox.announce({ type: 'CONDITION_FOUND', what: 'config-broken', why: this.#sim.scene.broken });
    await this.loop.run();
  }

  protected async notify({ kind, episode }: Told): Promise<void> {
    const { time, log, plant } = this.#sim;
    if (plant === 'tells nobody' || typeof episode !== 'string' || this.#sim.isKilled())
      return this.isDead ? never() : undefined;
    log.push({ t: time.now, what: kind as 'alert' | 'recovered', episode });
    await this.pause(NOTIFY_MS);
    if (this.isDead || this.#sim.isKilled()) return never();
  }

  /** It died, or dies here. */
  #isOver(): boolean {
    return this.isDead || this.#sim.isKilled();
  }

  async #perform(order: Order, signal: AbortSignal): Promise<OutcomeBody> {
    const { plant, edges, steps } = this.#sim;
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
          ...{ type: 'SESSIONS_READ', sessions: await this.store.readSessions() },
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
        if (this.#sim.scene.failing.has(order.type)) throw new Error('it fails, simulated');
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
