/**
 * How the work of a polecat ends (P-2), by what git shows of it and not by what a letter says: a table over what it left.
 * 1. Commits of its own that main lacks go to the refinery: the branch and the commit that were seen.
 * 2. Work that main has is done: the witness closes its bead and sends no merge request.
 * 3. Nothing of its own is nothing done: the witness asks a living polecat once, then opens a case; it reopens a dead one's bead.
 * 4. Work whose bead another word than its own closed, or gave to others, is not handed over: its commit is kept, and a person hears of it.
 * 5. Commits on several branches, or on none, are neither handed over nor taken back: the witness asks a living polecat to bring them
 *    together, and alerts a person of a dead one's.
 */
import { unspokenText } from './hook.ts';
import { IN_MAIN, takenBack } from '../patrols/dispatch.ts';
import type { WorkLeft } from '../patrols/observation.ts';
import type { PatrolPolicy } from '../patrols/policy.ts';
import { stand } from '../patrols/stands.ts';
import { refineryAddress } from '../rigs/names.ts';
import { decide, tell, type Acts } from './acts.ts';
import type { FormerWork } from './former-work.ts';
import type { PolecatSeen, WitnessAct, WitnessSeen } from './observation.ts';

export interface Ending {
  /** Its own branch is pushed first. */
  readonly push: boolean;
  readonly why: string;
  /** The bead on its own hook; null = none. */
  readonly bead: string | null;
  /** It says itself that its work is done. */
  readonly saysDone: boolean;
}

/** Of a polecat whose session has ended, and whose worktree can go. */
export function endActs(
  polecat: PolecatSeen,
  { push, why, bead, saysDone }: Ending,
  seen: WitnessSeen,
  policy: Pick<PatrolPolicy, 'redispatchAttempts'>,
): Acts {
  const { left, agent, former } = polecat;
  // What git cannot tell is neither handed over nor taken back.
  if ((left.is === 'unknown' || left.is === 'scattered') && (bead !== null || saysDone)) return [];
  // What becomes of its work comes first. The next cycle takes away a polecat that holds none.
  if (bead !== null && left.is === 'merged') return [{ act: 'close', bead, reason: IN_MAIN }];
  if (bead !== null && isEmpty(polecat)) {
    const attempts = seen.rig.work.find(({ id }) => id === bead)?.attempts ?? 0;
    const words = saysDone ? `${agent} said that it is done, and committed nothing` : `${agent} committed nothing`;
    return [takenBack({ bead, from: agent, attempts, left: null }, words, policy)];
  }
  const isDone = left.is === 'work' && (bead !== null || saysDone);
  if (!isDone || bead !== null || former === null) return [nukeAct(polecat, { push, why, bead }, isDone, seen)];
  if (former.is !== 'other') return [nukeAct(polecat, { push, why, bead: former.bead }, true, seen)];
  const kept = { ...nukeAct(polecat, { push, why, bead }, false, seen), keepsFor: former.bead };
  return [tell('medium', `unwanted/${polecat.uuid}`, unwantedText(polecat, left, former)), kept];
}

/** Opened again, its next agent goes on with that commit. */
function unwantedText({ agent, isHookClosed }: PolecatSeen, work: WorkLeft, { bead, text, again }: FormerWork): string {
  const { branch, commit } = work;
  const next = isHookClosed ? `To take it up again, type: town bead reopen ${bead}` : `Look at it: git show ${commit}`;
  return `${agent} says that it is done, and ${text}: nothing of its work is merged. The commit ${commit} of ${branch} is kept. ${next}; to have it merged as it is, type: ${again}`;
}

type NukeAct = Extract<WitnessAct, { act: 'nuke' }>;

/** Its worktree goes; where its work is handed over, the refinery learns of the branch and the commit that were seen. */
function nukeAct(
  { name, uuid, agent, branch: own, left, main }: PolecatSeen,
  { push, why, bead }: Pick<Ending, 'push' | 'why' | 'bead'>,
  isHanded: boolean,
  { rig }: WitnessSeen,
): NukeAct {
  const { branch, commit } = left.is === 'work' ? left : { branch: own, commit: null };
  const lines = [
    `Branch: ${branch}`,
    ...(commit === null ? [] : [`Commit: ${commit}`]),
    ...(main === null ? [] : [`Main: ${main}`]),
    ...(bead === null ? [] : [`Issue: ${bead}`]),
    `Polecat: ${name}`,
    'Verified: clean git state',
  ];
  const letter = { to: refineryAddress(rig.name), subject: `MERGE_READY ${name}`, body: `${lines.join('\n')}\n` };
  const ready = isHanded ? { ...letter, of: uuid } : null;
  return { act: 'nuke', polecat: name, uuid, push, why, bead, branch, commit, main, agent, ready };
}

/** One that lives, and says that it is done, though it left nothing that can be merged: the witness tells it once, then opens a case. */
export function notDone(polecat: PolecatSeen, bead: string, isLate: boolean): WitnessAct[] {
  const { agent, emptyToldMs, hookMemory, left } = polecat;
  const text = left.is === 'scattered' ? `Not done yet: ${left.text}. ${GATHER}` : emptyText(bead);
  if (emptyToldMs === null) return [{ act: 'nudge', kind: 'empty', agent, text }];
  const told = hookMemory.unspoken === null ? '; it was told so' : unspokenText(polecat);
  const context = `it says that ${bead} is done, and ${unmergeable(polecat)}${told}`;
  return isLate ? [decide('stuck_agent', agent, context)] : [];
}

const emptyText = (bead: string): string =>
  `You said that ${bead} is done, and git shows no commit of yours. Commit and push your work, then say POLECAT_DONE again. ` +
  `Where it needs no commit, close it: town bead close ${bead} --reason "<why>".`;

/** What an agent does after it brought its commits together. */
export const GATHER = 'Then push, and say POLECAT_DONE again.';

/** Git shows nothing that it did. */
const isEmpty = ({ left }: Pick<PolecatSeen, 'left'>): boolean => left.is === 'nothing';
/** Git shows nothing that a refinery could merge. */
export const isUnmergeable = (polecat: Pick<PolecatSeen, 'left'>): boolean =>
  isEmpty(polecat) || polecat.left.is === 'scattered';
/** Why, in words. */
export const unmergeable = ({ left }: Pick<PolecatSeen, 'left'>): string =>
  left.is === 'scattered' ? left.text : 'git shows no commit of its own';

/** Where a refinery merges, what came to main without it passed no test of it: a person hears of each such commit once. */
export const ownPushActs = ({ polecats, refinery }: WitnessSeen): Acts =>
  polecats.flatMap(({ agent, left }) => {
    if (!refinery.hasCommand || left.is !== 'merged' || !left.isOwnPush) return [];
    const commit = left.commit.slice(0, SHORT);
    const text = `The commit ${commit} of ${agent} stands in the main branch, and the refinery neither tested nor merged it; look at it: git show ${commit}`;
    return [tell('high', `own-push/${left.commit}`, text)];
  });
const SHORT = 10;

/** What no rule can merge of one that ended, a person brings together. */
export const scatteredActs = ({ polecats }: WitnessSeen): Acts =>
  polecats.flatMap(({ name, agent, session, left }) =>
    left.is === 'scattered' && session === 'dead'
      ? [stand('high', 'work-scattered', `${agent} has ended, and ${left.text}`, name)]
      : [],
  );
