/**
 * One cycle of a witness: its steps in the seed's order over one observation. The first act that disposes of a polecat, of its work
 * or of a bead has the word about it (mail before cleanups before the survey before dispatch): what a later one would do about the
 * same waits for the next cycle, which sees what became of it, and so does all that rests on it.
 */
import { breakerOf, dispatchActs } from '../patrols/dispatch.ts';
import type { PatrolPolicy } from '../patrols/policy.ts';
import type { Ms } from '../protocol.ts';
import { tell } from './acts.ts';
import { isNews, manyAsOne } from './alike.ts';
import type { CycleAct, CycleStep } from './cycle-step.ts';
import { CHECK, checkedFirst, mayBeUnchecked } from './done-check.ts';
import { LATE, STRANGE } from './shelf.ts';
import { speaksOf } from './authority.ts';
import { inboxActs, isDone } from './inbox.ts';
import { handedActs, UNTOLD } from './merges.ts';
import type { LetterSeen, PolecatSeen, ToldSeen, WispSeen, WitnessSeen } from './observation.ts';
import type { WitnessPolicy } from './policy.ts';
import { isRefineryWell, lateMerges, MERGE, refineryActs, worksOf } from './refinery.ts';
import { holdsWork } from './zombies.ts';
import { swarmActs } from './swarms.ts';
import { cleanupActs, IDLE, isIdleDirty, isOfLife, mayBeOdd, surveyActs, TREE, treeActs } from './survey.ts';

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
  'inbox-check': (seen, policies) => [...inboxActs(seen, policies), ...handedActs(seen, policies.patrol)],
  'process-cleanups': cleanupActs,
  'check-refinery': (seen, { witness }) => [
    ...refineryActs(seen.refinery, seen.rig.name, witness),
    ...lateMerges(seen.rig, witness),
    ...(seen.rig.trouble === null ? [] : [tell('high', REMOTE, seen.rig.trouble)]),
    ...cameBack(seen),
  ],
  'survey-workers': (seen, policies) => [
    ...treeActs(seen),
    ...surveyActs(seen, policies),
    ...dispatchActs(withoutHeld(seen, policies.witness), policies.patrol),
  ],
  'check-timer-gates': ({ overdue }) => overdue.map(({ id: gate, title }) => ({ act: 'escalate', gate, title })),
  'check-swarm-completion': swarmActs,
  'ping-deacon': deaconIsLate,
  'patrol-cleanup': whatIsOver,
};

/** What is on the hook of one whose end is being settled is neither taken back nor given out. */
function withoutHeld(seen: WitnessSeen, policy: WitnessPolicy): WitnessSeen['rig'] {
  const { rig, polecats } = seen;
  const held = new Set(agentsOf(polecats.filter((one) => holdsWork(one, policy) || saidDone(one, seen))));
  return held.size === 0 ? rig : { ...rig, work: rig.work.filter(({ assignee }) => !held.has(assignee ?? '')) };
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
    ? [tell('high', 'deacon', 'ALERT: Deacon appears unresponsive')]
    : [];
}

const isPast = (ms: Ms | null, limit: Ms): boolean => ms !== null && ms > limit;

/** Subject of the alert that the rig's remote is another one. */
export const REMOTE = 'remote';

/** Subject of the alert that main holds again what a forced push took out, once for each push. */
export const RETURNED = 'returned/';

/**
 * The first that no alert was about. While one of the kind is open no other is begun: git's log is a file that each agent can write.
 */
function cameBack({ returned, told }: WitnessSeen): CycleAct[] {
  if (told.some(({ about }) => about.startsWith(RETURNED))) return [];
  const first = returned?.find(({ wasTold }) => !wasTold);
  return first === undefined ? [] : [tell('high', `${RETURNED}${first.commit}`, first.text)];
}

/** Over once a person took note, too: its cause, a commit in main, may stay for ever, and an open one keeps back the next. */
const isNewsRead = ({ about, isAcked = false }: ToldSeen): boolean => isAcked && about.startsWith(RETURNED);

/** Whether an alert's cause is gone. A one-time alert about a letter or a piece of work is over when it is closed. */
const IS_OVER: ReadonlyMap<string, (seen: WitnessSeen, policies: Policies) => boolean> = new Map([
  ['deacon', ({ deaconLateMs }, { witness }) => !isPast(deaconLateMs, witness.deaconSilentMs)],
  ['cleanups', ({ wisps }, { witness }) => wisps.filter(isCleanup).length <= witness.maxCleanups],
  ['refinery', ({ refinery }, { witness }) => isRefineryWell(refinery, witness)],
  [REMOTE, ({ rig }) => rig.trouble === null],
  ['breaker', ({ rig }, { patrol }) => breakerOf(rig, patrol) === 'closed'],
  [STRANGE, ({ shelf }) => shelf.aside === 0],
  [LATE, ({ shelf }) => shelf.later === 0],
]);
const isCleanup = ({ kind }: WispSeen): boolean => kind === 'cleanup';

/** For alerts raised per item: the items for which they still hold; null = that is unknown. */
const STANDS_OF: ReadonlyMap<string, (seen: WitnessSeen, policies: Policies) => readonly string[] | null> = new Map<
  string,
  (seen: WitnessSeen, policies: Policies) => readonly string[] | null
>([
  [RETURNED, ({ returned }) => returned && returned.map(({ commit }) => commit)],
  [MERGE, ({ rig }) => worksOf(rig).map(({ id }) => id)],
  [IDLE, ({ polecats }, { witness }) => agentsOf(polecats.filter((one) => isIdleDirty(one, witness)))],
  [TREE, ({ polecats }) => agentsOf(polecats.filter(mayBeOdd))],
  [CHECK, ({ polecats }) => agentsOf(polecats.filter(mayBeUnchecked))],
  [UNTOLD, ({ letters }) => letters.map(({ id }) => id)],
  // Told by an earlier version; alerts of the sessions and of the patrol say it now.
  ['asks/', () => []],
  ['undone/', () => []],
]);
const agentsOf = (polecats: readonly PolecatSeen[]): string[] => polecats.map(({ agent }) => agent);

/** An alert ends by its cause (law 8): what is over climbs no further. */
function whatIsOver(seen: WitnessSeen, policies: Policies): CycleAct[] {
  const over = seen.told.filter((one) => {
    const { about } = one;
    if (isNewsRead(one)) return true;
    const kind = about.slice(0, about.indexOf('/') + 1);
    const standing = STANDS_OF.get(kind)?.(seen, policies);
    return standing?.includes(about.slice(kind.length)) === false || IS_OVER.get(about)?.(seen, policies) === true;
  });
  return over.map(({ id: bead, about }) => ({ act: 'close', bead, reason: `it is over: ${about}` }));
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
      return act.kind === 'empty' || act.kind === 'red' ? [ofAgent(act.agent)] : [];
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
    case 'hold':
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
  rig.work.filter(({ assignee }) => assignee === agent).map(({ id }) => ofWork(id));
/** Whose cleanup it is. */
const cleanedBy = ({ labels }: Extract<CycleAct, { act: 'wisp' }>, { polecats }: WitnessSeen): string[] =>
  agentsOf(polecats.filter(({ name }) => labels.includes(`polecat:${name}`)));

const restsOf = (act: CycleAct): readonly CycleAct[] => ('rests' in act ? (act.rests ?? []) : []);

export function witnessCycle(seen: WitnessSeen, policies: Policies): CycleStep[] {
  // What was decided about an agent comes first: half done, it looks like an agent that finished (P-15).
  const taken = new Set<string>(seen.decided.flatMap((agent) => [ofAgent(agent), ofAsked(agent)]));
  const told = new Map(seen.told.map((one) => [one.about, one]));
  const dropped = new Set<CycleAct>();
  const gate = { seen, policies, isDoneOf: (letter: LetterSeen, one: PolecatSeen) => saysDone(letter, one, seen) };
  const isLeft = (act: CycleAct): boolean => {
    // An open alert is not repeated, unless it is graver or more by now.
    if (act.act === 'tell' && !isNews(act, told.get(act.about))) return false;
    const isDropped = restsOf(act).some((one) => dropped.has(one)) || about(act, seen).some((one) => taken.has(one));
    if (isDropped) dropped.add(act);
    return !isDropped;
  };
  const steps = Object.entries(STEPS).map(([step, decide]) => {
    const acts = checkedFirst(decide(seen, policies), gate).filter((act) => {
      if (!isLeft(act)) return false;
      takes(act, seen).forEach((thing) => taken.add(thing));
      return true;
    });
    return { step, acts };
  });
  return manyAsOne(steps, { told: seen.told, kinds: [...STANDS_OF.keys()] });
}
