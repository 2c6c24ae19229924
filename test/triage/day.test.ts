/**
 * A day of 500 agents in 20 rigs, a cycle of every rig each minute, decided by the shipped tables: how often a model is asked at all. What
 * an act comes to is said here in a few lines; the tables are not.
 */
import { expect, test } from 'vitest';
import { witnessCycle } from '../../machines/witness/cycle.ts';
import type { CycleAct } from '../../machines/witness/cycle-step.ts';
import type { PolecatSeen, WispSeen } from '../../machines/witness/observation.ts';
import { PATROL } from '../../machines/patrols/policy.ts';
import { dispatchTriage, type RunSeen } from '../../machines/triage/dispatch.ts';
import { TRIAGE } from '../../machines/triage/policy.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { polecat, rig, seen, worker } from '../patrols/seen.ts';
import { Chance } from '../world/chance.ts';

const MINUTE = 60_000;
const RIGS = 20;
const AGENTS = 25;
const DAY = 24 * 60;

type Fault = 'none' | 'hangs' | 'dies dirty' | 'says it is stuck' | 'done, clean';
interface Agent {
  readonly name: string;
  fault: Fault;
  since: number;
  nudged: PolecatSeen['nudged'];
  deadlineAt: number;
  tree: PolecatSeen['tree'];
  hasEnded: boolean;
}
interface Open {
  readonly agent: Agent;
  readonly type: string;
  readonly at: number;
  tries: number;
  told: boolean;
}

class Day {
  readonly rigs: { agents: Agent[]; wisps: WispSeen[] }[] = Array.from({ length: RIGS }, (_, at) => ({
    agents: Array.from({ length: AGENTS }, (_, n) => this.#fresh(`r${at}n${n}`)),
    wisps: [],
  }));
  readonly cases: Open[] = [];
  readonly runs: { at: number; useful: boolean }[] = [];
  cycles = 0;
  needed = 0;
  letters = 0;
  modelCalls = 0;
  now = 0;

  #fresh(name: string): Agent {
    return { name, fault: 'none', since: 0, nudged: 'never', deadlineAt: 0, tree: 'clean', hasEnded: false };
  }

  minute(isFaulty: (agent: Agent) => Fault): void {
    this.now += MINUTE;
    for (const one of this.rigs) {
      for (const agent of one.agents) {
        const fault = agent.fault === 'none' ? isFaulty(agent) : 'none';
        if (fault !== 'none')
          [agent.fault, agent.since, agent.tree] = [fault, this.now, fault === 'dies dirty' ? 'dirty' : agent.tree];
      }
      const polecats = one.agents.map((agent) => this.#look(agent));
      const workers = polecats.map(({ agent, session }) => worker({ agent, session }));
      const cycle = witnessCycle(seen({ rig: rig({ workers }), polecats, wisps: one.wisps }), {
        witness: WITNESS,
        patrol: PATROL,
      });
      for (const act of cycle.flatMap(({ acts }) => acts)) this.#do(one, act);
    }
    this.cycles += 1;
    this.#triage();
  }

  #look({ name, fault, since, nudged, deadlineAt, tree, hasEnded }: Agent): PolecatSeen {
    const isDead = fault === 'dies dirty';
    return polecat({
      name,
      agent: `shop/polecats/${name}`,
      tree,
      session: isDead || hasEnded ? 'dead' : 'alive',
      hook: isDead ? null : `tw-${name}`,
      report: fault === 'says it is stuck' ? 'stuck' : 'working',
      doneIntentMs: fault === 'done, clean' ? 2 * MINUTE : null,
      idleMs: fault === 'hangs' ? this.now - since : MINUTE,
      nudged,
      deadlineMs: nudged === 'with deadline' ? this.now - deadlineAt : null,
    });
  }

  #do(one: Day['rigs'][number], act: CycleAct): void {
    const called = (name: string): Agent | undefined => one.agents.find((agent) => name.endsWith(agent.name));
    if (act.act === 'send' || act.act === 'tell') this.letters += 1;
    if (act.act === 'end') called(act.agent)!.hasEnded = true;
    if (act.act === 'nuke') Object.assign(called(act.polecat) ?? {}, this.#fresh(act.polecat));
    if (act.act === 'close') one.wisps = one.wisps.filter(({ id }) => id !== act.bead);
    if (act.act === 'label')
      one.wisps = one.wisps.map((wisp) => (wisp.id === act.wisp ? { ...wisp, wasTold: true } : wisp));
    if (act.act === 'wisp') {
      const name = act.title.split(':')[1] ?? '';
      const wisp = { kind: 'cleanup', polecat: name, state: 'pending', ageMs: 0, wasTold: false } as const;
      one.wisps.push({
        id: `w-${name}-${this.now}`,
        ...wisp,
        isVoluntary: false,
        wishLife: null,
        swarm: null,
      });
    }
    if (act.act === 'nudge') {
      const agent = called(act.agent);
      if (agent !== undefined)
        [agent.nudged, agent.deadlineAt] = [act.kind === 'deadline' ? 'with deadline' : 'gently', this.now];
    }
    if (act.act === 'triage') {
      const agent = called(act.agent);
      const isOpen = this.cases.some((open) => open.agent === agent && open.type === act.type);
      if (agent !== undefined && !isOpen)
        this.cases.push({ agent, type: act.type, at: this.now, tries: 0, told: false });
    }
  }

  #triage(): void {
    const cases = this.cases.map(({ at, tries, told }, id) => {
      return { id: `${id}`, ageMs: this.now - at, tries, isPersons: false, unproven: null, wasTold: told };
    });
    const runs = this.runs.map(({ at, useful }): RunSeen => ({
      agoMs: this.now - at,
      restedMs: this.now - at,
      came: useful ? 'useful' : 'useless',
    }));
    const acts = dispatchTriage(
      { cases, runs: runs.reverse(), running: 'no', counted: null },
      { ...TRIAGE, reasoner: 'command' },
    );
    const done = new Set<Open>();
    for (const act of acts) {
      if (act.act === 'tell') this.cases[Number(act.case)]!.told = true;
      if (act.act !== 'run') continue;
      this.modelCalls += 1;
      this.runs.push({ at: this.now, useful: true });
      for (const id of act.cases) {
        const open = this.cases[Number(id)]!;
        // Its choice is carried out: the agent begins anew, its worktree is saved.
        [open.agent.fault, open.agent.nudged, open.agent.tree] = ['none', 'never', 'clean'];
        done.add(open);
      }
    }
    if (acts.length > 0) this.needed += 1;
    this.cases.splice(0, this.cases.length, ...this.cases.filter((open) => !done.has(open)));
  }
}

// Rules: P-18.
test('of 500 agents two in a hundred go wrong within a day: fewer than a tenth of the cycles need triage', () => {
  const chance = new Chance(20_261_123);
  const kinds: Fault[] = ['hangs', 'dies dirty', 'says it is stuck', 'done, clean'];
  const faulty = 0.02 / DAY;
  const day = new Day();
  for (let minute = 0; minute < DAY; minute += 1)
    day.minute(() => (chance.isHit(faulty) ? chance.oneOf(kinds) : 'none'));
  expect(day.cycles).toBe(DAY);
  expect(day.modelCalls).toBeGreaterThan(0);
  expect(day.modelCalls).toBeLessThanOrEqual(TRIAGE.maxRuns);
  expect(day.needed / day.cycles).toBeLessThan(0.1);
  // What each fault led to is over by the end of the day, or was told.
  for (const { at, told } of day.cases) expect(told || day.now - at < TRIAGE.personAfterMs).toBe(true);
});

// Rules: P-18.
test('a healthy hour calls no model and writes no letter', () => {
  const day = new Day();
  for (let minute = 0; minute < 60; minute += 1) day.minute(() => 'none');
  expect([day.modelCalls, day.needed, day.letters]).toEqual([0, 0, 0]);
});
