/**
 * Runs one history to its end in virtual time. Owns: the disk, the world, the fuse, and the town processes one after another.
 * The same history gives the same log, entry by entry.
 */
import type { Warrant } from '../../machines/protocol.ts';
import { paths } from '../../state/files/layout.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { warrantText } from '../../state/hearings/warrants.ts';
import { SimDisk, systemError } from '../world/disk.ts';
import type { Plant } from './hands.ts';
import { recordOf } from './hands-sessions.ts';
import type { DiskSpell, Filing, History } from './history.ts';
import { lineOf, type EntryOf, type Log } from './log.ts';
import { Chance } from '../world/chance.ts';
import { settled, VirtualTime } from '../world/time.ts';
import { STOP, TownProcess } from './town.ts';
import { World, type Life } from './world.ts';

const WALL = Date.UTC(2026, 0, 2, 18, 30);
const DAY = 86_400_000;
/** After the last verdict the town is watched a little longer. */
const TAIL_MS = 3_000;
const MAX_TIMERS = 2_000_000;
const WRITING = new Set(['write', 'append', 'rename', 'syncDir']);

export interface Ran {
  readonly log: Log;
  readonly steps: number;
  readonly crashes: number;
  /** Warrants nobody was told about. */
  readonly open: readonly string[];
  readonly files: ReadonlyMap<string, string>;
}

export class Sim {
  readonly history: History;
  readonly plant: Plant | null;
  readonly time = new VirtualTime();
  readonly world: World;
  readonly disk: SimDisk;
  readonly chance: Chance;
  newest: TownProcess | null = null;
  /** The last town whose epoch is durable; one that was stopped before has superseded nobody. */
  begun = 0;
  crashes = 0;
  #offset = 0;
  #starts = 0;
  #operations = 0;
  #blowAt = Infinity;
  #fuses: number[];
  #steps = 0;
  #toFile: number;
  #endsAt: number;
  readonly #open = new Set<string>();

  constructor(history: History, plant: Plant | null = null) {
    this.history = history;
    this.plant = plant;
    this.chance = new Chance(history.seed ^ 0x5eed);
    this.world = new World(this.time, history.targets, history.login);
    this.world.onAnswer = (life, code) => this.#answer(life, code);
    this.disk = new SimDisk({
      wall: () => this.wall,
      burn: () => {
        if (this.newest && !this.newest.isDead && this.isFuseBlown()) {
          this.crash(this.newest);
          throw new Error('the town crashed');
        }
      },
      ...(history.spells.length > 0 && { fault: (operation: string) => this.#fault(operation) }),
    });
    this.#fuses = [...history.fuses];
    this.#toFile = history.filings.length;
    this.#endsAt = history.endsAt;
    this.#light();
    this.#prepare();
  }

  get wall(): number {
    return WALL + this.time.now + this.#offset;
  }
  /** What the wall showed when this machine booted, as its first town noted it. */
  get wallAtZero(): number {
    return WALL;
  }
  /** Faults are over. */
  get isCalm(): boolean {
    return this.time.now >= this.history.calmAt;
  }

  async run(): Promise<Ran> {
    this.#boot();
    await settled();
    for (let timers = 0; this.time.advance(this.#endsAt); timers++) {
      if (timers > MAX_TIMERS) throw new Error(`seed ${this.history.seed} does not end`);
      await settled();
      if (this.#toFile === 0 && this.#open.size === 0) this.#endsAt = Math.min(this.#endsAt, this.time.now + TAIL_MS);
    }
    this.#steps += this.newest?.loop.steps ?? 0;
    if (this.newest) this.newest.isDead = true;
    const [log, open, files] = [this.world.log, [...this.#open], this.disk.files()];
    return { log, open, files, steps: this.#steps, crashes: this.crashes };
  }

  /** Counts an operation; true = the process dies at this one. */
  isFuseBlown(): boolean {
    this.#operations += 1;
    return this.#operations >= this.#blowAt && !this.isCalm;
  }

  crash(town: TownProcess): void {
    this.crashes += 1;
    this.#light();
    const { loss } = this.history;
    if (loss === 'process') this.disk.kill();
    else this.disk.crash(() => loss === 'lost' || (loss === 'mixed' && this.chance.isHit(0.5)));
    this.world.tell({ what: 'survived', files: this.disk.files() });
    town.end('crash', `operation ${this.#operations}`);
  }

  /** A process ended: another one comes. */
  afterEnd(town: TownProcess, how: 'crash' | 'exit' | 'superseded'): void {
    this.#steps += town.loop.steps;
    if (this.newest !== town || how === 'superseded') return;
    this.time.at(this.time.now + this.history.downMs, () => this.#boot());
  }

  told(letter: Omit<EntryOf<'told'>, 't' | 'what'>): void {
    this.world.tell({ what: 'told', ...letter });
    this.#open.delete(letter.warrant);
  }

  refused(file: string, why: string): void {
    this.world.tell({ what: 'refused', file, why });
    const id = /warrants\/(.+)\.json$/.exec(file)?.[1];
    if (id !== undefined) this.#open.delete(id);
  }

  #boot(): void {
    this.#starts += 1;
    this.newest = new TownProcess(this, this.#starts);
    void this.newest.run();
  }

  #light(): void {
    const fuse = this.#fuses.shift();
    this.#blowAt = fuse === undefined ? Infinity : this.#operations + fuse;
  }

  #prepare(): void {
    const { filings, stops, freezes, wallJumps, secondTown } = this.history;
    for (const session of this.world.sessions.values()) {
      const [life] = session.lives;
      if (life) this.disk.put(paths.session(session.plan.name), sessionText(recordOf(life)));
    }
    for (const filing of filings) {
      this.time.at(filing.at, () => this.#file(filing));
      if (filing.cancelledAt < Infinity) this.time.at(filing.at + filing.cancelledAt, () => this.#cancel(filing.id));
    }
    for (const { at, target: name } of stops)
      this.time.at(at, () =>
        this.#announce({
          type: 'REQUESTED',
          rpc: `${STOP}${name}`,
          via: 'operator',
          request: { verb: 'stopSession', name, then: 'end', force: false },
        }),
      );
    for (const { at, forMs } of freezes) this.time.at(at, () => this.#freeze(at + forMs));
    for (const { at, byMs } of wallJumps) this.time.at(at, () => (this.#offset += byMs));
    if (!secondTown) return;
    this.time.at(secondTown.freezeAt, () => this.#freeze(secondTown.thawAt));
    this.time.at(secondTown.bootAt, () => this.#boot());
  }

  #freeze(until: number): void {
    const { newest } = this;
    if (newest === null || newest.isDead) return;
    newest.frozenUntil = Math.max(newest.frozenUntil, until);
    this.world.tell({ what: 'frozen', town: newest.number, until });
  }

  #file(filing: Filing): void {
    const { id, target, requester, force, expired, loose, again } = filing;
    const life = this.#recordedLife(target);
    const filedAt = this.wall - (expired ? 2 * DAY : 0);
    const warrant: Warrant = { id, target: life.incarnation, reason: 'silent for long', requester, filedAt, force };
    const dropped = { target, reason: warrant.reason, requester, filed_at: new Date(filedAt).toISOString() };
    const text = loose ? JSON.stringify(dropped) : warrantText(warrant);
    const put = () => {
      this.disk.put(paths.warrant(id), text);
      if (this.chance.isHit(0.8)) this.#announce({ type: 'POKED', what: 'warrants' });
    };
    put();
    this.#toFile -= 1;
    this.#open.add(id);
    for (const later of loose ? [] : again) this.time.at(this.time.now + later, put);
    const filed = { warrant: id, life: life.uuid, requester, filedAt, force: force && !loose, expired, loose };
    this.world.tell({ what: 'filed', ...filed });
  }

  /** The life that the town has on record: the only one that `town warrant file` can accuse. */
  #recordedLife(target: string): Life {
    const text = this.disk.durableText(paths.session(target)) ?? '{}';
    const { incarnation } = JSON.parse(text) as { incarnation?: { uuid: string } };
    const life = this.world.lives.get(incarnation?.uuid ?? '');
    if (!life) throw new Error(`no life of ${target} on record`);
    return life;
  }

  #cancel(id: string): void {
    this.world.tell({ what: 'cancelAsked', warrant: id });
    this.#announce({ type: 'REQUESTED', rpc: id, request: { verb: 'cancelWarrant', id, by: 'operator' } });
  }

  #answer(life: Life, code: string): void {
    const uuid = this.chance.isHit(0.8) ? life.uuid : null;
    const answer = { schema: 'answer/1', code, uuid, answered_at: new Date(this.wall).toISOString(), via: 'agent' };
    this.disk.put(paths.answer(code), JSON.stringify(answer));
    if (this.chance.isHit(0.5)) this.#announce({ type: 'ALIVE_ANSWERED', code, uuid });
  }

  #announce(news: Parameters<TownProcess['inbox']['announce']>[0]): void {
    const { newest } = this;
    if (newest === null || newest.isDead) return;
    this.time.at(this.time.now, () => newest.inbox.announce(news), newest);
  }

  #fault(operation: string): Error | Promise<void> | undefined {
    if (!WRITING.has(operation)) return undefined;
    const { now } = this.time;
    const spell = this.history.spells.find((s: DiskSpell) => now >= s.from && now < s.to);
    if (!spell || !this.chance.isHit(spell.share)) return undefined;
    if (spell.kind !== 'slow') return systemError(spell.kind);
    const owner = this.newest;
    return new Promise((resolve) => this.time.at(now + spell.slowMs, resolve, owner));
  }
}

/** A log as lines. */
export const traceOf = (log: Log): string => log.map(lineOf).join('\n');
