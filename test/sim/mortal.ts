/**
 * A town in virtual time that is killed with -9 between any two steps of its hands and its disk, and started again on what is left.
 * A simulation says when it dies, what its hands do and what of it is seen. Owns: the time, the disk, the process that lives.
 */
import type { NewsBody, Order, OutcomeBody } from '../../machines/protocol.ts';
import type { TownInput } from '../../machines/town.ts';
import type { Notice } from '../../src/alerts/notify.ts';
import type { Hands, Perform } from '../../src/ports/ports.ts';
import type { Refused } from '../../state/files/quarantine.ts';
import { SimDisk, type Operation } from '../world/disk.ts';
import { WALL } from '../world/drive.ts';
import { never } from '../world/never.ts';
import { settled, VirtualTime } from '../world/time.ts';
import { SimTown } from '../world/town.ts';
import { SIM_PROCESS, SIM_STATE } from './policy.ts';

/** The person's command takes so long. */
const NOTIFY_MS = 40;

export abstract class MortalSim {
  readonly time = new VirtualTime();
  readonly disk: SimDisk;
  /** Files that a town of this simulation could not read: a mistake of the simulation. */
  readonly refused: string[] = [];
  /** Places where it could have been killed. */
  steps = 0;
  protected town: MortalTown | null = null;

  constructor() {
    const burn = (): void => {
      if (this.isKilled()) throw new Error('the town was killed');
    };
    this.disk = new SimDisk({ wall: () => this.wall, burn, fault: (operation) => this.fault(operation) });
  }

  /** What the disk refuses. */
  protected fault(_operation: Operation): Error | undefined {
    return undefined;
  }

  protected abstract make(): MortalTown;
  protected abstract isLast(step: number): boolean;
  /** It was killed. How long nobody starts it again. */
  protected abstract died(): number;

  get wall(): number {
    return WALL + this.time.now;
  }

  /** Plays until then, and gives what is so while it still runs. */
  protected async play<T>(until: number, judge: () => T): Promise<T> {
    this.boot();
    await settled();
    while (this.time.advance(until)) await settled();
    const judged = judge();
    if (this.town) this.town.isDead = true;
    if (this.refused.length > 0) throw new Error(this.refused.join('\n'));
    return judged;
  }

  /** A place where a kill may come; true = the process is dead. */
  isKilled(): boolean {
    if (this.town === null || this.town.isDead) return true;
    this.steps += 1;
    if (!this.isLast(this.steps)) return false;
    this.kill();
    return true;
  }

  kill(): void {
    if (this.town === null || this.town.isDead) return;
    this.town.isDead = true;
    this.disk.kill();
    this.time.at(this.time.now + this.died(), () => this.boot());
  }

  boot(): void {
    this.town = this.make();
    void this.town.run();
  }

  announce(news: NewsBody): void {
    const { town } = this;
    if (town?.isDead === false) this.time.at(this.time.now, () => town.inbox.announce(news), town);
  }
}

export abstract class MortalTown extends SimTown {
  readonly #sim: MortalSim;
  protected readonly hands: Hands;

  constructor(sim: MortalSim, input: TownInput) {
    super({ time: sim.time, wall: () => sim.wall, disk: sim.disk, input, state: SIM_STATE, process: SIM_PROCESS });
    this.#sim = sim;
    const perform: Perform = async (order, signal) => {
      await this.before(order);
      if (this.isOver()) return never();
      const outcome = await this.perform(order, signal);
      return this.isOver() ? never() : outcome;
    };
    this.hands = new Proxy({} as Hands, { get: () => perform });
  }

  protected abstract before(order: Order): Promise<void>;
  protected abstract perform(order: Order, signal: AbortSignal): Promise<OutcomeBody>;
  /** A person was told of an episode: it begins, or is over. */
  protected abstract said(what: 'alert' | 'recovered', episode: string): void;

  async run(): Promise<void> {
    await this.store.open().catch(never);
    if (this.isDead) return;
    this.begun();
    await this.loop.run();
  }
  protected begun(): void {
    return undefined;
  }

  /** It died, or dies here. */
  protected isOver(): boolean {
    return this.isDead || this.#sim.isKilled();
  }

  protected refused({ file, why }: Refused): void {
    this.#sim.refused.push(`${file}: ${why}`);
  }

  protected async notify({ kind, episode }: Pick<Notice, 'kind'> & { readonly episode?: unknown }): Promise<void> {
    if (typeof episode !== 'string' || this.isOver()) return this.isDead ? never() : undefined;
    this.said(kind as 'alert' | 'recovered', episode);
    await this.pause(NOTIFY_MS);
    if (this.isOver()) return never();
  }
}
