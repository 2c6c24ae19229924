/** A town process of a random history: its hands, the epoch that it kills under, and the faults that are planted in it. */
import type { SavedRecord } from '../../machines/protocol.ts';
import type { Hands, OrderOf } from '../../src/ports/ports.ts';
import type { JournalLine } from '../../state/journal.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import { beginEpoch, readEpoch } from '../../state/process/epoch.ts';
import { SimTown } from '../world/town.ts';
import { handsOf, type Plant } from './hands.ts';
import { SIM_POLICY, SIM_PROCESS, SIM_STATE } from './policy.ts';
import { never } from '../world/never.ts';
import type { Sim } from './sim.ts';
import type { Life } from './world.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The next town takes it for one that waits for its start. */
const withoutStop = (record: SavedRecord): SavedRecord =>
  record.kind === 'session' && record.value.state === 'ended' && record.value.asked?.operatorAt !== undefined
    ? { ...record, value: { ...record.value, state: 'backing_off', asked: null } }
    : record;

/** How the call of an operator begins who stops a session. */
export const STOP = 'stop/';

export class TownProcess extends SimTown {
  /** Its epoch; the order of starts. */
  readonly number: number;
  readonly sim: Sim;
  readonly plant: Plant | null;
  protected readonly hands: Hands;
  #epoch = 0;
  #rescues = new Map<string, number>();
  #late: Promise<void> = Promise.resolve();

  constructor(sim: Sim, number: number) {
    const { poolSizes, pardonOn, journals, seed } = sim.history;
    const poolSize = poolSizes[number === 1 ? 0 : 1];
    super({
      time: sim.time,
      wall: () => sim.wall,
      disk: sim.disk,
      state: SIM_STATE,
      process: SIM_PROCESS,
      input: {
        policy: { ...SIM_POLICY, dance: { ...SIM_POLICY.dance, poolSize, pardonOn } },
        entropy: `${seed}/${number}`,
        command: { started: 'town alive', adopted: 'town alive' },
        connections: [],
        wallAtZero: sim.wallAtZero,
      },
      journal: ({ wall: at, records }) =>
        journals ? records.map(({ kind, id }): JournalLine => ({ at, kind: `${kind}.saved`, id })) : [],
    });
    this.sim = sim;
    this.number = number;
    this.plant = sim.plant;
    this.hands = handsOf(this);
  }

  /** Runs until the process ends. */
  async run(): Promise<void> {
    try {
      const { disk, sim } = this;
      const wall = () => sim.wall;
      await this.store.open();
      this.#epoch = await beginEpoch(disk, new Quarantine({ disk, wall, onRefused: () => undefined }), sim.wall);
      sim.begun = this.number;
      sim.world.tell({ what: 'booted', town: this.number });
    } catch (error) {
      this.end('exit', messageOf(error));
      return;
    }
    try {
      await this.loop.run();
    } catch (error) {
      if (this.isDead) return;
      this.sim.world.tell({ what: 'gaveUp', town: this.number, why: messageOf(error) });
      this.end('exit', messageOf(error));
    }
  }

  end(how: 'crash' | 'exit' | 'superseded', why: string): void {
    if (this.isDead) return;
    this.isDead = true;
    this.sim.world.tell({ what: 'ended', town: this.number, how, why });
    this.sim.afterEnd(this, how);
  }

  /** A crash point of the hands. True = the process is dead: whoever waits for it waits for ever. */
  burn(): boolean {
    if (!this.isDead && this.sim.isFuseBlown()) this.sim.crash(this);
    return this.isDead;
  }

  get isSuperseded(): boolean {
    return this.sim.begun > this.number;
  }

  /** C-12: the epoch is read again before every act that kills; a superseded process exits. */
  async mayKill(): Promise<boolean> {
    const epoch = await readEpoch(this.disk);
    if (epoch === this.#epoch) return true;
    this.end('superseded', `epoch ${epoch}`);
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
      this.sim.told(letter);
      if (this.plant === 'tells twice') this.sim.told({ ...letter, verdict: 'pardoned' });
    }
  }

  /** A person is told; `share` of it fails. */
  async alert(order: OrderOf<'alert'>, share: number, signal: AbortSignal): Promise<void> {
    const { sim } = this;
    if (this.plant === 'alerts nobody') return;
    if (!sim.isCalm && sim.chance.isHit(share)) throw new Error('the alert came to nothing, simulated');
    await this.telling.alert(order, signal);
    const { dance = '' } = order.id;
    const about = { town: this.number, dance, episode: order.alert.episode };
    if (!this.isDead) sim.world.tell({ what: 'alerted', ...about });
  }

  protected async notify(): Promise<void> {
    if (this.burn()) return never();
  }

  rescue(dance: string, life: Life): void {
    if (this.plant === 'rescue not done') return;
    const tries = this.#rescues.get(dance) ?? 0;
    this.#rescues.set(dance, tries + 1);
    if (!this.sim.isCalm && tries < life.session.plan.failingRescues) throw new Error('git failed, simulated');
    this.sim.world.tell({ what: 'rescued', dance, life: life.uuid });
  }

  /** Processes of others, for a hand that signals too many. */
  strangers(uuid: string): { pid: number; started: string }[] {
    const others = [...this.sim.world.lives.values()].filter((life) => life.uuid !== uuid && life.alive);
    return others.slice(0, 1).map((life) => life.incarnation.agent);
  }

  replied(to: string, ok: boolean): void {
    const { world } = this.sim;
    if (this.isDead) return;
    const stopped = to.startsWith(STOP) ? to.slice(STOP.length) : null;
    if (stopped === null) world.tell({ what: 'cancelled', warrant: to, granted: ok });
    else if (ok) world.tell({ what: 'stopped', session: stopped, town: this.number });
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
      const { id: dance, warrants: all } = record.value;
      const [warrants, forced] = [all.map(({ id }) => id), all.some(({ force }) => force)];
      this.sim.world.tell({ what: 'saved', town: this.number, dance, warrants, forced });
    }
  }

  /** Leaves the old place before the new one is written. */
  async #forget(records: readonly SavedRecord[]): Promise<void> {
    const dances = records.flatMap((record) => (record.kind === 'dance' ? [record.value] : []));
    for (const { id } of dances.flatMap(({ warrants }) => warrants)) await this.disk.remove(paths.warrant(id));
    await this.disk.syncDir(FOLDERS.warrants);
  }

  protected refused({ file, why }: Refused): void {
    if (!this.isDead) this.sim.refused(file, why);
  }
}
