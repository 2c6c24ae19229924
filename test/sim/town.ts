/** A town process of the simulated world: its hands, the epoch that it kills under, and the faults that are planted in it. */
import type { SavedRecord, Warrant } from '../../machines/protocol.ts';
import type { TownInput } from '../../machines/town.ts';
import type { Notice } from '../../src/alerts/notify.ts';
import type { Hands, OrderOf } from '../../src/ports/ports.ts';
import type { JournalLine } from '../../state/journal.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import { beginEpoch, readEpoch } from '../../state/process/epoch.ts';
import { SimTown } from '../world/town.ts';
import type { Life, TargetPlan } from './agents.ts';
import { warrantText } from '../../state/hearings/warrants.ts';
import { handsOf } from './hands.ts';
import type { EntryOf } from './log.ts';
import { SIM_PROCESS, SIM_STATE } from './policy.ts';
import { never } from '../world/never.ts';
import { World, type Ending } from './world.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
/** The person's command takes so long. */
const NOTIFY_MS = 40;

/** The next town takes it for one that waits for its start. */
const withoutStop = (record: SavedRecord): SavedRecord =>
  record.kind === 'session' && record.value.state === 'ended' && record.value.asked?.operatorAt !== undefined
    ? { ...record, value: { ...record.value, state: 'backing_off', asked: null } }
    : record;

/** How the call of an operator begins who stops a session. */
export const STOP = 'stop/';

const DAY = 86_400_000;

export interface Accusation extends Pick<Warrant, 'id' | 'requester' | 'force'> {
  /** Dropped by another program, without an incarnation. */
  readonly loose?: boolean;
  readonly expired?: boolean;
  /** The share of them that the town is told of. */
  readonly pokes?: number;
  /** The same file put there again, so much later each. */
  readonly again?: readonly number[];
}

/** A scene in which a whole town runs. */
export abstract class TownWorld extends World<TownProcess> {
  /** Of the nth process. */
  abstract inputOf(nth: number): TownInput;
  /** Two towns may run at once: each kills under an epoch. */
  readonly hasEpoch: boolean = true;
  readonly hasJournal: boolean = false;

  /** A pane shows the dialog that a hearing met. */
  get isAsking(): boolean {
    return false;
  }
  /** One remark is typed to a life in this time. */
  readonly nudgeEveryMs: number = 5_000;

  /** What the pane of a life shows. */
  shows(life: Life): string {
    return this.agents.truthOf(life, null);
  }
  /** Something was typed to it besides a question. */
  typed(_life: Life): void {
    return undefined;
  }
  /** What this scene does otherwise than the common hands. */
  handsOf(_town: TownProcess, _common: Hands): Partial<Hands> {
    return {};
  }
  /** A process can read its disk. */
  begins(_town: TownProcess): void {
    return undefined;
  }
  /** A caller was told. */
  replied({ number: town }: TownProcess, to: string, ok: boolean): void {
    const stopped = to.startsWith(STOP) ? to.slice(STOP.length) : null;
    if (stopped === null) this.tell({ what: 'cancelled', warrant: to, granted: ok });
    else if (ok) this.tell({ what: 'stopped', session: stopped, town });
  }
  protected override lose(): void {
    super.lose();
    this.tellSurvived();
  }
  protected tellSurvived(): void {
    this.tell({ what: 'survived', files: this.disk.files() });
  }
  told(letter: Omit<EntryOf<'told'>, 't' | 'what'>): void {
    this.tell({ what: 'told', ...letter });
  }
  refused(file: string, why: string): void {
    this.tell({ what: 'refused', file, why });
  }
  /** A warrant against this life is put there, as anybody puts it. */
  accuse({ uuid, incarnation: target }: Pick<Life, 'uuid' | 'incarnation'>, more: Accusation): void {
    const { id, requester, force, loose = false, expired = false, pokes = 0.7, again = [] } = more;
    const filedAt = this.wall - (expired ? 2 * DAY : 0);
    const reason = 'silent for long';
    const warrant: Warrant = { id, target, reason, requester, filedAt, force };
    const dropped = { target: target.session, reason, requester, filed_at: new Date(filedAt).toISOString() };
    const put = () => {
      this.disk.put(paths.warrant(id), loose ? JSON.stringify(dropped) : warrantText(warrant));
      if (this.chance.isHit(pokes)) this.announce({ type: 'POKED', what: 'warrants' });
    };
    put();
    for (const later of loose ? [] : again) this.in(later, put);
    this.tell({ what: 'filed', warrant: id, life: uuid, requester, filedAt, force: force && !loose, expired, loose });
  }
  protected make(nth: number): TownProcess {
    return new TownProcess(this, nth);
  }
}

export class TownProcess extends SimTown {
  /** Its epoch; the order of starts. */
  readonly number: number;
  readonly world: TownWorld;
  protected readonly hands: Hands;
  #epoch = 0;
  #rescues = new Map<string, number>();
  #late: Promise<void> = Promise.resolve();

  constructor(world: TownWorld, number: number) {
    super({
      time: world.time,
      wall: () => world.wall,
      disk: world.disk,
      state: SIM_STATE,
      process: SIM_PROCESS,
      input: world.inputOf(number),
      journal: ({ wall: at, records }) =>
        world.hasJournal ? records.map(({ kind, id }): JournalLine => ({ at, kind: `${kind}.saved`, id })) : [],
    });
    this.world = world;
    this.number = number;
    const common = handsOf(this);
    this.hands = { ...common, ...world.handsOf(this, common) };
  }

  get plant(): World['plant'] {
    return this.world.plant;
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
      await this.loop.run();
    } catch (error) {
      if (this.isDead) return;
      this.world.tell({ what: 'gaveUp', town: this.number, why: messageOf(error) });
      this.#end('exit', messageOf(error));
    }
  }

  #end(how: Ending, why: string): void {
    this.world.end(this, how, why);
  }

  /** A crash point of the hands. True = the process is dead: whoever waits for it waits for ever. */
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
  async tell(order: OrderOf<'tell'>, signal: AbortSignal): Promise<void> {
    const { id: dance, warrants, verdict, reason, survivors } = order.dance;
    if (this.plant !== 'writes no letter') await this.telling.tell(order, signal);
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
    if (this.plant === 'alerts nobody') return;
    if (!world.isCalm && world.chance.isHit(share)) throw new Error('the alert came to nothing, simulated');
    await this.telling.alert(order, signal);
    const { dance = '' } = order.id;
    const about = { town: this.number, dance, episode: order.alert.episode };
    if (!this.isDead) world.tell({ what: 'alerted', ...about });
  }

  protected override get isAsking(): boolean {
    return this.world.isAsking;
  }

  async notify({ kind, episode }: Pick<Notice, 'kind'> & { readonly episode?: unknown }): Promise<void> {
    if (this.burn()) return never();
    if (typeof episode !== 'string' || (kind !== 'alert' && kind !== 'recovered')) return;
    if (this.plant !== 'notifies nobody') this.world.tell({ what: kind, episode });
    if (this.plant === 'notifies twice') this.world.tell({ what: kind, episode });
    await this.pause(NOTIFY_MS);
    if (this.burn()) return never();
  }

  rescue(dance: string, life: Life): void {
    if (this.plant === 'rescue not done') return;
    const tries = this.#rescues.get(dance) ?? 0;
    this.#rescues.set(dance, tries + 1);
    if (!this.world.isCalm && tries < life.session.plan.failingRescues) throw new Error('git failed, simulated');
    this.world.tell({ what: 'rescued', dance, life: life.uuid });
  }

  /** Processes of others, for a hand that signals too many. */
  strangers(uuid: string): { pid: number; started: string }[] {
    const others = [...this.world.agents.lives.values()].filter((life) => life.uuid !== uuid && life.alive);
    return others.slice(0, 1).map((life) => life.incarnation.agent);
  }

  replied(to: string, ok: boolean): void {
    if (!this.isDead) this.world.replied(this, to, ok);
  }

  protected override async commit(given: readonly SavedRecord[], lines: readonly JournalLine[]): Promise<void> {
    const records = this.plant === 'starts what was stopped' ? given.map(withoutStop) : given;
    const mayWrite = this.plant === 'kills though superseded' || (await this.mayKill());
    if (!mayWrite) return new Promise(() => undefined);
    if (this.plant === 'loses a warrant') await this.#forget(records);
    if (this.plant === 'saves after acting') {
      this.#late = this.#late.then(() => this.pause(3_000)).then(() => super.commit(records, lines));
      this.#late.catch(() => undefined);
    } else if (this.plant !== 'saves nothing') await super.commit(records, lines);
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

  protected refused({ file, why }: Refused): void {
    if (!this.isDead) this.world.refused(file, why);
  }
}
