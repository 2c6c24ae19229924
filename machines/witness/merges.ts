/**
 * What a witness does about work that it handed to the refinery (P-2): the letters of the refinery, and what git itself
 * shows.
 * 1. Merged is what the remote's main branch contains. A letter is only a reason to look, and no letter is needed.
 * 2. A request for merged or closed work is taken out of the refinery's mailbox.
 */
import { IN_MAIN, takenBack } from '../patrols/dispatch.ts';
import type { WorkLeft } from '../patrols/observation.ts';
import type { PatrolPolicy } from '../patrols/policy.ts';
import { refineryAddress } from '../rigs/names.ts';
import { stand } from '../patrols/stands.ts';
import { archive, decide, ignore, orPerson, send, tell, type Acts, type Rule } from './acts.ts';
import { handedBy, mayJudgeMerges } from './authority.ts';
import type { ProtocolMessage } from './messages.ts';
import type { HandedSeen, LetterSeen, PolecatSeen, WitnessAct, WitnessSeen } from './observation.ts';

/** What git shows without a letter: a merge by hand, a pull request that was merged by its button, a forced push. */
export const handedActs = (seen: WitnessSeen, policy: PatrolPolicy): Acts =>
  seen.handed.flatMap((one) => {
    if (one.isClosed || one.isMerged === 'yes') return settled(one);
    if (one.isMerged === 'out') return outAgain(one, seen);
    return one.isMerged === 'dropped' ? dropped(one, seen, policy) : closedUnmerged(one, seen);
  });

/**
 * Its branch is gone, and a look at main after that does not find its work: the host closed the request, or merged it with changes of a
 * reviewer. The branch alone says nothing, and one that was closed and keeps its branch looks open.
 */
function closedUnmerged(one: HandedSeen, seen: WitnessSeen): Acts {
  const { bead, branch, commit, isMerged, pullRequest, requests } = one;
  if (bead === null || isMerged !== 'no' || pullRequest?.isBranchThere !== 'no' || requests.length > 0) return [];
  const at = pullRequest.url === null ? '' : ` (${pullRequest.url})`;
  const text = `the pull request${at} of ${handedText(one, seen)} is over: the remote has no ${branch ?? 'such branch'} any more, and main does not have the work as it was handed over, so it was closed, or merged with changes; the commit ${commit ?? '?'} is kept. If main has the work, close the bead. To hand it over again, type: ${pullRequest.again}`;
  return [stand('high', 'request-closed', text, bead)];
}

/** Its merge would bring back what a forced push took out of main: no refinery reads the request any more, and the next attempt begins anew. */
function dropped(one: HandedSeen, seen: WitnessSeen, policy: PatrolPolicy): Acts {
  const { bead, branch, requests } = one;
  const from = refineryAddress(seen.rig.name);
  const why = `a forced push took out of the main branch what ${branch ?? 'its branch'} began with`;
  const about = { bead: bead ?? '', from, attempts: attemptsOf(bead ?? '', seen), left: workLeft(one) };
  return [
    ...(bead === null ? [] : [takenBack(about, why, policy)]),
    ...withdrawn(requests, why),
    ...(bead === null ? [tell('high', `dropped/${branch ?? ''}`, `${why}: nothing of it is merged`)] : []),
  ];
}

/** Merged once more it would be in main against the will of who took it out; closed as merged it would be lost. */
function outAgain(one: HandedSeen, seen: WitnessSeen): Acts {
  const { bead, requests } = one;
  const text = `main had ${handedText(one, seen)} and took it out again, by a revert for instance: it is neither merged nor closed; if that was meant, close it; else give it out again, and its agent brings it back`;
  return [
    stand('high', 'merge-out', text, bead ?? ''),
    ...withdrawn(requests, 'main had its work and took it out again: a person decides'),
  ];
}

const handedText = ({ bead, branch, commit }: HandedSeen, { rig }: WitnessSeen): string => {
  const title = rig.work.find(({ id }) => id === bead)?.title;
  return `${bead ?? 'work'}${title === undefined ? '' : ` (${title})`} on ${branch ?? 'its branch'} at ${commit ?? '?'}`;
};

const workText = ({ commit, branch, polecat }: ProtocolMessage): string =>
  commit ?? branch ?? (polecat === null ? 'work' : `the work of ${polecat}`);

/** The remote may be away for a while; after that a person is alerted. */
const unproved = (
  { id, from, ageMs }: LetterSeen,
  message: ProtocolMessage,
  rig: string,
  policy: PatrolPolicy,
): Acts => {
  const text = `${from} says that ${workText(message)} is merged, and whether the remote's main branch has it cannot be told: see whether its remote answers, or put the letter away: town mail archive ${id} --for ${rig}/witness`;
  return ageMs < policy.undoneForMs ? [] : [stand('high', 'merge-unproved', text, id)];
};

/** What is left to do about work that is in the main branch, or whose bead was closed. */
function settled({ bead, branch, isClosed, broughtBack, requests }: HandedSeen): WitnessAct[] {
  const told = broughtBack === null ? [] : [tell('high', `brought-back/${branch ?? ''}`, broughtBack)];
  return [
    ...told,
    // Once it is closed git is not asked about it again: the alert comes first.
    ...(bead === null || isClosed ? [] : [{ act: 'close', bead, reason: 'merged', rests: told } as const]),
    ...withdrawn(requests, isClosed ? `${bead ?? ''} is closed` : IN_MAIN),
  ];
}

/** One alert of a rig, however much of its work a forced push took out. */
export const lostActs = ({ lost }: WitnessSeen): Acts =>
  lost === null || lost.length === 0 ? [] : [stand('high', 'main-lost', lost.map(({ text }) => text).join('. '))];

const withdrawn = (requests: readonly string[], why: string): WitnessAct[] =>
  requests.map((mail) => ({ act: 'withdraw', mail, why }));

const unjudged = (letter: LetterSeen, { rig }: WitnessSeen): WitnessAct[] =>
  ignore(
    letter,
    `${letter.from} is neither ${refineryAddress(rig.name)} nor the operator, who alone say what is merged`,
  );

export const afterMerge: Rule = (letter, message, seen, policy) => {
  if (!mayJudgeMerges(letter)) return unjudged(letter, seen);
  const handed = handedBy(message, seen.handed);
  if (isUnknown(handed, message, seen)) return [];
  if (handed === undefined) return ignore(letter, 'nothing that it names waits for its merge');
  if (handed.isClosed || handed.isMerged === 'yes') return [...settled(handed), archive(letter, IN_MAIN)];
  if (handed.isMerged === 'dropped')
    return [...dropped(handed, seen, policy), archive(letter, 'main does not have it, nor what it began with')];
  if (handed.isMerged === 'out') return [archive(letter, 'main had it and took it out again: a person decides')];
  if (handed.isMerged === 'unknown') return unproved(letter, message, seen.rig.name, policy);
  const { bead, polecat, branch, commit } = handed;
  return [
    send({
      to: 'mayor',
      subject: `RECOVERY_NEEDED ${seen.rig.name}/${polecat ?? '?'}`,
      of: letter.id,
      body: `Cleanup Status: not merged\nBranch: ${branch ?? '?'}\nCommit: ${commit ?? '?'}\n\n${letter.from} says that it is merged, and the remote's main branch does not have it. Please advise.\n`,
    }),
    ...orPerson(
      `not-merged/${bead ?? letter.from}`,
      `${letter.from} says that ${handedText(handed, seen)} is merged, and the remote's main branch does not have it: ${nextText(handed)}`,
      seen,
      'more',
    ),
    archive(letter, 'what it names is not in the main branch: the mayor was told'),
  ];
};

/** Else it would lie with the refinery for a day. */
const nextText = ({ bead }: HandedSeen): string =>
  bead === null
    ? 'merge its branch and push main'
    : `merge its branch and push main, or give it out again: town bead update ${bead} --assignee ""`;

const workLeft = ({ branch, commit }: HandedSeen): WorkLeft | null =>
  branch === null || commit === null ? null : { branch, commit };

/** What was handed over cannot be read: a letter about that work waits, and so does one that may be about it. */
const isUnknown = (handed: HandedSeen | undefined, { issue }: ProtocolMessage, seen: WitnessSeen): boolean =>
  handed === undefined
    ? issue === null && seen.handed.some(({ unread }) => unread !== undefined)
    : handed.unread !== undefined;

const attemptsOf = (bead: string, { rig }: WitnessSeen): number =>
  rig.work.find(({ id }) => id === bead)?.attempts ?? 0;

export const mergeFailed: Rule = (letter, message, seen, policy) => {
  if (!mayJudgeMerges(letter)) return unjudged(letter, seen);
  const handed = handedBy(message, seen.handed);
  if (isUnknown(handed, message, seen)) return [];
  const isMerged = handed?.isClosed === true || handed?.isMerged === 'yes';
  if (handed !== undefined && isMerged)
    return [...settled(handed), archive(letter, 'the main branch has its work all the same')];
  const why = message.error ?? 'the refinery says no more';
  const polecat = authorOf(handed, message, seen);
  if (polecat?.session === 'unknown') return [];
  if (polecat?.session === 'alive')
    return [
      send({
        to: polecat.agent,
        subject: `Rework: your branch ${polecat.branch} could not be merged`,
        of: letter.id,
        body: `${why}\n\nMend it, push again and say POLECAT_DONE.\n`,
      }),
      archive(letter, 'its polecat was told to work it over'),
    ];
  const from = refineryAddress(seen.rig.name);
  const bead = handed?.bead ?? null;
  return handed === undefined || bead === null
    ? [
        decide('help_request', from, `a merge failed, and it is unknown of which work: ${why}`),
        archive(letter, 'it is unknown which work it was: a case decides'),
      ]
    : [
        takenBack(
          { bead, from, attempts: attemptsOf(bead, seen), left: workLeft(handed) },
          `its merge failed: ${why}`,
          policy,
        ),
        ...withdrawn(handed.requests, 'its merge failed'),
        archive(letter, 'its polecat is gone: its work is taken back'),
      ];
};

/** What the town handed over is of a polecat that is gone: one that has its name by now did not do it. */
function authorOf(
  handed: HandedSeen | undefined,
  message: ProtocolMessage,
  { polecats }: WitnessSeen,
): PolecatSeen | undefined {
  if (handed?.isOfGone === true) return undefined;
  const name = handed?.polecat ?? message.polecat;
  return polecats.find((one) => one.name === name);
}
