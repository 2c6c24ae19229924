/** Triage of the rigs' simulation: the shipped queue, choices and acts, with a reasoner that chooses by chance, or nothing. */
import { addressOf, polecatIn, sessionOf, sessionOfAgent } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { dispatchTriage } from '../../machines/triage/dispatch.ts';
import type { TriagePolicy } from '../../machines/triage/policy.ts';
import type { TriageCase } from '../../machines/triage/cases.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import { wishingLife } from '../../src/patrols/witness/cleanups.ts';
import { askForEnd } from '../../src/patrols/witness/ends.ts';
import { saveAsWarrant } from './rigs-warrant.ts';
import { carryOut, type TriageHands } from '../../src/triage/carry-out.ts';
import { countTry, requestTriage, undecidedCases } from '../../src/triage/requests.ts';
import { resolveCase } from '../../src/triage/resolve.ts';
import { queueOf } from '../../src/triage/run.ts';
import { readRun, saveRun } from '../../state/triage/run.ts';
import { Failure } from '../../src/terminal/failure.ts';
import type { RigsTown } from './rigs-town.ts';
import { order } from '../../src/ports/age.ts';

const MINUTE = 60_000;

export class TriageRuns {
  readonly #town: RigsTown;
  #isUnderWay = false;

  constructor(town: RigsTown) {
    this.#town = town;
  }

  async run(policy: TriagePolicy): Promise<void> {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    try {
      await this.#cycle(policy);
    } catch {
      // What is left the next one finds.
    } finally {
      this.#isUnderWay = false;
    }
  }

  /** As the decider waits for it. */
  async carryOut(): Promise<void> {
    for (const { id, state } of await undecidedCases(this.#town.ledger))
      while (state === 'resolved' && (await carryOut(this.hands, id)).isMore);
  }

  async #cycle(policy: TriagePolicy): Promise<void> {
    const { ledger, sim } = this.#town;
    await this.#town.pause(500);
    await this.#endLeft();
    const open = (await undecidedCases(ledger)).filter(({ state }) => state === 'open');
    const seen = await queueOf(ledger, open, { now: sim.wall, running: 'no' });
    for (const act of dispatchTriage(seen, policy))
      if (act.act === 'run')
        await this.#ask(
          open.filter(({ id }) => act.cases.includes(id)),
          policy,
        );
    this.#town.asksDeacon();
  }

  /** What a run left that was killed is ended by the next one. */
  async #endLeft(): Promise<void> {
    const { disk, sim } = this.#town;
    const last = await readRun(disk);
    if (last !== null && last.endedAt === null) await saveRun(disk, { ...last, endedAt: sim.wall });
  }

  async #ask(cases: readonly TriageCase[], { deadlineMs }: TriagePolicy): Promise<void> {
    const { ledger, disk, sim } = this.#town;
    const id = sim.uuid();
    const run = { id, startedAt: sim.wall, deadlineAt: sim.wall + deadlineMs, tokenHash: 'a'.repeat(64) };
    const full = { ...run, cases: cases.map((one) => one.id), agents: [], maxCalls: 100 };
    await saveRun(disk, { ...full, endedAt: null });
    sim.modelCalls += 1;
    const note = (kind: string): Promise<unknown> =>
      ledger.addEvidence({
        id: `${id}-${kind}`,
        author: 'triage/run',
        kind,
        text: JSON.stringify({ id }),
        at: sim.wall,
      });
    await note('run');
    for (const one of cases) await countTry(ledger, one.id, sim.iso);
    await this.#town.pause(sim.chance.upTo(4 * MINUTE));
    let isUseful = false;
    for (const { id: one, options } of cases) {
      if (sim.chooses === 'nothing' || (sim.chooses === null && !sim.chance.isHit(0.8))) continue;
      const choice = sim.chooses ?? sim.chance.oneOf(options);
      const chosen = { choice, note: 'go on', by: 'triage', now: sim.wall, among: null, shown: 'all' } as const;
      await resolveCase(ledger, one, chosen);
      isUseful = true;
    }
    await note(isUseful ? 'useful' : 'useless');
    await saveRun(disk, { ...full, endedAt: sim.wall });
  }

  /** Planted: no patrol asks so. */
  async askAboutItself(): Promise<void> {
    const { ledger, sim } = this.#town;
    const about = { type: 'stuck_agent', agent: 'triage', rig: 'shop', why: 'planted', by: 'deacon' } as const;
    await requestTriage(ledger, { ...about, now: sim.wall, policy: DEFAULTS.triage.policy });
  }

  async #polecat(agent: string): Promise<PolecatRecord> {
    const name = polecatIn(agent);
    const record = name === null ? null : await this.#town.records.polecat(name);
    if (record === null) throw new Failure(1, 'no_polecat', `${agent} is no polecat any more`);
    return record;
  }

  get hands(): TriageHands {
    const { ledger, sim, hands, records } = this.#town;
    const send = (to: string, letter: { id: string; subject: string; body: string }): Promise<boolean> =>
      this.#town.boxOf(to).send({
        ...letter,
        from: 'triage',
        via: 'town',
        urgent: false,
        needs_response: false,
        sentAt: sim.wall,
      });
    return {
      ledger,
      disk: this.#town.disk,
      now: () => sim.wall,
      policy: { ...DEFAULTS.triage.policy, ...DEFAULTS.patrols.patrol },
      standing: async (agent, since) => {
        const name = polecatIn(agent);
        const record = name === null ? null : await records.polecat(name);
        return {
          standing: sim.standing(sessionOfAgent(agent)),
          isAnother: record !== null && order(record.at) > order(since),
        };
      },
      wishesEnd: async (agent) => {
        const name = polecatIn(agent);
        const record = name === null ? null : await records.polecat(name);
        if (record === null) return 'no';
        const life = sim.agents.newest(sessionOfAgent(agent))?.uuid;
        const wished = await wishingLife({ ledger, rig: record.rig, bornAt: () => record.at }, record.name);
        return wished !== null && wished === life ? 'yes' : 'no';
      },
      end: async (agent, why) => {
        const { rig } = await this.#polecat(agent);
        const needs = { disk: this.#town.disk, rig, protects: [], now: sim.wall, patienceMs: 15 * MINUTE };
        return askForEnd(needs, { agent, isVoluntary: true, why });
      },
      nudge: async (agent) => {
        await this.#town.step();
        sim.people.hear(sessionOfAgent(agent));
      },
      start: (agent) => hands.start('shop', agent),
      warrant: (agent, id, reason) => saveAsWarrant(this.#town, sessionOfAgent(agent), { id, reason }),
      mail: async ({ id, to, subject, body }) => {
        await send(to, { id, subject, body });
      },
      hasMayor: () => Promise.resolve(true),
      save: async (agent) => {
        const { uuid } = await this.#polecat(agent);
        sim.git.commit(uuid, sim.wall);
        sim.git.push(uuid);
        await this.#town.step();
        return 'it is pushed';
      },
      leave: async (agent) => {
        await hands.leave(await this.#polecat(agent));
        return 'its worktree waits for the next one';
      },
      discard: async (agent, _, before) => {
        const name = polecatIn(agent);
        if (name !== null && (await records.polecat(name)) === null) {
          await before();
          return `${agent} is gone already`;
        }
        const record = await this.#polecat(agent);
        if (sim.standing(sessionOf(record)) === 'lives') throw new Failure(5, 'session_lives', `${agent} lives`);
        sim.git.discard(record.uuid);
        await this.#town.step();
        await hands.nuke(record, { pushes: false, before });
        return `what ${addressOf(record)} held is kept`;
      },
      isTransient: (error) => !(error instanceof Failure),
    };
  }
}
