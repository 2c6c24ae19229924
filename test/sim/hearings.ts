/** The scene of hearings: a drawn history of targets, warrants and faults, played to its end. */
import type { TownInput } from '../../machines/town.ts';
import { paths } from '../../state/files/layout.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { systemError, type Operation } from '../world/disk.ts';
import { townInput, WALL } from '../world/drive.ts';
import type { Life } from './agent-plans.ts';
import { recordOf } from './hands-sessions.ts';
import type { DiskSpell, Filing, History } from './history.ts';
import type { EntryOf } from './log.ts';
import type { Plant } from './plants.ts';
import { SIM_POLICY } from './policy.ts';
import { STOP, TownWorld } from './town-world.ts';

/** After the last verdict the town is watched a little longer. */
const TAIL_MS = 3_000;
const WRITING = new Set(['write', 'append', 'rename', 'syncDir']);

export class Hearings extends TownWorld {
  readonly history: History;
  override readonly hasJournal: boolean;
  #toFile: number;
  #endsAt: number;
  readonly #open = new Set<string>();

  constructor(history: History, plant: Plant | null = null) {
    super({ seed: history.seed ^ 0x5eed, plant, fuses: history.fuses });
    this.history = history;
    this.hasJournal = history.journals;
    this.#toFile = history.filings.length;
    this.#endsAt = history.endsAt;
    for (const target of history.targets) this.agents.settle(target);
    this.agents.share(history.login);
    this.agents.onAnswer = (life, code) => this.#answer(life, code);
    this.#prepare();
  }

  override inputOf(nth: number): TownInput {
    const { poolSizes, pardonOn, seed } = this.history;
    const poolSize = poolSizes[nth === 1 ? 0 : 1];
    const policy = { ...SIM_POLICY, dance: { ...SIM_POLICY.dance, poolSize, pardonOn } };
    // What the wall showed when this machine booted, as its first town noted it.
    return townInput(policy, { entropy: `${seed}/${nth}`, wallAtZero: WALL });
  }
  /** Faults are over. */
  override get isCalm(): boolean {
    return this.time.now >= this.history.calmAt;
  }
  protected override downMs(): number {
    return this.history.downMs;
  }
  protected override isLost(): boolean {
    const { loss } = this.history;
    return loss === 'lost' || (loss === 'mixed' && this.chance.isHit(0.5));
  }

  /** Resolves with the warrants of which no requester was told. */
  async run(): Promise<readonly string[]> {
    this.boot();
    await this.pass(() => {
      if (this.#toFile === 0 && this.#open.size === 0) this.#endsAt = Math.min(this.#endsAt, this.time.now + TAIL_MS);
      return this.#endsAt;
    });
    if (this.newest) this.newest.isDead = true;
    return [...this.#open];
  }

  override told(letter: Omit<EntryOf<'told'>, 't' | 'what'>): void {
    super.told(letter);
    this.#open.delete(letter.warrant);
  }

  override refused(file: string, why: string): void {
    super.refused(file, why);
    const id = /warrants\/(.+)\.json$/.exec(file)?.[1];
    if (id !== undefined) this.#open.delete(id);
  }

  #prepare(): void {
    const { filings, stops, freezes, wallJumps, secondTown } = this.history;
    for (const session of this.agents.sessions.values()) {
      const [life] = session.lives;
      if (life) this.disk.put(paths.session(session.plan.name), sessionText(recordOf(life)));
    }
    for (const filing of filings) {
      this.time.at(filing.at, () => this.#file(filing));
      if (filing.cancelledAt < Infinity) this.time.at(filing.at + filing.cancelledAt, () => this.#cancel(filing.id));
    }
    for (const { at, target: name } of stops)
      this.time.at(at, () =>
        this.announce({
          type: 'REQUESTED',
          rpc: `${STOP}${name}`,
          via: 'operator',
          request: { verb: 'stopSession', name, then: 'end', force: false },
        }),
      );
    for (const { at, forMs } of freezes) this.time.at(at, () => this.#freeze(at + forMs));
    for (const { at, byMs } of wallJumps) this.time.at(at, () => this.setClock(byMs));
    if (!secondTown) return;
    this.time.at(secondTown.freezeAt, () => this.#freeze(secondTown.thawAt));
    this.time.at(secondTown.bootAt, () => this.boot());
  }

  #freeze(until: number): void {
    const { newest } = this;
    if (newest === null || newest.isDead) return;
    newest.frozenUntil = Math.max(newest.frozenUntil, until);
    this.tell({ what: 'frozen', town: newest.number, until });
  }

  #file(filing: Filing): void {
    this.#toFile -= 1;
    this.#open.add(filing.id);
    this.accuse(this.#recordedLife(filing.target), { ...filing, wakes: 0.8 });
  }

  /** The life that the town has on record: the only one that `town warrant file` can accuse. */
  #recordedLife(target: string): Life {
    const text = this.disk.durableText(paths.session(target)) ?? '{}';
    const { incarnation } = JSON.parse(text) as { incarnation?: { uuid: string } };
    const life = this.agents.lives.get(incarnation?.uuid ?? '');
    if (!life) throw new Error(`no life of ${target} on record`);
    return life;
  }

  #cancel(id: string): void {
    this.tell({ what: 'cancelAsked', warrant: id });
    this.announce({ type: 'REQUESTED', rpc: id, request: { verb: 'cancelWarrant', id, by: 'operator' } });
  }

  #answer(life: Life, code: string): void {
    const uuid = this.chance.isHit(0.8) ? life.uuid : null;
    const answer = { schema: 'answer/1', code, uuid, answered_at: new Date(this.wall).toISOString(), via: 'agent' };
    this.disk.put(paths.answer(code), JSON.stringify(answer));
    if (this.chance.isHit(0.5)) this.announce({ type: 'ALIVE_ANSWERED', code, uuid });
  }

  protected override fault(operation: Operation): Error | Promise<void> | undefined {
    if (!WRITING.has(operation)) return undefined;
    const { now } = this.time;
    const spell = this.history.spells.find((s: DiskSpell) => now >= s.from && now < s.to);
    if (!spell || !this.chance.isHit(spell.share)) return undefined;
    if (spell.kind !== 'slow') return systemError(spell.kind);
    const owner = this.newest;
    return new Promise((resolve) => this.time.at(now + spell.slowMs, resolve, owner));
  }
}
