/**
 * The one simulated world. Owns what outlives a town process: time, the wall clock, the disk, the agents and their processes, the log of
 * what happened, and the one process that runs. A town dies with kill -9 between any two steps of its hands and its disk; the next one
 * starts on what is left. A scene says what happens there: who acts, which faults come, what the town is made of.
 * The same seed gives the same log, entry by entry.
 */
import type { NewsBody } from '../../machines/protocol.ts';
import { Chance } from '../world/chance.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import type { Disk } from '../../state/files/disk.ts';
import type { Mailbox } from '../../state/mail/mailbox.ts';
import { SimDisk, type Operation } from '../world/disk.ts';
import { WALL } from '../world/drive.ts';
import { settled, VirtualTime, type Owner } from '../world/time.ts';
import { Agents } from './agents.ts';
import type { Entry, Log, Untimed } from './log.ts';
import type { Plant } from './plants.ts';

/** More timers than any history needs. */
const MAX_TIMERS = 2_000_000;

/** A town process, as the world knows it. */
export interface Process extends Owner {
  isDead: boolean;
  readonly number: number;
  readonly inbox?: { announce(news: NewsBody): void };
  run(): unknown;
}
export type Ending = 'crash' | 'exit' | 'superseded';

export interface Setting {
  readonly seed: number;
  readonly plant?: Plant | null;
  /** Steps between two kills of the town, one number a kill. */
  readonly fuses?: readonly number[];
}

export abstract class World<Town extends Process = Process> {
  readonly time = new VirtualTime();
  readonly log: Log = [];
  readonly disk: SimDisk;
  /** The disk, as other programs and people see it. */
  readonly desk: Disk;
  readonly agents: Agents;
  readonly chance: Chance;
  readonly plant: Plant | null;
  newest: Town | null = null;
  /** The last town whose epoch is durable; one that was stopped before has superseded none. */
  begun = 0;
  kills = 0;
  /** Places where the town could have been killed. */
  steps = 0;
  /** How far the wall clock was set. */
  #setMs = 0;
  #starts = 0;
  #blowAt = Infinity;
  readonly #fuses: number[];

  constructor({ seed, plant = null, fuses = [] }: Setting) {
    this.chance = new Chance(seed);
    this.plant = plant;
    this.#fuses = [...fuses];
    this.disk = new SimDisk({
      wall: () => this.wall,
      burn: () => {
        if (this.newest !== null && this.isOver(this.newest)) throw new Error('the town was killed');
      },
      fault: (operation) => this.fault(operation),
    });
    this.desk = this.disk.mount(true);
    this.agents = new Agents(this);
    this.#light();
  }

  protected abstract make(nth: number): Town;
  /** So long no other town starts after one ended. */
  protected abstract downMs(): number;

  /** What the disk refuses, or how long it takes. */
  protected fault(_operation: Operation): Error | Promise<void> | undefined {
    return undefined;
  }
  /** Whether a kill takes what was not synced there. By default only the process dies, and the machine lives. */
  protected isLost(_path: string): boolean {
    return false;
  }
  protected lose(): void {
    this.disk.crash((path) => this.isLost(path));
  }

  get wall(): number {
    return WALL + this.time.now + this.#setMs;
  }
  get isDown(): boolean {
    return this.newest === null || this.newest.isDead;
  }
  /** Faults are over. */
  get isCalm(): boolean {
    return false;
  }

  tell(entry: Untimed<Entry>): void {
    this.log.push({ t: this.time.now, ...entry });
  }
  in(ms: number, happens: () => void): void {
    this.time.at(this.time.now + ms, happens);
  }
  /** It is so for a while. */
  during(ms: number, become: (is: boolean) => void): void {
    become(true);
    this.in(ms, () => become(false));
  }
  setClock(byMs: number): void {
    this.#setMs += byMs;
  }

  /** A mailbox, as people and other programs use it. */
  boxOf(address: string): Mailbox {
    return boxAt({ disk: this.desk, note: () => undefined }, address);
  }

  /** Lets everything happen until then, which may come earlier meanwhile. */
  async pass(until: () => number): Promise<void> {
    await settled();
    for (let timers = 0; this.time.advance(until()); timers += 1) {
      if (timers > MAX_TIMERS) throw new Error('the history does not end');
      await settled();
    }
  }

  /** A place where a kill may come; true = the process is dead, and what waits for it waits for ever. */
  isOver(town: Town): boolean {
    if (town.isDead) return true;
    this.steps += 1;
    if (this.steps < this.#blowAt || this.isCalm) return false;
    this.kill(town);
    return true;
  }

  /** kill -9. */
  kill(town = this.newest): void {
    if (town === null || town.isDead) return;
    this.kills += 1;
    this.#light();
    this.lose();
    this.end(town, 'crash', `step ${this.steps}`);
  }

  /** A process ended: another one comes. */
  end(town: Town, how: Ending, why: string): void {
    if (town.isDead) return;
    town.isDead = true;
    this.tell({ what: 'ended', town: town.number, how, why });
    if (this.newest === town && how !== 'superseded') this.in(this.downMs(), () => this.boot());
  }

  boot(): void {
    this.#starts += 1;
    this.newest = this.make(this.#starts);
    void this.newest.run();
  }

  announce(news: NewsBody): void {
    const { newest } = this;
    if (newest?.isDead === false) this.time.at(this.time.now, () => newest.inbox?.announce(news), newest);
  }

  #light(): void {
    const fuse = this.#fuses.shift();
    this.#blowAt = fuse === undefined ? Infinity : this.steps + fuse;
  }
}
