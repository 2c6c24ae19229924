/**
 * What a patrol does about work: a table over one observation, without a machine (P-5, P-8, P-10, P-12).
 * 1. Each piece of work gets at most one act a cycle. Work is taken back before it is given out, so that two agents
 *    never hold the same work.
 * 2. A worker that cannot be seen is not dead: its work stays where it is.
 * 3. The oldest work of the highest priority goes first; what agents made goes last, or waits for the operator's yes.
 */
import type { ConvoySeen, RigSeen, WorkerSeen, WorkLeft, WorkSeen } from './observation.ts';
import { times } from '../kernel/span.ts';
import { isSameAgent } from '../rigs/names.ts';
import { MAX_ASKED, type PatrolPolicy } from './policy.ts';
import { stand, type StandAct } from './stands.ts';

export type PatrolAct =
  /** Opens the bead, unassigned, and counts one more attempt. `left`: the branch that the next attempt starts from. */
  | ({ readonly act: 'reopen' } & TakenBack)
  /** Its attempts are used up: it waits for a person. */
  | ({ readonly act: 'fail' } & TakenBack)
  /** Main has its work: the patrol closes the bead. `ifOpen`: not where it was begun, or set aside, meanwhile. */
  | { readonly act: 'close'; readonly bead: string; readonly reason: string; readonly ifOpen?: true }
  | { readonly act: 'spawn'; readonly rig: string; readonly bead: string }
  /** Puts the bead back on the hook of the agent that the town gave it to; a restored backup had lost that. `from`: its holder there. */
  | { readonly act: 'hook'; readonly bead: string; readonly agent: string; readonly from: string | null }
  /** Alerts that no agent will do this work; changes nothing. */
  | { readonly act: 'strand'; readonly bead: string; readonly why: string }
  | { readonly act: 'triage'; readonly type: 'crash_loop'; readonly agent: string; readonly bead: string }
  /** Claims that it stands; changes nothing. */
  | StandAct;

interface TakenBack {
  readonly bead: string;
  readonly from: string;
  readonly why: string;
  readonly left: WorkLeft | null;
}

export const IN_MAIN = 'its work is in the main branch';

/** Everything that this cycle does about one rig. */
export function dispatchActs(rig: RigSeen, policy: PatrolPolicy): PatrolAct[] {
  const taken = rig.work.flatMap((work) => [...takeBack(work, rig, policy), ...forgotten(work, rig)]);
  const isTouched = new Set(taken.flatMap((act) => ('bead' in act ? [act.bead] : [])));
  const left = rig.work.filter(({ id }) => !isTouched.has(id));
  return [...taken, ...asked(rig), ...restored(rig, left), ...giveOut(rig, left, policy)];
}

/** A backup of the ledger opened it again: main may have it, and it is not given out before that is known (P-8). */
function restored({ name, trouble }: RigSeen, left: readonly WorkSeen[]): PatrolAct[] {
  const ready = left.filter(isReady);
  const done = trouble === null ? ready.filter(({ isInMain }) => isInMain === 'yes') : [];
  const closes = done.map(({ id: bead }): PatrolAct => ({ act: 'close', bead, reason: IN_MAIN, ifOpen: true }));
  const unsure = ready.flatMap(({ id, isInMain }) => (isInMain === 'unknown' ? [id] : []));
  if (unsure.length === 0) return closes;
  const text = `The ledger, which was restored, has ${times(unsure.length, 'bead')} open that polecats had finished, and whether main has the work is not known: ${few(unsure)}. Close each (town bead close ID), or have it done again (town sling ID ${name})`;
  return [...closes, stand('medium', 'work-restored', text)];
}

/** Work that an agent made waits for the operator: it would start sessions that no person ordered. */
function asked({ work }: RigSeen): PatrolAct[] {
  const waiting = work.filter(({ status, ofAgent }) => status === 'open' && ofAgent?.isAsked === true);
  if (waiting.length === 0) return [];
  const makers = [...new Set(waiting.map(({ ofAgent }) => ofAgent?.by ?? ''))];
  const text = `${times(waiting.length, 'bead waits', 'beads wait')} for your yes, since no person made them: ${few(waiting.map(({ id }) => id))}, by ${few(makers)}`;
  return [stand('medium', 'work-asked', text)];
}
const few = (names: readonly string[]): string => {
  const more = names.length - MAX_ASKED;
  return [...names.slice(0, MAX_ASKED), ...(more > 0 ? [`${String(more)} more`] : [])].join(', ');
};

const isHeld = ({ status, assignee }: WorkSeen): boolean =>
  assignee !== null && status !== 'open' && status !== 'closed';

/** Work whose worker is not there any more. */
function takeBack(work: WorkSeen, rig: RigSeen, policy: PatrolPolicy): PatrolAct[] {
  const { id: bead, assignee, attempts } = work;
  if (!isHeld(work) || assignee === null) return [];
  const worker = rig.workers.find(({ agent }) => isSameAgent(agent, assignee));
  // The start of its polecat was cut off: continue it. It is no failure.
  if (worker?.isUnbegun === true && rig.hasAgent)
    return breakerOf(rig, policy) === 'open' ? [] : [{ act: 'spawn', rig: rig.name, bead }];
  // A holder that is no worker of the rig may belong to the town: the Deacon looks after those.
  if (worker === undefined || worker.session !== 'dead') return [];
  const { left, agent: from } = worker;
  if (left.is === 'merged') return [{ act: 'close', bead, reason: IN_MAIN }];
  const heir = heirOf(work, rig);
  if (heir !== undefined) return [{ act: 'hook', bead, agent: heir.agent, from }];
  // A person brings them together first: the next attempt would begin with one of them, or with none.
  if (left.is === 'scattered') return [];
  const why = `${from} is dead`;
  if (isCrashLoop(worker, policy)) return [{ act: 'triage', type: 'crash_loop', agent: from, bead }];
  return [takenBack({ bead, from, attempts, left: left.is === 'work' ? left : null }, why, policy)];
}

/** Ends a failed attempt: the work is open for the next worker, or has failed. */
export function takenBack(
  { attempts, ...about }: Omit<TakenBack, 'why'> & { readonly attempts: number },
  why: string,
  { redispatchAttempts }: Pick<PatrolPolicy, 'redispatchAttempts'>,
): PatrolAct {
  return attempts + 1 >= redispatchAttempts
    ? { act: 'fail', ...about, why: `${why}, and ${attempts + 1} attempts came to nothing` }
    : { act: 'reopen', ...about, why };
}

/**
 * The worker that the town started for this work after the bead last changed. A start changes the bead, so the ledger is older: a
 * backup took its place (P-8).
 */
const heirOf = ({ id, restedMs }: WorkSeen, { workers }: RigSeen): WorkerSeen | undefined =>
  workers.find(
    ({ session, startedFor }) => session !== 'dead' && startedFor?.bead === id && startedFor.agoMs < restedMs,
  );

/** The ledger says that no worker has it, and one is there that was started for it later. */
function forgotten(work: WorkSeen, rig: RigSeen): PatrolAct[] {
  const heir = isReady(work) ? heirOf(work, rig) : undefined;
  return heir === undefined ? [] : [{ act: 'hook', bead: work.id, agent: heir.agent, from: null }];
}

/** This death is a failure too. */
const isCrashLoop = ({ failureAgesMs }: WorkerSeen, policy: PatrolPolicy): boolean =>
  failureAgesMs.filter((age) => age < policy.crashLoopWithinMs).length + 1 >= policy.crashLoopFailures;

/** Work that can begin now. */
export const isReady = ({ status, assignee, isStaged, ofAgent, unread }: WorkSeen): boolean =>
  status === 'open' && assignee === null && !isStaged && ofAgent?.isAsked !== true && unread === undefined;

const isAgents = ({ ofAgent }: WorkSeen): number => (ofAgent === undefined ? 0 : 1);
const byTurn = (one: WorkSeen, other: WorkSeen): number =>
  isAgents(one) - isAgents(other) ||
  one.priority - other.priority ||
  other.ageMs - one.ageMs ||
  (one.id < other.id ? -1 : 1);

const isRested = ({ lastAttemptMs: ms }: WorkSeen, { redispatchCooldownMs }: PatrolPolicy): boolean =>
  ms === null || ms >= redispatchCooldownMs;

/** Work that may be given out now; what goes first comes first. */
export const dueWork = (work: readonly WorkSeen[], policy: PatrolPolicy): readonly WorkSeen[] =>
  work.filter((one) => isReady(one) && one.isInMain === undefined && isRested(one, policy)).sort(byTurn);

/** Ready work to new polecats, as many as there is room for. */
function giveOut(rig: RigSeen, work: readonly WorkSeen[], policy: PatrolPolicy): PatrolAct[] {
  if (rig.trouble !== null) return [];
  const ready = work.filter((one) => isReady(one) && one.isInMain === undefined).sort(byTurn);
  if (ready.length === 0) return [];
  if (!rig.hasAgent)
    return ready.map(({ id: bead }) => ({ act: 'strand', bead, why: `[rig.${rig.name}] names no agent` }));
  const rested = dueWork(ready, policy);
  const living = rig.workers.filter(({ session, isUnbegun }) => session !== 'dead' || isUnbegun).length;
  const room = Math.max(0, rig.maxPolecats - living);
  const breaker = breakerOf(rig, policy);
  if (breaker === 'open') {
    const text = `nothing is given out in ${rig.name}: ${policy.breakerAttempts} attempts in a row came to nothing`;
    return rested.length === 0 ? [] : [stand('high', 'dispatch-rests', text)];
  }
  const most = breaker === 'half-open' ? Math.min(1, room) : room;
  return rested.slice(0, most).map(({ id: bead }) => ({ act: 'spawn', rig: rig.name, bead }));
}

/**
 * Trips once so many attempts within the window came to nothing, and no success came since; one whose polecat is there came to
 * nothing yet. `open`: nothing is given out. Once the youngest attempt is as old as the window, a single one may try; it stays
 * so until one succeeds.
 */
export function breakerOf(
  { attempts, workers }: Pick<RigSeen, 'attempts' | 'workers'>,
  { breakerAttempts, breakerWithinMs }: PatrolPolicy,
): 'closed' | 'open' | 'half-open' {
  const goingOn = new Set(workers.flatMap(({ session, startedFor }) => (session === 'dead' ? [] : [startedFor?.bead])));
  // Of one that is there, its own attempt is the youngest.
  const failed = attempts.filter(({ bead }) => !goingOn.delete(bead)).map(({ agoMs }) => agoMs);
  const hasTripped = failed.some((agoMs, nth) => {
    const first = failed[nth + breakerAttempts - 1];
    return first !== undefined && first - agoMs < breakerWithinMs;
  });
  if (!hasTripped) return 'closed';
  return (attempts[0]?.agoMs ?? 0) < breakerWithinMs ? 'open' : 'half-open';
}

/** Convoys whose work is done: each lands once, since a closed one is none any more. One that tracks nothing waits. */
export const landings = (convoys: readonly ConvoySeen[]): { readonly convoy: string; readonly summary: string }[] =>
  convoys
    .filter(({ tracked }) => tracked.length > 0 && tracked.every((one) => one.isClosed))
    .map(({ id, title, tracked }) => {
      return { convoy: id, summary: `${title}: all ${tracked.length} of its beads are closed` };
    });
