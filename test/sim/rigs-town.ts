/** One town process of the rigs' simulation: its patrols, one after another for each rig and for the Deacon, until it is killed. */
import { readEscalations } from '../../src/patrols/deacon/escalations.ts';
import { POLICY } from '../../machines/policy.ts';
import type { Order, OutcomeBody } from '../../machines/protocol.ts';
import { sessionOfAgent } from '../../machines/rigs/names.ts';
import { CASE_MS } from '../../machines/patrols/policy.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import { askForEnd } from '../../src/patrols/witness/ends.ts';
import { PatrolDriver } from '../../src/patrols/thread/once.ts';
import { beginCycle, endCycle, putAwayCutOff } from '../../src/patrols/memory/digest.ts';
import { carryOutAll, type ActDeps } from '../../src/patrols/witness/acts.ts';
import { polecatDeps } from '../../src/patrols/witness/polecat-deps.ts';
import { survey } from '../../src/patrols/witness/survey.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import { withSteps } from '../../src/ports/age.ts';
import { doWanted, townStep } from '../../src/patrols/deacon/round.ts';
import type { Disk } from '../../state/files/disk.ts';
import { Reports } from '../../state/monitor/reports.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { LedgerFault } from '../../state/ledger/fault.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import type { Mailbox } from '../../state/mail/mailbox.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { PATROLS, readPatrol } from '../../state/patrols/records.ts';
import type { NoteOptions } from '../../state/watchdog/records.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { systemError } from '../world/disk.ts';
import { never } from '../world/never.ts';
import type { Rigs } from './rigs.ts';
import { RigsHands } from './rigs-hands.ts';
import { TriageRuns } from './rigs-triage.ts';
import type { Process } from './world.ts';

type OrderOf<Type extends Order['type']> = Extract<Order, { readonly type: Type }>;

const WRITES: ReadonlySet<string> = new Set(['put', 'remove', 'comment', 'addEvidence', 'write', 'rename', 'append']);
const { patrol, witness } = DEFAULTS.patrols;
const IDLE_MS = 5 * 60_000;
const ACTIVE_MS = 15_000;

/** So seldom the ledger is busy. */
const BUSY = 0.002;

export class RigsTown implements Process {
  isDead = false;
  readonly frozenUntil = 0;
  readonly sim: Rigs;
  readonly number: number;
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly records: RigRecords;
  readonly hands: RigsHands;
  readonly triage: TriageRuns;
  /** A case came since the Deacon's cycle began; and what ends its rest then. */
  #isAsked = false;
  #wake: () => void = () => undefined;

  constructor(sim: Rigs, number: number) {
    this.sim = sim;
    this.number = number;
    this.ledger = this.#mortal<Ledger>(sim.memory, () => this.#busy());
    this.disk = this.#mortal(sim.disk.mount(true), () => this.#full());
    this.records = new RigRecords({ disk: this.disk });
    this.hands = new RigsHands(this);
    this.triage = new TriageRuns(this);
  }

  run(): void {
    for (const { name } of this.sim.rigs) void this.#patrols(name);
    void this.#patrols('deacon');
  }

  /** The Deacon's rest is over. */
  asksDeacon(): void {
    this.#isAsked = true;
    this.#wake();
  }

  /** Passes, or never settles: a place where a kill may come. */
  async step(): Promise<void> {
    if (this.sim.isOver(this)) return never();
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
          if (!isWrite) return this.#outlived<unknown>(await Reflect.apply(value, target, words));
          this.sim.underWay += 1;
          try {
            await this.step();
            fault();
            const result: unknown = await Reflect.apply(value, target, words);
            await this.step();
            return this.#outlived(result);
          } finally {
            this.sim.underWay -= 1;
          }
        };
      },
    });
  }

  #outlived<T>(result: T): T | Promise<T> {
    return this.isDead ? never() : result;
  }

  async #patrols(of: string): Promise<void> {
    const { activeMs = ACTIVE_MS, idleMs = IDLE_MS } = this.sim.scene;
    const driver = this.#driver(of);
    for (;;) {
      let pace = activeMs;
      try {
        const found = await driver.cycle('agent');
        this.sim.told(of, found);
        pace = found.isActive ? activeMs : idleMs;
      } catch {
        // The next one comes, also where it came to nothing.
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
    const { plant } = this.sim;
    if (plant === 'tells no mayor' && address === 'mayor') box.send = () => Promise.resolve(true);
    const send = box.send.bind(box);
    if (plant === 'writes twice')
      box.send = async (letter) => (await send(letter)) && send({ ...letter, id: `${letter.id}-again` });
    return box;
  };

  #notes(): NoteOptions {
    const { disk, sim } = this;
    const quarantine = new Quarantine({ disk, wall: () => sim.wall, onRefused: () => undefined });
    return { disk, quarantine };
  }

  /** As the office of a town does it. */
  #aged<T>(work: () => Promise<T>): Promise<T> {
    const now = { at: this.sim.time.now, wall: this.sim.wall };
    return withSteps({ ...this.#notes(), note: () => undefined }, now, work);
  }

  /** What the orders of a witness do, as the office of a town does it. */
  async #survey({ of: rig, handled, stands }: OrderOf<'patrol'>): Promise<OutcomeBody> {
    const { sim, ledger, disk, hands, standings } = this;
    const own = this.boxOf(`${rig}/witness`);
    if (sim.plant === 'reads no letter') await own.archiveAll((await own.inbox()).map(({ id }) => id));
    await putAwayCutOff({ ledger, of: rig, now: sim.wall });
    const seen = await survey({
      rig,
      repo: '/nowhere',
      now: sim.wall,
      ledger,
      disk,
      standings,
      handled,
      stands,
      isAsked: false,
      own,
      polecats: (await this.records.polecatsOf(rig)).found,
      trees: hands.trees,
      policies: { patrol, witness },
      agent: sim.agent,
      doneCheck: null,
      maxPolecats: sim.scene.maxPolecats,
      deaconLateMs: sim.deaconLateMs,
      lifeOf: (session) => {
        const life = sim.agents.newest(session);
        return Promise.resolve(life === undefined ? null : { uuid: life.uuid, at: 0 });
      },
      reports: new Reports(this.#notes()),
      begun: (record) => this.records.savePolecat({ ...record, step: 'running' }),
      refinery: { command: ['merge'], missing: () => Promise.resolve(null), box: this.boxOf(`${rig}/refinery`) },
    });
    return { type: 'SURVEYED', seen, policies: { patrol, witness }, watched: [] };
  }

  async #act({ of: rig, acts }: OrderOf<'act'>): Promise<OutcomeBody> {
    const { sim, ledger, disk, hands } = this;
    const now = sim.wall;
    let hasNewCase = false;
    const deps: ActDeps = {
      rig,
      now,
      ledger,
      disk,
      own: this.boxOf(`${rig}/witness`),
      ...polecatDeps((await this.records.polecatsOf(rig)).found, hands.trees),
      triage: DEFAULTS.triage.policy,
      boxOf: (address) => Promise.resolve(this.boxOf(address)),
      tellPerson: (box, letter) => box.send(letter),
      obstacle: () => Promise.resolve(null),
      spawn: (bead) => hands.spawn(rig, bead),
      nudge: async (agent) => {
        await this.step();
        sim.people.hear(sessionOfAgent(agent));
      },
      tailOf: () => Promise.resolve(''),
      check: () => undefined,
      doneCheck: null,
      dropMerged: () => Promise.resolve([]),
      start: (agent) => hands.start(rig, agent),
      asked: () => {
        hasNewCase = true;
      },
      end: (wanted) => askForEnd({ disk, rig, protects: [], now, patienceMs: patrol.undoneForMs }, wanted),
    };
    const outcomes = await carryOutAll(deps, acts);
    return { type: 'ACTED', outcomes, hasNewCase };
  }

  async #note(order: OrderOf<'noteCycle'>): Promise<OutcomeBody> {
    const cycle = { ledger: this.ledger, of: order.of, now: this.sim.wall };
    await ('doing' in order ? beginCycle(cycle, order.doing) : endCycle(cycle, order.did));
    return { type: 'CYCLE_NOTED' };
  }

  /** One order of a patrol. The town's own thread reads the record and passes news on. */
  #perform(order: Order): Promise<OutcomeBody> {
    switch (order.type) {
      case 'readPatrol':
        return readPatrol(this.#notes(), order.of).then((record) => ({ type: 'PATROL_READ', record }));
      case 'patrol':
        return this.#aged(() => (order.of === 'deacon' ? this.#openRound() : this.#survey(order)));
      case 'step':
        return this.#aged(() => this.#step(order));
      case 'act':
        return this.#aged(() => this.#act(order));
      case 'begin':
        return this.#aged(() => this.#begin(order));
      case 'noteCycle':
        return this.#aged(() => this.#note(order));
      case 'announce':
        if (order.news.type === 'CHANGED' && order.news.what === 'escalations')
          return this.#aged(() => this.#readEscalations());
        if (order.news.type === 'CHANGED' && order.news.what === 'cases') this.asksDeacon();
        return Promise.resolve({ type: 'ANNOUNCED' });
      default:
        return Promise.resolve({ type: 'REPLIED' });
    }
  }

  #driver(of: string): PatrolDriver {
    const { sim, disk } = this;
    const { rounds, watchdog } = POLICY;
    const { activeMs, idleMs } = watchdog.deacon;
    return new PatrolDriver(
      { of, policy: { ...rounds, activeMs, idleMs }, policies: { patrol, witness } },
      {
        perform: (order) => this.#perform(order),
        save: async (record) => {
          await disk.mkdir(FOLDERS.patrols);
          await writeFiles(disk, [PATROLS.fileOf(record)]);
          sim.saved(record);
        },
        now: () => ({ at: sim.time.now, wall: sim.wall }),
      },
    );
  }

  /** As the keeper of the ledger does it. */
  async #readEscalations(): Promise<OutcomeBody> {
    const { ledger, disk, sim } = this;
    sim.escalated(await readEscalations({ ledger, disk, note: () => undefined }, sim.wall));
    return { type: 'ANNOUNCED' };
  }

  async #openRound(): Promise<OutcomeBody> {
    this.#isAsked = false;
    await putAwayCutOff({ ledger: this.ledger, of: 'deacon', now: this.sim.wall });
    if (this.sim.plant === 'asks about triage') await this.triage.askAboutItself();
    this.sim.deaconCycles += 1;
    return { type: 'ROUND_OPENED', watched: [] };
  }

  #triagePolicy() {
    const { sim } = this;
    const reasoner = sim.scene.isScripted === true && sim.chooses === null ? 'none' : 'command';
    return { ...DEFAULTS.triage.policy, reasoner } as const;
  }

  #begin({ wanted }: OrderOf<'begin'>): Promise<OutcomeBody> {
    const start = (): void => void this.triage.run(this.#triagePolicy());
    const choices = () => Promise.resolve(this.triage.hands);
    return doWanted({ ledger: this.ledger, start, choices }, wanted, this.sim.wall);
  }

  async #step(order: OrderOf<'step'>): Promise<OutcomeBody> {
    const { ledger, disk, records, standings, sim } = this;
    const client = { ask: () => Promise.reject(new Error('no town is asked')) };
    const none = { root: '/', sessions: () => Promise.resolve([]), note: () => undefined };
    const processes = { carrying: () => Promise.resolve([]), signal: () => false } as never;
    const policy = this.#triagePolicy();
    const command = policy.reasoner === 'none' ? null : ['reasoner'];
    const settings = { ...DEFAULTS, rigs: {}, triage: { ...DEFAULTS.triage, policy, command } };
    const needs = { ledger, disk, records, standings, settings, processes, client, ...none };
    const done = await townStep(needs, order, sim.wall);
    sim.triageCycles += done.observed['needs_triage'] ?? 0;
    return done;
  }
}
