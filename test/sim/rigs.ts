/**
 * The scene of rigs: the shipped cycles of witnesses and Deacon, triage's queue and doors, over the ledger of the contract suite, a
 * simulated git and people who go on when the town is killed with -9.
 */
import { newBead } from '../../machines/ledger/bead.ts';
import type { EscalationSeen, Patrolled, PatrolRecord } from '../../machines/protocol/patrols.ts';
import type { RigRecord } from '../../machines/rigs/records.ts';
import type { Choice } from '../../machines/triage/cases.ts';
import { readPending } from '../../src/overview/records.ts';
import type { Standing } from '../../src/rigs/sessions.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { WALL } from '../world/drive.ts';
import { running } from '../world/records.ts';
import { settled } from '../world/time.ts';
import type { Life } from './agent-plans.ts';
import type { Plant } from './plants.ts';
import { SimGit } from './rigs-git.ts';
import { hearing, People } from './rigs-people.ts';
import { RigsTown } from './rigs-town.ts';
import { World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DOWN_MS = 5 * SECOND;

export interface RigsScene {
  readonly seed: number;
  readonly rigs: readonly string[];
  readonly maxPolecats: number;
  /** Pieces of work of each rig, given within `withinMs`. */
  readonly work: number;
  readonly withinMs: number;
  readonly untilMs: number;
  /** All is well: no fault of people, disk or ledger. */
  readonly calm?: boolean;
  /** People do what a story says, and nothing by themselves; triage asks a person alone. */
  readonly isScripted?: boolean;
  /** Of all durable steps, this one is the town's last. */
  readonly killAt?: number;
  /** Kills at random, so many. */
  readonly kills?: number;
  /** The pace of those who work; a day in small steps takes long. */
  readonly activeMs?: number;
  /** The pace where there is nothing to do. */
  readonly idleMs?: number;
  readonly plant?: Plant | null | undefined;
  /** The wall clock is set at some time, by up to so many ms each: forward, or back. */
  readonly clock?: readonly number[];
  /** After all work was given, the ledger is put back to a backup that is up to so many ms old, while the town is down. */
  readonly backupMs?: number;
}

export class Rigs extends World<RigsTown> {
  readonly scene: RigsScene;
  readonly calm: boolean;
  readonly memory = new MemoryLedger();
  readonly git = new SimGit();
  readonly people: People;
  readonly rigs: readonly RigRecord[];
  /** Writes of the town that have begun and not ended. */
  underWay = 0;
  cycles = 0;
  modelCalls = 0;
  /** Of the Deacon's cycles, those that found something to decide. */
  triageCycles = 0;
  deaconCycles = 0;
  /** Sessions cannot be seen, the disk is full: until then. */
  blindUntil = 0;
  fullUntil = 0;
  /** How far the Deacon is past its due beat; null = it is not. */
  deaconLateMs: number | null = null;
  /** What a polecat runs; null = none is configured. */
  agent: readonly string[] | null = ['agent'];
  /** In a story, what a reasoner chooses whenever it is asked; `nothing`: it runs and chooses nothing; null = there is none. */
  chooses: Choice | 'nothing' | null = null;
  /** Told what each cycle found and did; `of`: a rig, or `deacon`. */
  told: (of: string, found: Patrolled) => void = () => undefined;
  /** Called with each record of a patrol that was saved. */
  saved: (record: PatrolRecord) => void = () => undefined;
  /** Called with what the town read of escalations. */
  escalated: (open: readonly EscalationSeen[]) => void = () => undefined;
  /** Called at each durable step of the town. */
  stepped: (step: number) => void = () => undefined;
  #uuids = 0;

  constructor(scene: RigsScene) {
    const { seed, plant = null, killAt } = scene;
    super({ seed, plant, fuses: killAt === undefined ? [] : [killAt] });
    this.scene = scene;
    this.calm = scene.calm ?? false;
    this.people = new People(this);
    this.rigs = scene.rigs.map((name) => {
      return { name, repo: `/${name}`, commonDir: `/${name}/.git`, agent: ['agent'], base: null, addedAt: WALL };
    });
  }

  get iso(): string {
    return new Date(this.wall).toISOString();
  }
  protected make(nth: number): RigsTown {
    return new RigsTown(this, nth);
  }
  protected downMs(): number {
    return DOWN_MS;
  }
  uuid(): string {
    this.#uuids += 1;
    return `uuid-${this.#uuids}`;
  }

  async run(): Promise<this> {
    const { scene } = this;
    for (const { name } of this.rigs) this.#giveWork(name);
    for (let n = 0; n < (scene.kills ?? 0); n += 1)
      this.time.at(this.chance.upTo(scene.withinMs * 2), () => this.kill());
    if (!this.calm) this.#troubles();
    if (scene.backupMs !== undefined) this.#restoreLater(scene.backupMs);
    await this.open();
    await this.pass(() => scene.untilMs);
    if (this.newest !== null) this.newest.isDead = true;
    return this;
  }

  async open(): Promise<void> {
    const records = new RigRecords({ disk: this.desk });
    for (const rig of this.rigs) await records.saveRig(rig);
    this.in(0, () => void this.#hear());
    this.boot();
    await settled();
  }

  override isOver(town: RigsTown): boolean {
    if (!town.isDead) this.stepped(this.steps + 1);
    return super.isOver(town);
  }

  /** What was chosen in triage, at once. */
  async carryOut(): Promise<void> {
    await this.newest?.triage.carryOut();
  }

  standing(session: string): Standing {
    // In a story none is there.
    if (session === 'mayor' && this.scene.isScripted !== true) return 'lives';
    if (this.time.now < this.blindUntil) return 'unknown';
    const life = this.agents.newest(session);
    return life === undefined ? 'none' : life.alive ? 'lives' : 'ended';
  }

  /** A session begins. */
  begin(session: string, uuid: string): Life {
    const life = this.agents.begin(session, uuid);
    this.disk.put(paths.session(session), sessionText(running(life.incarnation, { restart: 'temporary' })));
    return life;
  }
  /** Nothing of it is on record any more. */
  forget(session: string): void {
    this.agents.sessions.delete(session);
    this.disk.take(paths.session(session));
  }

  /** Work comes in convoys of three; every other one is a swarm that the witness is told of. */
  #giveWork(rig: string): void {
    const { scene, memory, chance } = this;
    for (let first = 1; first <= scene.work; first += 3) {
      const ids = [first, first + 1, first + 2].filter((n) => n <= scene.work).map((n) => `${rig}-w${n}`);
      this.time.at(chance.upTo(scene.withinMs), () => {
        const given = { createdBy: 'mayor', createdAt: this.iso };
        const all = ids.map((id) => newBead({ ...given, id, title: `do ${id}`, rig }));
        const dependencies = ids.map((on) => ({ on, type: 'tracks', createdAt: '', createdBy: '', extra: {} }));
        all.push(newBead({ ...given, id: `cv-${ids[0]!}`, title: `convoy ${ids[0]!}`, type: 'convoy', dependencies }));
        for (const bead of all) void memory.put(bead, { expects: 0, write: bead.id });
        const body = `SwarmID: s-${ids[0]!}\nBeads: ${ids.join(' ')}\nTotal: ${ids.length}\n`;
        if (first % 2 === 1) void this.people.mail(rig, 'SWARM_START', body, 'mayor');
      });
    }
  }

  /** Times of blindness and of a full disk; both end with the day. A clock is set, forward and back. */
  #troubles(): void {
    const { scene, chance } = this;
    for (let at = 0; at < scene.withinMs; at += 2 * 60 * MINUTE) {
      this.time.at(at + chance.upTo(60 * MINUTE), () => (this.blindUntil = this.time.now + chance.upTo(20 * MINUTE)));
      this.time.at(at + chance.upTo(60 * MINUTE), () => (this.fullUntil = this.time.now + chance.upTo(10 * MINUTE)));
    }
    for (const most of scene.clock ?? [])
      this.time.at(chance.upTo(scene.withinMs), () => this.setClock(Math.sign(most) * chance.upTo(Math.abs(most))));
    for (const rig of scene.rigs)
      this.in(chance.upTo(scene.withinMs), () => void this.people.mail(rig, 'A word', 'hello', 'a-stranger'));
  }

  #restoreLater(ms: number): void {
    this.time.at(this.scene.withinMs + this.chance.upTo(60 * MINUTE), () => {
      const restore = this.memory.backup();
      this.in(this.chance.upTo(ms), () => {
        this.kill();
        restore();
      });
    });
  }

  /** Warrants are heard, and their verdicts are mail. */
  async #hear(): Promise<void> {
    this.in(40 * SECOND, () => void this.#hear());
    for (const { name, value } of (await readPending(this.desk)).found) {
      const { target, force, id, requester } = value;
      this.disk.take(`${FOLDERS.warrants}/${name}`);
      hearing(this, target, force ?? false);
      const rig = this.scene.rigs.find((one) => requester.startsWith(`${one}/`));
      if (rig !== undefined) await this.people.mail(rig, `VERDICT: ${target} ${id}`, '', 'town');
    }
  }
}
