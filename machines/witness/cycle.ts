/**
 * One cycle of a witness: its steps in the seed's order over one observation. The first act that disposes of a polecat, of its work
 * or of a bead has the word about it (mail before cleanups before the survey before dispatch): what a later one would do about the
 * same waits for the next cycle, which sees what became of it, and so does all that rests on it.
 */
import { breakerOf, dispatchActs } from '../patrols/dispatch.ts';
import type { PatrolPolicy } from '../patrols/policy.ts';
import type { Ms } from '../protocol.ts';
import { isSameAgent, refineryAddress, sessionOfAgent } from '../rigs/names.ts';
import type { Stands } from '../protocol/patrols.ts';
import { stand, standsAfter, type StillMay } from '../patrols/stands.ts';
import type { CycleAct, CycleStep } from './cycle-step.ts';
import { checkedFirst, mayBeUnchecked } from './done-check.ts';
import { speaksOf } from './authority.ts';
import { ownPushActs, scatteredActs } from './handover.ts';
import { awayActs, waitsForRemote } from './away.ts';
import { inboxActs, isDone } from './inbox.ts';
import { handedActs, lostActs } from './merges.ts';
import type { HandedSeen, LetterSeen, PolecatSeen, WispSeen, WitnessSeen } from './observation.ts';
import type { WitnessPolicy } from './policy.ts';
import { isRefineryWell, lateMerges, refineryActs, worksOf } from './refinery.ts';
import { holdsWork } from './zombies.ts';
import { swarmActs } from './swarms.ts';
import { unreadActs } from './unread.ts';
import { cleanupActs, isIdleDirty, isOfLife, mayBeOdd, surveyActs, treeActs } from './survey.ts';

export interface Policies {
  readonly witness: WitnessPolicy;
  readonly patrol: PatrolPolicy;
}

declare module '../protocol/patrols.ts' {
  interface OfWitness {
    readonly seen: WitnessSeen;
    readonly policies: Policies;
  }
}

type Step = (seen: WitnessSeen, policies: Policies) => readonly CycleAct[];

const STEPS: Readonly<Record<string, Step>> = {
  'inbox-check': (seen, policies) => [
    // Before its bead is closed: git is not asked of it after that.
    ...ownPushActs(seen),
    ...inboxActs(seen, policies),
    ...handedActs(seen, policies.patrol),
  ],
  'process-cleanups': cleanupActs,
  'check-refinery': (seen, { witness }) => [
    ...refineryActs(seen.refinery, seen.rig.name, witness),
    ...lateMerges(seen, witness),
    ...(seen.rig.trouble === null ? [] : [stand('high', seen.rig.trouble.is, seen.rig.trouble.text)]),
    ...awayActs(seen, witness),
    ...lostActs(seen),
    ...(seen.later ?? []).flatMap(({ bead, text }) => (text === null ? [] : stand('high', 'branch-later', text, bead))),
    ...(seen.shadows ?? []).map(({ ref, text }) => stand('high', 'ref-shadows', text, ref)),
    ...(seen.returned ?? []).map(({ commit, text }) => stand('high', 'main-returned', text, commit)),
  ],
  'survey-workers': (seen, policies) => [
    ...unreadActs(seen),
    ...treeActs(seen),
    ...scatteredActs(seen),
    ...surveyActs(seen, policies),
    ...dispatchActs(withoutHeld(seen, policies.witness), policies.patrol),
  ],
  'check-timer-gates': ({ overdue }) => overdue.map(({ id: gate, title }) => ({ act: 'escalate', gate, title })),
  'check-swarm-completion': swarmActs,
  'ping-deacon': deaconIsLate,
  // What an earlier version escalated, and a level says now.
  'patrol-cleanup': ({ older }) =>
    older.map((bead) => ({ act: 'close', bead, reason: 'an alert of the patrol says it now' })),
};

/** What is on the hook of one whose end is being settled is neither taken back nor given out. */
function withoutHeld(seen: WitnessSeen, policy: WitnessPolicy): WitnessSeen['rig'] {
  const { rig, polecats } = seen;
  const held = new Set(
    agentsOf(polecats.filter((one) => holdsWork(one, policy) || saidDone(one, seen))).map(sessionOfAgent),
  );
  return held.size === 0
    ? rig
    : { ...rig, work: rig.work.filter(({ assignee }) => !held.has(sessionOfAgent(assignee ?? ''))) };
}

/** Its letter waits, or its cleanup does: its work is merged or awaits a decision, and is not given out again. */
const saidDone = (one: PolecatSeen, seen: WitnessSeen): boolean =>
  seen.letters.some((letter) => saysDone(letter, one, seen)) ||
  seen.wisps.some((wisp) => isCleanup(wisp) && wisp.isVoluntary && wisp.polecat === one.name && isOfLife(wisp, one));

const saysDone = (letter: LetterSeen, { name }: PolecatSeen, seen: WitnessSeen): boolean => {
  const { message, isStale } = letter;
  return message !== null && !isStale && isDone(message) && speaksOf(letter, message, seen).polecat?.name === name;
};

/** Each cycle's record shows that a witness lives; a letter a cycle would be mail without a reader. */
function deaconIsLate({ deaconLateMs }: WitnessSeen, { witness }: Policies): CycleAct[] {
  return isPast(deaconLateMs, witness.deaconSilentMs)
    ? [stand('high', 'deacon-late', 'ALERT: Deacon appears unresponsive')]
    : [];
}

const isPast = (ms: Ms | null, limit: Ms): boolean => ms !== null && ms > limit;

const isCleanup = ({ kind }: WispSeen): boolean => kind === 'cleanup';

/** Of what stood before: what may stand still, though no table claims it now; null = each of the kind. */
const stillMay =
  (seen: WitnessSeen, { witness, patrol }: Policies): StillMay =>
  (kind) => {
    const { polecats, shelf, rig } = seen;
    switch (kind) {
      case 'refinery-missing':
        return isRefineryWell(seen.refinery, witness) ? [] : null;
      case 'refinery-stopped':
        return seen.refinery.waiting > 0 && seen.refinery.session === 'unknown' ? null : [];
      case 'dispatch-rests':
        return breakerOf(rig, patrol) === 'closed' ? [] : null;
      case 'witness-mail':
        return shelf.aside === 0 ? [] : null;
      case 'witness-budget':
        return shelf.later === 0 ? [] : null;
      case 'merge-out':
        return seen.handed.flatMap(({ bead, isMerged }) => (isMerged === 'unknown' ? (bead ?? []) : []));
      case 'request-closed':
        return seen.handed.filter(mayBeClosed).flatMap(({ bead }) => bead ?? []);
      case 'main-lost':
        return seen.lost === null ? null : [];
      case 'branch-later':
        return seen.later && seen.later.flatMap(({ bead, text }) => (text === null ? bead : []));
      case 'main-returned':
        return seen.returned === null ? null : [];
      case 'ref-shadows':
        return seen.shadows === null ? null : [];
      case 'merge-late':
        return worksOf(rig).map(({ id }) => id);
      case 'merge-unproved':
        return seen.letters.map(({ id }) => id);
      case 'idle-dirty':
        return polecats.filter((one) => isIdleDirty(one, witness)).map(({ name }) => name);
      case 'worktree-odd':
        return polecats.filter(mayBeOdd).map(({ name }) => name);
      case 'work-scattered':
        return polecats.filter(({ left }) => left.is === 'unknown').map(({ name }) => name);
      case 'check-unknown':
        return polecats.filter(mayBeUnchecked).map(({ name }) => name);
      case 'remote-changed':
      case 'remote-away':
      case 'other-town':
      case 'deacon-late':
      case 'cleanups-wait':
      case 'work-asked':
      case 'record-unread':
      case 'work-restored':
        return [];
    }
  };
const mayBeClosed = ({ isMerged, pullRequest, requests }: HandedSeen): boolean =>
  requests.length === 0 && (isMerged === 'unknown' || (isMerged === 'no' && pullRequest?.isBranchThere === 'unknown'));
const agentsOf = (polecats: readonly PolecatSeen[]): string[] => polecats.map(({ agent }) => agent);

/** What stands after this look. `before`: what stood after the one before it; null = there was none. */
export function standsIn(
  steps: readonly CycleStep[],
  before: readonly Stands[] | null,
  { seen, policies }: { readonly seen: WitnessSeen; readonly policies: Policies },
): readonly Stands[] {
  const claimed = steps.flatMap(({ acts }) => acts.filter((act) => act.act === 'stand'));
  return standsAfter(claimed, before, stillMay(seen, policies));
}

/** The subjects that an act disposes of: this cycle does nothing else about them. */
function takes(act: CycleAct, seen: WitnessSeen): string[] {
  switch (act.act) {
    case 'nuke':
    case 'end':
      return [ofAgent(act.agent), ...workOf(act.agent, seen)];
    case 'wisp':
      return cleanedBy(act, seen).flatMap((agent) => [ofAgent(agent), ...workOf(agent, seen)]);
    case 'start':
    case 'check':
      return [ofAgent(act.agent)];
    case 'close':
    case 'reopen':
    case 'fail':
    case 'spawn':
    case 'hook':
      return [ofWork(act.bead)];
    case 'triage':
      return [ofAsked(act.agent)];
    case 'nudge':
      // It knows what to do next: nothing else is typed or asked in this cycle.
      return act.kind === 'empty' || act.kind === 'red' || act.kind === 'dirty' ? [ofAgent(act.agent)] : [];
    case 'send':
      return [`send/${act.to}/${act.subject}/${act.of}`];
    case 'archive':
    case 'withdraw':
    case 'shelve':
    case 'follow':
    case 'forward':
    case 'label':
    case 'tell':
    case 'strand':
    case 'stand':
    case 'escalate':
      return [];
  }
}

/** The subjects of an act: if an earlier act disposed of one, this act is skipped. */
function about(act: CycleAct, seen: WitnessSeen): string[] {
  switch (act.act) {
    case 'nudge':
    case 'triage':
      return [ofAgent(act.agent)];
    case 'reopen':
    case 'fail':
      return [ofWork(act.bead), ofAgent(act.from)];
    // While a decision about an agent is asked for, no other act decides about it.
    case 'nuke':
    case 'end':
      return [ofAsked(act.agent), ...takes(act, seen)];
    // What is closed twice is closed, and an escalation is no work.
    case 'close':
      return [];
    default:
      return takes(act, seen);
  }
}

const ofAgent = (agent: string): string => `agent/${agent}`;
const ofAsked = (agent: string): string => `asked/${agent}`;
const ofWork = (bead: string): string => `bead/${bead}`;
const workOf = (agent: string, { rig }: WitnessSeen): string[] =>
  rig.work.filter(({ assignee }) => isSameAgent(assignee ?? '', agent)).map(({ id }) => ofWork(id));
/** Whose cleanup it is. */
const cleanedBy = ({ labels }: Extract<CycleAct, { act: 'wisp' }>, { polecats }: WitnessSeen): string[] =>
  agentsOf(polecats.filter(({ name }) => labels.includes(`polecat:${name}`)));

/** Its pane took no words a moment ago, of whichever kind: the next ones wait a window (W-4). */
function isRefused(act: CycleAct, { polecats, rig, refinery }: WitnessSeen, { nudgeAgainMs }: WitnessPolicy): boolean {
  if (act.act !== 'nudge') return false;
  const { refusedMs } =
    act.agent === refineryAddress(rig.name)
      ? refinery
      : (polecats.find(({ agent }) => agent === act.agent)?.hookMemory ?? { refusedMs: null });
  return refusedMs !== null && refusedMs < nudgeAgainMs;
}

const restsOf = (act: CycleAct): readonly CycleAct[] => ('rests' in act ? (act.rests ?? []) : []);

export function witnessCycle(seen: WitnessSeen, policies: Policies): CycleStep[] {
  // What was decided about an agent comes first: half done, it looks like an agent that finished (P-15).
  const taken = new Set<string>(seen.decided.flatMap((agent) => [ofAgent(agent), ofAsked(agent)]));
  const dropped = new Set<CycleAct>();
  const gate = { seen, policies, isDoneOf: (letter: LetterSeen, one: PolecatSeen) => saysDone(letter, one, seen) };
  const isLeft = (act: CycleAct): boolean => {
    const isDropped =
      isRefused(act, seen, policies.witness) ||
      waitsForRemote(act, seen, policies.witness) ||
      restsOf(act).some((one) => dropped.has(one)) ||
      about(act, seen).some((one) => taken.has(one));
    if (isDropped) dropped.add(act);
    return !isDropped;
  };
  return Object.entries(STEPS).map(([step, decide]) => {
    const acts = checkedFirst(decide(seen, policies), gate).filter((act) => {
      if (!isLeft(act)) return false;
      takes(act, seen).forEach((thing) => taken.add(thing));
      return true;
    });
    return { step, acts };
  });
}
