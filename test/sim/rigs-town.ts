/** One town process of the rigs' simulation: its patrols, one after another for each rig and for the Deacon, until it is killed. */
import type { Patrolled } from '../../machines/protocol/patrols.ts';
import { sessionOfAgent } from '../../machines/rigs/names.ts';
import { CASE_MS } from '../../machines/patrols/policy.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import { askForEnd } from '../../src/patrols/witness/ends.ts';
import { escalationRound } from '../../src/patrols/deacon/escalations.ts';
import { ofTown, ofWitness } from '../../src/patrols/thread/found.ts';
import { runCycle } from '../../src/patrols/witness/cycle.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import { withSteps } from '../../src/ports/age.ts';
import { townWork } from '../../src/patrols/deacon/round.ts';
import type { Disk } from '../../state/files/disk.ts';
import { STATE } from '../../state/files/policy.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { LedgerFault } from '../../state/ledger/fault.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import type { Mailbox } from '../../state/mail/mailbox.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { systemError } from '../world/disk.ts';
import { never } from '../world/never.ts';
import type { Owner } from '../world/time.ts';
import type { RigsSim } from './rigs.ts';
import { RigsHands } from './rigs-hands.ts';
import { TriageRuns } from './rigs-triage.ts';

const WRITES: ReadonlySet<string> = new Set(['put', 'remove', 'comment', 'addEvidence', 'write', 'rename', 'append']);
const { patrol, witness } = DEFAULTS.patrols;
const IDLE_MS = 5 * 60_000;
const ACTIVE_MS = 15_000;

/** So seldom the ledger is busy. */
const BUSY = 0.002;

export class RigsTown implements Owner {
  isDead = false;
  readonly frozenUntil = 0;
  readonly sim: RigsSim;
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly records: RigRecords;
  readonly hands: RigsHands;
  readonly triage: TriageRuns;
  /** A case came since the Deacon's cycle began; and what ends its rest then. */
  #isAsked = false;
  #wake: () => void = () => undefined;

  constructor(sim: RigsSim) {
    this.sim = sim;
    this.ledger = this.#mortal<Ledger>(sim.memory, () => this.#busy());
    this.disk = this.#mortal(sim.simDisk.mount(), () => this.#full());
    this.records = new RigRecords({ disk: this.disk, policy: STATE });
    this.hands = new RigsHands(this);
    this.triage = new TriageRuns(this);
  }

  run(): void {
    for (const { name } of this.sim.rigs) void this.#patrols(name, () => this.#witness(name));
    void this.#patrols('deacon', () => this.#deacon());
  }

  /** Passes, or never settles: a place where a kill may come. */
  async step(): Promise<void> {
    if (this.isDead || this.sim.isLast()) return never();
  }

  /** Time passes for it; others act meanwhile. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.sim.time.at(this.sim.time.now + ms, resolve, this));
  }

  #busy(): void {
    if (!this.sim.calm && this.sim.chance.isHit(BUSY)) throw new LedgerFault('ledger_busy', 'simulated');
  }
  #full(): void {
    if (this.sim.time.now < this.sim.fullUntil) throw systemError('ENOSPC');
  }

  /** Its calls never settle once the town is dead; each write is a step before and after. */
  #mortal<T extends object>(target: T, fault: () => void): T {
    return new Proxy(target, {
      get: (_, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return async (...words: unknown[]) => {
          const isWrite = WRITES.has(String(name));
          if (this.isDead) return never();
          if (isWrite) {
            await this.step();
            fault();
          }
          const result: unknown = await Reflect.apply(value, target, words);
          if (isWrite) await this.step();
          return this.#outlived(result);
        };
      },
    });
  }

  #outlived<T>(result: T): T | Promise<T> {
    return this.isDead ? never() : result;
  }

  async #patrols(of: string, cycle: () => Promise<Patrolled>): Promise<void> {
    const activeMs = this.sim.scene.activeMs ?? ACTIVE_MS;
    for (;;) {
      let pace = activeMs;
      try {
        const found = await cycle();
        this.sim.told(of, found);
        pace = found.isActive ? activeMs : IDLE_MS;
      } catch {
        // The next one comes whatever became of it.
      }
      this.sim.cycles += 1;
      await this.#rest(of, pace);
    }
  }

  /** Until the next cycle. A new case ends the Deacon's rest early, as the town's own round does it. */
  async #rest(of: string, pace: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      if (of === 'deacon') this.#wake = resolve;
      if (of === 'deacon' && this.#isAsked) resolve();
    });
    await Promise.race([this.pause(pace), woken.then(() => this.pause(Math.min(pace, CASE_MS)))]);
  }

  readonly standings = () => Promise.resolve((session: string) => this.sim.standing(session));
  readonly boxOf = (address: string): Mailbox => {
    const box = boxAt({ disk: this.disk, note: () => undefined }, address);
    const { plant } = this.sim.scene;
    if (plant === 'tells nobody' && address === 'mayor') box.send = () => Promise.resolve(true);
    const send = box.send.bind(box);
    if (plant === 'tells twice')
      box.send = async (letter) => (await send(letter)) && send({ ...letter, id: `${letter.id}-again` });
    return box;
  };

  #witness(rig: string): Promise<Patrolled> {
    return this.#aged(() => this.#round(rig));
  }

  #deacon(): Promise<Patrolled> {
    return this.#aged(() => this.#townRound());
  }

  /** As the office of a town does it. */
  #aged(work: () => Promise<Patrolled>): Promise<Patrolled> {
    const { disk, sim } = this;
    const quarantine = new Quarantine({ disk, wall: () => sim.wall, onRefused: () => undefined });
    const notes = { disk, quarantine, maxBytes: STATE.maxRecordBytes, note: () => undefined };
    return withSteps(notes, { at: sim.time.now, wall: sim.wall }, work);
  }

  async #round(rig: string): Promise<Patrolled> {
    const { sim, ledger, disk, hands, standings } = this;
    const now = sim.wall;
    const own = this.boxOf(`${rig}/witness`);
    if (sim.scene.plant === 'reads no letter') await own.archiveAll((await own.inbox()).map(({ id }) => id));
    const report = await runCycle({
      rig,
      now,
      ledger,
      standings,
      polecats: (await this.records.polecatsOf(rig)).found,
      trees: hands.trees,
      policies: { patrol, witness },
      triage: DEFAULTS.triage.policy,
      agent: sim.agent,
      maxPolecats: sim.scene.maxPolecats,
      own,
      deaconLateMs: sim.deaconLateMs,
      boxOf: (address) => Promise.resolve(this.boxOf(address)),
      notify: () => Promise.resolve(),
      spawn: (bead) => hands.spawn(rig, bead),
      lifeOf: (session) => Promise.resolve(sim.lives.get(session)?.uuid ?? null),
      begun: (record) => this.records.savePolecat({ ...record, step: 'running' }),
      nudge: async (agent) => {
        await this.step();
        sim.people.hear(sessionOfAgent(agent));
      },
      tailOf: () => Promise.resolve(''),
      start: (agent) => hands.start(rig, agent),
      asked: () => {
        this.#isAsked = true;
        this.#wake();
      },
      end: (wanted) => askForEnd({ disk, ledger, rig, protects: [], now, patienceMs: patrol.undoneForMs }, wanted),
      refinery: { hasCommand: true, box: this.boxOf(`${rig}/refinery`) },
    });
    await escalationRound({ ledger, root: '/', disk, settings: DEFAULTS, note: () => undefined }, now);
    return ofWitness(report);
  }

  async #townRound(): Promise<Patrolled> {
    const { ledger, disk, records, standings, sim } = this;
    this.#isAsked = false;
    const door = { ask: () => Promise.reject(new Error('nobody is asked')) };
    const none = { root: '/', begin: () => undefined, sessions: () => Promise.resolve([]), note: () => undefined };
    const processes = { carrying: () => Promise.resolve([]), signal: () => false } as never;
    const now = sim.wall;
    if (sim.scene.plant === 'asks about triage') await this.triage.askAboutItself();
    const reasoner = sim.scene.isScripted === true && sim.chooses === null ? 'none' : 'command';
    const policy = { ...DEFAULTS.triage.policy, reasoner } as const;
    const command = reasoner === 'none' ? null : ['reasoner'];
    const settings = { ...DEFAULTS, rigs: {}, triage: { ...DEFAULTS.triage, policy, command } };
    const startTriage = (): void => void this.triage.run(policy);
    const needs = { ledger, disk, records, standings, settings, processes, door, startTriage, ...none };
    const work = await townWork(needs, now);
    if (work.failed.length > 0) throw new Error(work.failed.join('; '));
    sim.deaconCycles += 1;
    if (work.triage.began !== null) sim.triageCycles += 1;
    return ofTown(work);
  }
}
