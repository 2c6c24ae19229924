/** One cycle of a witness, from a look to the outcome of each act. The caller holds the rig's lock. */
import { isReady } from '../../../machines/patrols/dispatch.ts';
import type { RigSeen } from '../../../machines/patrols/observation.ts';
import { addressOf, MAYORS } from '../../../machines/rigs/names.ts';
import { isHalfMade, type PolecatRecord } from '../../../machines/rigs/records.ts';
import { isStalled } from '../../../machines/witness/hook.ts';
import { judgesMerge } from '../../../machines/witness/authority.ts';
import { REMOTE, RETURNED, witnessCycle, type Policies } from '../../../machines/witness/cycle.ts';
import type { PolecatSeen, ReturnedSeen, ToldSeen, WitnessSeen } from '../../../machines/witness/observation.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import type { Mailbox } from '../../../state/mail/mailbox.ts';
import type { Standing } from '../../rigs/sessions.ts';
import { undecidedCases } from '../../triage/requests.ts';
import { aboutOf, carryOut, mayFollow, putAway, undoneKey, type ActDeps } from './acts.ts';
import { handledIn, noteHandled } from '../memory/budget.ts';
import { beginCycle, endCycle } from '../memory/digest.ts';
import { lettersOf, type Mail } from './letters.ts';
import type { WitnessAct } from '../memory/outcome.ts';
import { witnessOf } from '../memory/evidence.ts';
import { sightsOf, type Looking } from './polecats.ts';
import { handedOf, requestsIn } from './handed.ts';
import { refinerySeen } from './refinery.ts';
import { toldOf, undoneAfter, wasTold } from '../memory/told.ts';
import type { Trees } from './trees.ts';
import { attemptsOf, overdueGates, wispsOf, workOf } from './work.ts';

export interface CycleDeps extends Omit<ActDeps, 'nuke' | 'bornAt' | 'startedFor' | 'filesOf'> {
  readonly polecats: readonly PolecatRecord[];
  readonly trees: Trees;
  readonly policies: Policies;
  /** What a polecat runs; null = no work is given out. */
  readonly agent: readonly string[] | null;
  readonly maxPolecats: number;
  /** Puts on record that the session of one whose making was cut off was started. */
  readonly begun: (record: PolecatRecord) => Promise<void>;
  /** Whether the rig has a refinery that can be started, and its mailbox. */
  readonly refinery: { readonly hasCommand: boolean; readonly box: Mailbox };
  /** Of a session on record, the life that it has or had last. */
  readonly lifeOf: Mail['lifeOf'];
  /** How all sessions are, in one look. */
  readonly standings: () => Promise<(name: string) => Standing>;
  /** How far the Deacon is past its due beat; null = not late, or unknown. */
  readonly deaconLateMs: number | null;
}

export interface CycleReport {
  readonly rig: string;
  /** How much was looked at. */
  readonly observed: {
    readonly polecats: number;
    readonly letters: number;
    readonly work: number;
    readonly wisps: number;
    /** Polecats whose work is under way. */
    readonly working: number;
    /** Beads that a polecat would do, had there been room for another. */
    readonly waiting: number;
  };
  readonly steps: readonly { readonly step: string; readonly acts: readonly WitnessAct[] }[];
  readonly model_calls: 0;
}

export async function runCycle(deps: CycleDeps): Promise<CycleReport> {
  const { rig: name, now, policies, polecats: records } = deps;
  const seen = await observe(deps);
  // Cut off after its start: it lives, so that it is whole.
  for (const record of records.filter(isHalfMade))
    if (seen.polecats.some(({ name: one, session }) => one === record.name && session === 'alive'))
      await deps.begun(record);
  const acting = actingOn(deps);
  const steps: { step: string; acts: WitnessAct[] }[] = [];
  const wanted = witnessCycle(seen, policies);
  const cycle = { ledger: deps.ledger, of: name, now };
  // That work waits for a configuration is no deed.
  const deeds = wanted.flatMap(({ acts }) => acts).filter(({ act }) => act !== 'strand');
  await beginCycle(
    cycle,
    deeds.map((act) => `${act.act} ${aboutOf(act)}`),
  );
  const undone = new Set<string>();
  for (const { step, acts } of wanted) {
    const done: WitnessAct[] = [];
    // One after the other: what a later one rests on has come about by then, or it waits for the next cycle.
    for (const act of acts) {
      if (act.act === 'archive' || !mayFollow(act, undone)) continue;
      const outcome = await carryOut(acting, act);
      if (outcome === null) continue;
      done.push(outcome);
      if (!outcome.done) undone.add(undoneKey(outcome));
    }
    const over = acts.filter((act) => act.act === 'archive').filter((act) => mayFollow(act, undone));
    steps.push({ step, acts: [...done, ...(await putAway(deps.own, over))] });
    const archived = new Set(over.map(({ mail }) => mail));
    const senders = seen.letters.flatMap(({ id, from }) => (archived.has(id) ? [from] : []));
    await noteHandled({ rig: name, ledger: deps.ledger, now }, seen.shelf.handled, senders);
  }
  const outcomes = steps.flatMap(({ acts }) => acts);
  const climbed = await undoneAfter(acting, outcomes, seen.told, policies.patrol);
  steps.push({ step: 'climb', acts: climbed });
  await endCycle(cycle, [...outcomes, ...climbed]);
  const { polecats, letters, wisps, rig } = seen;
  const given = new Set(outcomes.flatMap(({ act, done, about }) => (act === 'spawn' && done ? [about] : [])));
  const observed = {
    polecats: polecats.length,
    letters: letters.length,
    work: rig.work.length,
    wisps: wisps.length,
    working: polecats.filter((one) => isWorking(one) && !isStalled(one, policies.witness)).length,
    waiting: rig.hasAgent ? rig.work.filter((work) => isReady(work) && !given.has(work.id)).length : 0,
  };
  return { rig: name, observed, steps, model_calls: 0 };
}

/** What its acts are given of the polecats on record. */
function actingOn(deps: CycleDeps): ActDeps {
  const { polecats: records, trees } = deps;
  const recordOf = (agent: string): PolecatRecord | undefined => records.find((one) => addressOf(one) === agent);
  return {
    ...deps,
    bornAt: (agent) => recordOf(agent)?.at ?? null,
    startedFor: (agent) => recordOf(agent)?.bead ?? null,
    filesOf: (agent) => {
      const record = recordOf(agent);
      return record === undefined ? Promise.resolve('') : trees.files(record);
    },
    nuke: async (polecat, how) => {
      const record = records.find(({ name }) => name === polecat);
      if (record === undefined) throw new Error(`there is no polecat ${polecat} any more`);
      await trees.nuke(record, how);
    },
  };
}

/** One that is seen dead for the first time counts: the next look decides. */
const isWorking = ({ hook, session, isConfirmed }: PolecatSeen): boolean =>
  hook !== null && (session !== 'dead' || !isConfirmed);

/** Nothing is asked for a rig that rests. What was told stands until it is known to be over. */
async function troubleOf({ trees }: CycleDeps, told: readonly ToldSeen[], rests: boolean): Promise<string | null> {
  const isTold = told.some(({ about }) => about === REMOTE);
  if (rests && !isTold) return null;
  return trees.trouble().catch(() => (isTold ? 'whether its remote is the one on record cannot be told' : null));
}

/**
 * The first that no alert was about. While one of the kind is open no other is begun: git's log is a file that each agent can write.
 * A repository that cannot be read now is read in the next cycle.
 */
async function returnedIn(deps: CycleDeps, told: readonly ToldSeen[]): Promise<readonly ReturnedSeen[]> {
  if (told.some(({ about }) => about.startsWith(RETURNED))) return [];
  for (const { before: commit, text } of await deps.trees.returned().catch(() => []))
    if (!(await wasTold(deps, `${RETURNED}${commit}`))) return [{ commit, text }];
  return [];
}

const decidedIn = async (ledger: Ledger, name: string): Promise<string[]> =>
  (await undecidedCases(ledger)).flatMap(({ rig, state, agent }) =>
    rig === name && state === 'resolved' && agent !== '' ? [agent] : [],
  );

/** The letters of this cycle, and what waits of them: a sender has so many in an hour. */
async function lettersIn(deps: CycleDeps): Promise<Pick<WitnessSeen, 'letters' | 'shelf'>> {
  const { new: fresh, cur, later, aside } = await deps.own.still(deps.now).counts();
  if (fresh + cur + later === 0) return { letters: [], shelf: { aside, later, handled: new Map() } };
  const { rig, now, ledger, policies } = deps;
  const handled = await handledIn({ rig, ledger, now });
  const hasBudget = ({ from }: { from: string }): boolean => (handled.get(from) ?? 0) < policies.witness.lettersPerHour;
  const heir = policies.witness.mode === 'session';
  const letters = await lettersOf({ ...deps, box: deps.own, heir, hasBudget });
  return { letters, shelf: { aside, later, handled } };
}

async function observe(deps: CycleDeps): Promise<WitnessSeen> {
  const { rig: name, now, polecats: records, trees, ledger, policies } = deps;
  const wisps = await wispsOf(ledger, name, now, deps.lifeOf);
  const { letters, shelf } = await lettersIn(deps);
  const requests = await requestsIn(deps.refinery.box, name);
  const told = await toldOf(deps);
  const work = await workOf(ledger, name, now);
  const isCalm = [records, requests, letters, wisps].every(({ length }) => length === 0);
  const standing = isCalm ? () => 'unknown' as const : await deps.standings();
  const looking: Looking = {
    trees,
    ledger,
    now,
    standing,
    policy: policies.witness,
    withinMs: policies.patrol.crashLoopWithinMs,
    stillMs: Math.min(policies.witness.nudgeAfterMs, policies.witness.hookNudgeMs),
    mustJudge: new Set([
      ...wisps.map(({ polecat }) => polecat),
      ...letters.flatMap(({ message, sender }) => [message?.polecat, sender.polecat]),
    ]),
  };
  const handed = await handedOf({
    ledger,
    rig: name,
    now,
    trees,
    requests,
    everyMs: policies.witness.mergePollMs,
    isAsked: (one) => letters.some((letter) => judgesMerge(letter, one)),
  });
  const sights = await sightsOf(looking, records);
  const rig: RigSeen = {
    name,
    hasAgent: deps.agent !== null,
    maxPolecats: deps.maxPolecats,
    trouble: await troubleOf(deps, told, isCalm && work.length === 0),
    workers: sights.map(({ worker }) => worker),
    work,
    attempts: await attemptsOf(ledger, witnessOf(name), now),
  };
  return {
    rig,
    polecats: sights.map(({ polecat }) => polecat),
    wisps,
    letters,
    shelf,
    handed,
    returned: await returnedIn(deps, told),
    deaconLateMs: deps.deaconLateMs,
    hasMayor: MAYORS.some((name) => standing(name) === 'lives'),
    refinery: await refinerySeen({ ...deps, standing, hasCommand: deps.refinery.hasCommand }, requests),
    overdue: await overdueGates(ledger, name, now),
    told,
    decided: records.length === 0 ? [] : await decidedIn(ledger, name),
  };
}
