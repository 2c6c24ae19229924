/**
 * One town process of the simulated world: the shipped tree of actors, loop, inbox, store, alerts and mail on simulated ports, with its hands, the
 * epoch that it kills under, and the faults that are planted in it.
 * 1. It ends by a crash and is never heard of again, or by itself; a stopped one goes on later.
 * 2. What it has to say reaches a person through `notify` alone, and requesters through the mailboxes on its disk.
 */
import { LEVELS } from '../../machines/alert-kinds.ts';
import type { SavedRecord } from '../../machines/protocol.ts';
import { town } from '../../machines/town.ts';
import { alertHands } from '../../src/alerts/hands.ts';
import { createNotices } from '../../src/alerts/notices.ts';
import type { Notice } from '../../src/alerts/notify.ts';
import type { Telling } from '../../src/alerts/telling.ts';
import type { Clock, OrderOf } from '../../src/ports/ports.ts';
import { FactQueue } from '../../src/town/fact-queue.ts';
import { Loop } from '../../src/town/loop.ts';
import { ActorTree } from '../../src/town/actor-tree.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import type { Disk } from '../../state/files/disk.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import type { JournalLine } from '../../state/journal.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { beginEpoch, readEpoch } from '../../state/process/epoch.ts';
import { Store } from '../../state/store.ts';
import { noOffers } from '../channels/make.ts';
import { never } from '../world/never.ts';
import type { Life, TargetPlan } from './agent-plans.ts';
import { handsOf } from './hands.ts';
import type { Plant } from './plants.ts';
import { SIM_PROCESS, SIM_STATE } from './policy.ts';
import type { TownWorld } from './town-world.ts';
import type { Ending, Process } from './world.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
/** The person's command takes so long. */
const NOTIFY_MS = 40;

/** The next town takes it for one that waits for its start. */
const withoutStop = (record: SavedRecord): SavedRecord =>
  record.kind === 'session' && record.value.state === 'ended' && record.value.asked?.operatorAt !== undefined
    ? { ...record, value: { ...record.value, state: 'backing_off', asked: null } }
    : record;

export class TownProcess implements Process {
  isDead = false;
  frozenUntil = 0;
  /** Its epoch; the order of starts. */
  readonly number: number;
  readonly world: TownWorld;
  readonly plant: Plant | null;
  readonly clock: Clock;
  readonly disk: Disk;
  readonly quarantine: Quarantine;
  readonly store: Store;
  readonly inbox: FactQueue;
  readonly telling: Telling['perform'];
  readonly #loop: Loop<JournalLine>;
  #epoch = 0;
  readonly #rescues = new Map<string, number>();
  #late: Promise<void> = Promise.resolve();

  constructor(world: TownWorld, number: number) {
    this.world = world;
    this.number = number;
    this.plant = world.plant;
    const wall = () => world.wall;
    const onRefused = (refused: Refused) => this.#refused(refused);
    const heardWithinMs = SIM_STATE.completedMs;
    this.clock = world.time.clockOf(this, wall);
    this.disk = world.disk.mount();
    this.quarantine = new Quarantine({ disk: this.disk, wall, onRefused });
    this.store = new Store({ disk: this.disk, policy: SIM_STATE, heardWithinMs, wall, onRefused });
    this.inbox = new FactQueue(this.clock);
    this.telling = this.#tellingHands();
    const common = handsOf(this);
    this.#loop = new Loop({
      tree: new ActorTree(town, world.inputOf(number), LEVELS),
      inbox: this.inbox,
      clock: this.clock,
      journal: ({ wall: at, records }) =>
        world.hasJournal ? records.map(({ kind, id }): JournalLine => ({ at, kind: `${kind}.saved`, id })) : [],
      policy: { ...SIM_STATE, ...SIM_PROCESS },
      hands: { ...common, ...world.handsOf(this, common) },
      commit: (records, lines) => this.#commit(records, lines),
      progress: () => undefined,
      degraded: (why) => this.inbox.announce({ type: 'CONDITION_FOUND', what: 'disk', why }),
    });
  }

  #tellingHands(): Telling['perform'] {
    const { clock, disk, quarantine } = this;
    const said = { clock, log: () => undefined };
    const notify = (notice: Notice): Promise<void> => this.notify(notice);
    return {
      ...createNotices({
        ...said,
        keep: (notice) => Promise.resolve(() => notify(notice)),
        mailboxOf: (address) => new Mailbox(this, address),
        correspondents: () => Promise.resolve({ rigs: [], sessions: [], polecats: [] }),
      }),
      ...alertHands({
        ...said,
        notify,
        disk,
        alerts: new Alerts({ disk, quarantine }),
        announce: this.inbox.announce,
        session: (name) => this.store.session(name),
        stands: () => Promise.resolve(false),
        offers: noOffers,
        asks: async (life) => this.world.asks(life),
      }),
    };
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.world.time.at(this.world.time.now + ms, resolve, this));
  }

  /** Runs until the process ends. */
  async run(): Promise<void> {
    try {
      const { disk, world } = this;
      const wall = () => world.wall;
      await this.store.open();
      if (world.hasEpoch)
        this.#epoch = await beginEpoch(disk, new Quarantine({ disk, wall, onRefused: () => undefined }), world.wall);
      world.begun = this.number;
      world.tell({ what: 'booted', town: this.number });
      world.begins(this);
    } catch (error) {
      this.#end('exit', messageOf(error));
      return;
    }
    try {
      await this.#loop.run();
    } catch (error) {
      if (this.isDead) return;
      this.world.tell({ what: 'gaveUp', town: this.number, why: messageOf(error) });
      this.#end('exit', messageOf(error));
    }
  }

  #end(how: Ending, why: string): void {
    this.world.end(this, how, why);
  }

  /** A crash point of the hands. True = the process is dead: a hand that waits for it waits for ever. */
  burn(): boolean {
    return this.world.isOver(this);
  }

  /** Performs at some instant within the order's duration, between two crash points. */
  async act<T>({ slow, failing }: TargetPlan, signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
    const { isCalm, chance } = this.world;
    const takes = !isCalm && chance.isHit(slow) ? chance.upTo(12_000) : 1 + chance.upTo(60);
    const early = chance.isHit(0.5);
    const fails = !isCalm && chance.isHit(failing);
    if (!early) await this.pause(takes);
    if (fails && chance.isHit(0.5)) throw new Error('EMFILE, simulated');
    signal.throwIfAborted();
    const result = await this.quick(work);
    if (fails) throw new Error('the answer was lost, simulated');
    if (early) await this.pause(takes);
    return result;
  }
  /** An act that needs no target: as quick as the disk. */
  async quick<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.burn()) return never();
    const result = await work();
    return this.burn() ? never() : result;
  }

  get isSuperseded(): boolean {
    return this.world.begun > this.number;
  }

  /** C-12: the epoch is read again before every act that kills; a superseded process exits. */
  async mayKill(): Promise<boolean> {
    if (!this.world.hasEpoch) return true;
    const epoch = await readEpoch(this.disk);
    if (epoch === this.#epoch) return true;
    this.#end('superseded', `epoch ${epoch}`);
    return false;
  }

  /** Requesters are told by mail; the log has it once the letters are durable. */
  async sendVerdict(order: OrderOf<'sendVerdict'>, signal: AbortSignal): Promise<void> {
    const { id: dance, warrants, verdict, reason, survivors } = order.dance;
    if (this.plant !== 'writes no letter') await this.telling.sendVerdict(order, signal);
    if (this.isDead) return;
    for (const { id: warrant } of warrants) {
      const isVoided = this.plant === 'voids what it heard';
      const letter = {
        dance,
        warrant,
        survivors: survivors.length,
        verdict: isVoided ? 'void' : (verdict ?? 'none'),
        reason: isVoided ? 'expired: filed more than 24 h ago' : reason,
      };
      this.world.told(letter);
      if (this.plant === 'tells twice') this.world.told({ ...letter, verdict: 'pardoned' });
    }
  }

  /** A person is told; `share` of it fails. */
  async alert(order: OrderOf<'alert'>, share: number, signal: AbortSignal): Promise<void> {
    const { world } = this;
    if (this.plant === 'alerts no person') return;
    if (!world.isCalm && world.chance.isHit(share)) throw new Error('the alert came to nothing, simulated');
    await this.telling.alert(order, signal);
    const { dance = '' } = order.id;
    const about = { town: this.number, dance, episode: order.alert.episode };
    if (!this.isDead) world.tell({ what: 'alerted', ...about });
  }

  async notify({ kind, episode }: Pick<Notice, 'kind'> & { readonly episode?: unknown }): Promise<void> {
    if (this.burn()) return never();
    if (typeof episode !== 'string' || (kind !== 'alert' && kind !== 'recovered')) return;
    if (this.plant !== 'notifies no person') this.world.tell({ what: kind, episode });
    if (this.plant === 'notifies twice') this.world.tell({ what: kind, episode });
    await this.pause(NOTIFY_MS);
    if (this.burn()) return never();
  }

  rescue(dance: string, life: Life): void {
    if (this.plant === 'rescue not done') return;
    const tries = this.#rescues.get(dance) ?? 0;
    this.#rescues.set(dance, tries + 1);
    if (!this.world.isCalm && tries < life.session.plan.failingRescues) throw new Error('git failed, simulated');
    this.world.tell({ what: 'rescued', town: this.number, dance, life: life.uuid });
  }

  /** Processes of others, for a hand that signals too many. */
  strangers(uuid: string): { pid: number; started: string }[] {
    const others = [...this.world.agents.lives.values()].filter((life) => life.uuid !== uuid && life.alive);
    return others.slice(0, 1).map((life) => life.incarnation.agent);
  }

  replied(to: string, ok: boolean): void {
    if (!this.isDead) this.world.replied(this, to, ok);
  }

  async #commit(given: readonly SavedRecord[], lines: readonly JournalLine[]): Promise<void> {
    const records = this.plant === 'starts what was stopped' ? given.map(withoutStop) : given;
    const mayWrite = this.plant === 'kills though superseded' || (await this.mayKill());
    if (!mayWrite) return new Promise(() => undefined);
    if (this.plant === 'loses a warrant') await this.#forget(records);
    if (this.plant === 'saves after acting') {
      this.#late = this.#late.then(() => this.pause(3_000)).then(() => this.store.commit(records, lines));
      this.#late.catch(() => undefined);
    } else if (this.plant !== 'saves nothing') await this.store.commit(records, lines);
    if (this.isDead) return;
    for (const record of records) {
      if (record.kind !== 'dance') continue;
      const { id: dance, target, stage, warrants } = record.value;
      this.world.tell({
        what: 'saved',
        town: this.number,
        dance,
        life: target.uuid,
        stage,
        warrants: warrants.map(({ id }) => id),
        forced: warrants.some(({ force }) => force),
        own: warrants.some(({ force, requester }) => force && requester === target.session),
      });
    }
  }

  /** Leaves the old place before the new one is written. */
  async #forget(records: readonly SavedRecord[]): Promise<void> {
    const dances = records.flatMap((record) => (record.kind === 'dance' ? [record.value] : []));
    for (const { id } of dances.flatMap(({ warrants }) => warrants)) await this.disk.remove(paths.warrant(id));
    await this.disk.syncDir(FOLDERS.warrants);
  }

  #refused({ file, why }: Refused): void {
    if (!this.isDead) this.world.refused(file, why);
  }
}
