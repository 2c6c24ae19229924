/**
 * What the town does to polecats and sessions of a simulated rig, in the steps and in the order of the shipped spawn and nuke: each
 * leaves on record how far it came.
 */
import { hook, unhook } from '../../machines/ledger/changes.ts';
import { addressOf, sessionOf, sessionOfAgent } from '../../machines/rigs/names.ts';
import { isHalfGone, isHalfMade, isLeft, type PolecatRecord } from '../../machines/rigs/records.ts';
import { mayOf, NOTHING_SEEN } from '../../machines/rigs/worktree.ts';
import { changeBead } from '../../src/ledger/change.ts';
import type { Trees } from '../../src/patrols/witness/trees.ts';
import type { Nuking } from '../../src/rigs/nuke.ts';
import { EXIT, Failure } from '../../src/terminal/failure.ts';
import type { RigsTown } from './rigs-town.ts';

const refused = (why: string): Failure => new Failure(EXIT.refused, 'refused', why);

export class RigsHands {
  readonly #town: RigsTown;

  constructor(town: RigsTown) {
    this.#town = town;
  }

  readonly trees: Trees = {
    look: async ({ uuid }) => {
      await this.#town.pause(20);
      const seen = this.#git.look(uuid);
      // No agent goes on with it.
      if (this.#town.sim.plant === 'leaves records' && seen.place === 'missing') return NOTHING_SEEN;
      return this.#isBlind ? { ...seen, changed: [], unpushed: [] } : seen;
    },
    left: ({ uuid }) => Promise.resolve(this.#git.leftBy(uuid)),
    // A place that is missing is looked at when its agent is.
    isGone: () => Promise.resolve(false),
    movedAt: ({ uuid }) => Promise.resolve(this.#git.trees.get(uuid)?.movedAt ?? 0),
    merged: (works) =>
      Promise.resolve(new Map(works.map(({ commit }) => [commit, this.#git.isMerged(commit)] as const))),
    broughtBack: () => Promise.resolve(new Map()),
    gone: () => Promise.resolve(new Map()),
    returned: () => Promise.resolve([]),
    fetchMain: () => Promise.resolve(),
    lost: () => Promise.resolve([]),
    later: () => Promise.resolve([]),
    shadows: () => Promise.resolve([]),
    trouble: () => Promise.resolve(null),
    away: () => Promise.resolve(null),
    files: () => Promise.resolve(''),
    keep: () => Promise.resolve(),
    lacks: () => Promise.resolve(false),
    nuke: (record, how) => this.nuke(record, how).then(() => []),
  };

  get #git() {
    return this.#town.sim.git;
  }

  get #isBlind(): boolean {
    return this.#town.sim.plant === 'destroys unseen';
  }

  async spawn(rig: string, bead: string): Promise<string> {
    const { records, sim } = this.#town;
    const left = (await records.polecatsOf(rig)).found.find((one) => isLeft(one) && one.bead === bead);
    if (left !== undefined) {
      await this.#made({ ...left, uuid: sim.uuid(), step: 'placed', at: sim.wall });
      return `${rig}/${left.name}`;
    }
    for (let nth = 1; ; nth += 1) {
      const name = nth === 1 ? bead : `${bead}-${nth}`;
      let record = await records.polecat({ rig, name });
      if (record !== null && !isHalfMade(record) && !isHalfGone(record)) continue;
      if (record !== null && isHalfGone(record)) {
        await this.nuke(record, { pushes: false });
        record = null;
      }
      const words = {
        rig,
        name,
        uuid: sim.uuid(),
        base: 'a'.repeat(40),
        main: null,
        tip: null,
        bead,
        command: ['agent'],
      };
      await this.#made(record ?? { ...words, step: 'intended', at: sim.wall });
      return `${rig}/${name}`;
    }
  }

  async #made(from: PolecatRecord): Promise<void> {
    const { records, ledger, sim } = this.#town;
    const save = async (step: PolecatRecord['step']) => records.savePolecat({ ...from, step });
    const agent = addressOf(from);
    if (from.step === 'intended') await save('intended');
    this.#git.place(from, sim.wall);
    await save('placed');
    await changeBead(ledger, from.bead ?? '', (one) => {
      const done = hook(one, agent, sim.iso);
      if (!done.ok) throw refused(`${one.id} is ${done.is}`);
      return done.bead;
    });
    await save('hooked');
    if (sim.standing(sessionOf(from)) !== 'lives') {
      sim.people.born(from, sim.begin(sessionOf(from), from.uuid));
      await this.#town.step();
    }
    await save('running');
  }

  /** Its worktree waits as it is for the next one at the same work, as the shipped one leaves it. */
  async leave(record: PolecatRecord): Promise<void> {
    if (isLeft(record)) return;
    const { records, sim } = this.#town;
    const session = sessionOf(record);
    if (record.step !== 'running' || record.bead === null) throw refused(`${record.name} has no work that has ended`);
    if (['lives', 'unknown'].includes(sim.standing(session))) throw refused(`${session} has not ended`);
    if (this.#git.look(record.uuid).place !== 'there') throw refused(`the worktree of ${record.name} is not there`);
    sim.forget(session);
    await records.savePolecat({ ...record, step: 'left' });
  }

  /** As the shipped one: looked at in its place and aside, and taken away once that is proved. */
  async nuke(record: PolecatRecord, { pushes, before, handsOver }: Nuking): Promise<void> {
    const { records, sim } = this.#town;
    const { uuid } = record;
    const session = sessionOf(record);
    if (['lives', 'unknown'].includes(sim.standing(session))) throw refused(`${session} has not ended`);
    // One branch of several is not all of the work.
    if (handsOver === true && this.#git.scattered.has(uuid)) this.#git.lost.push(`a branch of ${record.name}`);
    const tree = this.#git.trees.get(uuid);
    const tip = record.step === 'going' ? record.tip : this.#git.tipOf(uuid);
    if (record.step !== 'going') {
      if (pushes && mayOf(this.#git.look(uuid)) === 'push') this.#git.push(uuid);
      if (tree?.place === 'there') this.#refuse(uuid);
      if (!isHalfMade(record)) await records.savePolecat({ ...record, step: 'leaving' });
      if (tree !== undefined) tree.place = 'aside';
      await this.#town.step();
      await this.#town.pause(50);
      try {
        this.#refuse(uuid);
      } catch (error) {
        if (tree !== undefined) tree.place = 'there';
        await records.savePolecat({ ...record, step: isHalfMade(record) ? record.step : 'running' });
        throw error;
      }
      await records.savePolecat({ ...record, step: 'going', tip });
    }
    this.#git.destroy(uuid);
    await this.#town.step();
    await before?.(tip);
    await this.#forget(record, session);
  }

  #refuse(uuid: string): void {
    const may = mayOf(this.#git.lookAside(uuid));
    if (may !== 'remove' && !this.#isBlind) throw refused(`what is in it is nowhere else: ${may}`);
  }

  async #forget(record: PolecatRecord, session: string): Promise<void> {
    const { records, ledger, sim } = this.#town;
    await changeBead(ledger, record.bead ?? '', (one) => {
      const done = unhook(one, addressOf(record), sim.iso);
      return done.ok ? done.bead : one;
    });
    if (sim.plant === 'leaves records') return;
    sim.forget(session);
    await records.removePolecat(record);
  }

  /** The refinery of a rig. */
  async start(rig: string, agent: string): Promise<void> {
    const { sim } = this.#town;
    await this.#town.step();
    const life = sim.begin(sessionOfAgent(agent), sim.uuid());
    void sim.people.refine(rig, life);
  }
}
