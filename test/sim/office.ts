/**
 * Runs one town with its watchdog chain, its mail and all that tells a person, in virtual time, through troubles that come and
 * go: the shipped street, loop, store, office and conditions on a disk in memory. Killed with -9 at a step of the test's choice,
 * and started again. Owns: the scene, the log of what a person was told.
 */
import type { NewsBody, Order, OutcomeBody, Proc, SeenSession, SessionRecord } from '../../machines/protocol.ts';
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { DeaconSeen, Discovered, Letter } from '../../machines/protocol/watchdog.ts';
import { town } from '../../machines/town.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { Conditions } from '../../src/alerts/conditions.ts';
import { createNotices } from '../../src/alerts/notices.ts';
import { Office } from '../../src/alerts/office.ts';
import type { Clock, Hands, Perform } from '../../src/ports/ports.ts';
import { Inbox } from '../../src/town/inbox.ts';
import { Loop } from '../../src/town/loop.ts';
import { keepers } from '../../src/town/projections.ts';
import { Street } from '../../src/town/street.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import { paths } from '../../state/files/layout.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { Store } from '../../state/store.ts';
import { readNote } from '../../state/watchdog/records.ts';
import { incarnation, townInput, WALL } from '../world/drive.ts';
import { quiet } from '../world/hands.ts';
import { DEACON, LIFE, WELL } from '../watchdog/chain.ts';
import { SimDisk, systemError } from '../world/disk.ts';
import { never } from '../world/never.ts';
import { SIM_POLICY, SIM_PROCESS, SIM_STATE } from './policy.ts';
import { settled, VirtualTime, type Owner } from '../world/time.ts';

const SECOND = 1_000;
/** The town's numbers, small enough that a trouble is told within a minute or two. */
const OFFICE_POLICY: Policy = {
  ...SIM_POLICY,
  sessions: { ...SIM_POLICY.sessions, takenRetryMs: 8 * SECOND, survivorsEveryMs: 5 * SECOND },
  watchdog: {
    ...POLICY.watchdog,
    heartbeatMs: 10 * SECOND,
    boot: { ...POLICY.watchdog.boot, deadlineMs: 4 * SECOND, runningTtlMs: 8 * SECOND, startGraceMs: 0 },
    deacon: { ...POLICY.watchdog.deacon, idleMs: 10 * SECOND },
  },
};
const STATE = { ...SIM_STATE, remindEveryMs: 5 * SECOND };
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
export class Scene {
  server: 'up' | 'gone' | 'unknown' = 'up';
  /** How each life of the agent goes that is started now. */
  agent: 'lives' | 'crashes' | 'ends' = 'lives';
  isLifeUnknown = false;
  starts: 'works' | 'fails' | 'taken' = 'works';
  deacon: DeaconSeen = WELL;
  found: Discovered['life'] = 'alive';
  letters: Letter[] = [];
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
    for (const record of [running('worker', incarnation(7, { session: 'worker' })), running(DEACON.name, LIFE)]) {
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

  doomAll(): void {
    for (const { uuid, name } of [...this.lives.values()]) if (name === 'worker') this.doom(uuid);
  }
}

const running = (name: string, life: SessionRecord['incarnation']): SessionRecord => ({
  ...freshSession({ ...DEACON, name, restart: 'permanent' }, ''),
  ...{ state: 'running', pending: null, incarnation: life, startedAt: 1 },
});

class OfficeTown implements Owner {
  isDead = false;
  readonly frozenUntil = 0;
  readonly #sim: OfficeSim;
  readonly #store: Store;
  readonly #office: Office;
  readonly #conditions: Conditions;
  readonly #loop: Loop<never>;
  readonly #clock: Clock;
  readonly #files: { readonly disk: ReturnType<SimDisk['mount']>; readonly quarantine: Quarantine };
  readonly inbox: Inbox;

  constructor(sim: OfficeSim) {
    this.#sim = sim;
    const wall = () => sim.wall;
    const onRefused = ({ file, why }: Refused): void => void sim.refused.push(`${file}: ${why}`);
    const clock = sim.time.clockOf(this, wall);
    const disk = sim.disk.mount();
    const files = { disk, quarantine: new Quarantine({ disk, wall, onRefused }) };
    [this.#clock, this.#files] = [clock, files];
    this.#store = new Store({ disk, policy: STATE, heardWithinMs: 1, wall, onRefused });
    const alerts = new Alerts({ ...files, policy: STATE });
    const said = {
      clock,
      log: () => undefined,
      notify: ({ kind, episode }: { readonly kind: string; readonly episode?: unknown }) => this.#notify(kind, episode),
    };
    this.#office = new Office({ ...said, alerts, remindEveryMs: STATE.remindEveryMs });
    this.#conditions = new Conditions(this.#office);
    this.inbox = new Inbox(clock);
    const input = townInput(OFFICE_POLICY, { entropy: `${sim.time.now}`, chain: { deacon: DEACON } });
    const notices = createNotices({
      ...{ ...said, office: this.#office },
      mailboxOf: (address) => new Mailbox(files, STATE.maxRecordBytes, address),
      correspondents: () => Promise.resolve({ rigs: [], sessions: [] }),
    });
    this.#loop = new Loop<never>({
      street: new Street(town, input, keepers),
      ...{ inbox: this.inbox, clock, hands: this.#hands(notices) },
      commit: (records) => this.#store.commit(records, []),
      journal: () => [],
      policy: { ...STATE, ...SIM_PROCESS },
      progress: () => undefined,
      degraded: (why) => void this.#conditions.set('disk', why),
    });
  }

  async run(): Promise<void> {
    await this.#store.open().catch(() => new Promise(() => undefined));
    if (this.isDead) return;
    void this.#conditions.set('config-broken', this.#sim.scene.broken);
    void this.#office.remind(new AbortController().signal, () => this.#conditions.settle());
    await this.#loop.run();
  }

  async #notify(what: string, episode: unknown): Promise<void> {
    const { time, log, plant } = this.#sim;
    if (plant === 'tells nobody' || typeof episode !== 'string' || this.#sim.isKilled())
      return this.isDead ? never() : undefined;
    log.push({ t: time.now, what: what as 'alert' | 'recovered', episode });
    await new Promise<void>((resolve) => time.at(time.now + NOTIFY_MS, resolve, this));
    if (this.isDead || this.#sim.isKilled()) return never();
  }

  /** It died, or dies here. */
  #isOver(): boolean {
    return this.isDead || this.#sim.isKilled();
  }

  #hands(notices: ReturnType<typeof createNotices>): Hands {
    const perform: Perform = async (order, signal) => {
      if (this.#isOver()) return never();
      const outcome = await this.#perform(order, signal, notices);
      return this.#isOver() ? never() : outcome;
    };
    return new Proxy({} as Hands, { get: () => perform });
  }

  async #perform(order: Order, signal: AbortSignal, notices: ReturnType<typeof createNotices>): Promise<OutcomeBody> {
    const { plant, edges, steps } = this.#sim;
    if (EDGES.has(order.type)) edges.push(steps);
    switch (order.type) {
      case 'alert':
        if (plant === 'tells each time') await this.#notify('alert', order.alert.episode);
        await notices.alert(order, signal);
        if (plant === 'ends what stands') await this.#office.end(order.alert.episode, 'planted');
        return { type: 'ALERTED' };
      case 'endAlert':
        return plant === 'loses ends' ? { type: 'ALERTED' } : notices.endAlert(order, signal);
      case 'endOthers':
        return plant === 'forgets what others told' ? { type: 'ALERTED' } : notices.endOthers(order, signal);
      case 'mail':
        return notices.mail(order, signal);
      case 'announce':
        this.inbox.announce(order.news);
        return { type: 'ANNOUNCED' };
      case 'readSessions':
        return {
          ...{ type: 'SESSIONS_READ', sessions: await this.#store.readSessions() },
          serverDeaths: await this.#note('serverDeaths'),
        };
      case 'readBoot':
        return { type: 'BOOT_READ', runningMs: null, status: await this.#note('bootStatus') };
      case 'readHealth':
        return { type: 'HEALTH_READ', checks: (await this.#note('healthChecks')) ?? {} };
      default:
        await this.#clock.sleep(2);
        return this.#find(order);
    }
  }

  #note<K extends Parameters<typeof readNote>[1]>(id: K) {
    return readNote<K>({ ...this.#files, maxBytes: STATE.maxRecordBytes }, id);
  }

  /** What the world shows, or does. */
  #find(order: Order): OutcomeBody | Promise<OutcomeBody> {
    const sim = this.#sim;
    const { scene } = sim;
    if (scene.failing.has(order.type)) throw new Error('it fails, simulated');
    switch (order.type) {
      case 'observeDeacon':
        return { type: 'DEACON_OBSERVED', seen: scene.deacon };
      case 'discover': {
        const found = order.names.map((name) => ({ name, life: scene.found, uuid: null, retired: false }));
        return { type: 'DISCOVERED', found, paused: false };
      }
      case 'readDeaconMail':
        return { type: 'DEACON_MAIL_READ', letters: scene.letters, healthy: 1, unhealthy: 0, paused: false };
      case 'archiveDeaconMail':
        scene.letters = scene.letters.filter(({ id }) => !order.ids.includes(id));
        return { type: 'MAIL_ARCHIVED' };
      case 'nudge':
        return { type: 'NOT_NUDGED', obstacle: { kind: 'busy', what: 'a draft' } };
      case 'fileWarrant':
        return { type: 'WARRANT_WRITTEN' };
      case 'listSurvivors':
        return {
          type: 'SURVIVORS_LISTED',
          of: order.of.map(({ life }) => ({ life, survivors: this.#left(life.session) })),
        };
      case 'clear':
        return { type: 'CLEARED', survivors: [] };
      case 'startSession':
        return this.#start(order);
      case 'scan':
        return {
          type: 'SESSIONS_SEEN',
          server: scene.server,
          seen: order.known.map(({ session, uuid }) => this.#seen(session, uuid)),
        };
      default:
        return (quiet(order, 0) as OutcomeBody | null) ?? never();
    }
  }

  #left(session: string): Extract<OutcomeBody, { type: 'SURVIVORS_LISTED' }>['of'][number]['survivors'] {
    return session !== 'worker' ? [] : this.#sim.scene.survivors.map((proc) => ({ ...proc, program: 'sleep' }));
  }

  #seen(name: string, uuid: string): SeenSession {
    const { scene, lives } = this.#sim;
    const none: SeenSession = { name, uuid, life: 'absent', exit: null, condemned: false };
    const known = lives.get(uuid) ?? none;
    if (scene.server === 'gone') return { ...none, life: 'absent' };
    const isHidden = scene.server === 'unknown' || (scene.isLifeUnknown && name === 'worker');
    return isHidden ? { ...none, life: 'unknown' } : known;
  }

  #start({ spec, uuid }: Order & { type: 'startSession' }): OutcomeBody {
    const { scene } = this.#sim;
    if (scene.server === 'unknown') throw new Error('tmux is silent');
    if (scene.server === 'gone') scene.server = 'up';
    if (spec.name === 'worker' && scene.starts !== 'works')
      return { type: 'SESSION_NOT_STARTED', why: 'simulated', taken: scene.starts === 'taken' };
    if (!this.#sim.lives.has(uuid)) this.#sim.bear(uuid, spec.name);
    const born = incarnation(9, { uuid, session: spec.name });
    return { type: 'SESSION_STARTED', incarnation: born, tokenHash: 'hash' };
  }
}
