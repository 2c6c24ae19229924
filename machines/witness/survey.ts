/**
 * What a witness does about cleanups and its polecats (W-2, W-4, P-3): tables over one observation.
 * 1. A polecat is nuked only where everything in it is elsewhere, and the hands look again before they do. One that lives ends
 *    first: at its own wish, else by a hearing.
 * 2. Nothing is typed to an agent that works, or that waits for a person.
 */
import type { PatrolPolicy } from '../patrols/policy.ts';
import { stand } from '../patrols/stands.ts';
import { decide, send, type Acts } from './acts.ts';
import { hookActs, hungActs, isExempt, quietMs, unspokenText } from './hook.ts';
import { endActs, GATHER, isUnmergeable, notDone } from './handover.ts';
import { cleanupWisp } from './inbox.ts';
import type { PolecatSeen, WispSeen, WitnessAct, WitnessSeen } from './observation.ts';
import type { WitnessPolicy } from './policy.ts';
import { findingOf, wishesEnd, type Finding } from './zombies.ts';
import { span } from '../kernel/span.ts';

/** Open cleanups: done if possible, else an alert, and a case. */
export function cleanupActs(seen: WitnessSeen, policies: Policies): Acts {
  const { witness: policy } = policies;
  const open = seen.wisps.filter(({ kind }) => kind === 'cleanup');
  const many = stand('high', 'cleanups-wait', `${open.length} polecats of ${seen.rig.name} wait to be cleaned up`);
  return [
    ...(open.length > policy.maxCleanups ? [many] : []),
    ...open.flatMap((wisp) => cleanup(wisp, seen, policies)),
  ];
}

function cleanup(wisp: WispSeen, seen: WitnessSeen, policies: Policies): Acts {
  const { witness: policy } = policies;
  const { id: bead, polecat: name, state } = wisp;
  const polecat = seen.polecats.find((one) => one.name === name);
  if (polecat === undefined) return [{ act: 'close', bead, reason: 'its polecat is gone' }];
  if (!isOfLife(wisp, polecat)) return [{ act: 'close', bead, reason: 'another polecat has its name' }];
  if (isPassed(wisp, polecat)) return [{ act: 'close', bead, reason: 'it goes on with it, as was decided' }];
  if (state === 'merge-requested' && polecat.left.is !== 'merged') {
    const isLate = wisp.ageMs > policy.mergeWaitMs && !wisp.wasTold;
    return isLate ? hardCase(wisp, polecat, seen, 'it has waited for its merge for a day') : [];
  }
  if (polecat.left.is === 'scattered' && mayTidy(wisp, polecat, policy)) return tidy(wisp, polecat);
  switch (polecat.tree) {
    case 'wrong':
    case 'unknown':
      return [];
    case 'going':
    case 'clean':
      return nuke(polecat, false, { seen, wisp, policies });
    case 'unpushed':
      if (policy.push) return nuke(polecat, true, { seen, wisp, policies });
      break;
    case 'dirty':
      if (mayTidy(wisp, polecat, policy)) return tidy(wisp, polecat);
      break;
  }
  // The mayor reads of it once. A decision is asked for as long as there is dirt: triage keeps one open, and rests after each.
  if (wisp.wasTold) return [decide('dirty_polecat', polecat.agent, polecat.treeText)];
  return hardCase(wisp, polecat, seen, polecat.treeText);
}

/** The life that says it is done can still see to what it left: a person is asked only after that. */
const mayTidy = (wisp: WispSeen, { session, dirtyToldMs }: PolecatSeen, { deadlineMs }: WitnessPolicy): boolean =>
  session === 'alive' &&
  wisp.isVoluntary &&
  wisp.wishLife !== null &&
  !wisp.wasTold &&
  (dirtyToldMs ?? wisp.ageMs) < deadlineMs;

/** An agent that gets this text works on: the text answers its wish, and only a new POLECAT_DONE is another one. It gets it once. */
function tidy({ id: bead }: WispSeen, { agent, treeText, left, dirtyToldMs }: PolecatSeen): Acts {
  if (dirtyToldMs !== null) return [];
  const words = left.is === 'scattered' ? `${left.text}. ${GATHER}` : `${treeText}. ${TIDY}`;
  const nudge = { act: 'nudge', kind: 'dirty', agent, text: `Not done yet: ${words}` } as const;
  return [nudge, { act: 'close', bead, reason: 'its polecat got the list of what it left', rests: [nudge] }];
}
const TIDY = 'Commit and push what belongs to your work, remove the rest, then say POLECAT_DONE again.';

/** It got that list, and neither its work nor what it left has changed since: its wish stands again, and its cleanup decides. */
function undoneActs(polecat: PolecatSeen, { deadlineMs }: WitnessPolicy): Acts {
  const { dirtyToldMs, stillMs, tree, left, hook } = polecat;
  const quiet = hook === null ? dirtyToldMs : Math.min(dirtyToldMs ?? 0, stillMs);
  const isLeft = tree === 'dirty' || left.is === 'scattered';
  return dirtyToldMs !== null && (quiet ?? 0) >= deadlineMs && isLeft ? [ownCleanup(polecat)] : [];
}

/** It said itself that it is done. */
const ownCleanup = ({ name, agent, life }: PolecatSeen): WitnessAct =>
  cleanupWisp(name, life === null ? null : { by: agent, via: 'agent', life });

/** What is open of an earlier one says nothing of this one (law 3). */
export const isOfLife = (wisp: Pick<WispSeen, 'ageMs'>, { ageMs }: Pick<PolecatSeen, 'ageMs'>): boolean =>
  ageMs === null || wisp.ageMs <= ageMs;

/** It was decided since then that its polecat goes on. */
const isPassed = ({ ageMs }: WispSeen, { goesOnMs }: PolecatSeen): boolean => goesOnMs !== null && goesOnMs <= ageMs;

function nuke(polecat: PolecatSeen, push: boolean, { seen, wisp, policies }: Ground): Acts {
  const isWish = wisp.isVoluntary || wishesEnd(polecat, policies.witness);
  if (polecat.session === 'unknown') return [];
  if (polecat.session === 'alive') return [ending(polecat, isWish, 'its work is over')];
  const why = push ? 'its own branch is pushed first' : 'all that it did is pushed';
  const acts = endActs(polecat, { push, why, bead: workOn(polecat), saysDone: isWish }, seen, policies.patrol);
  const gone = acts.filter(({ act }) => act === 'nuke');
  if (gone.length === 0) return acts;
  return [...acts, { act: 'close', bead: wisp.id, reason: push ? 'pushed, nuked' : 'clean, nuked', rests: gone }];
}
interface Policies {
  readonly witness: WitnessPolicy;
  readonly patrol: PatrolPolicy;
}
interface Ground {
  readonly seen: WitnessSeen;
  readonly wisp: WispSeen;
  readonly policies: Policies;
}

const workOn = ({ hook, isHookClosed }: PolecatSeen): string | null => (isHookClosed ? null : hook);

const ending = ({ agent }: PolecatSeen, isVoluntary: boolean, why: string): WitnessAct => ({
  act: 'end',
  agent,
  isVoluntary,
  why,
});

/** `of`: one letter for each. */
const recovery = (of: string, { name, branch, hook }: PolecatSeen, rig: string, why: string): WitnessAct =>
  send({
    to: 'mayor',
    subject: `RECOVERY_NEEDED ${rig}/${name}`,
    of,
    body: `Cleanup Status: ${why}\nBranch: ${branch}\nIssue: ${hook ?? 'none'}\n\nCannot auto-resolve. Please advise.\n`,
  });

const hardCase = (wisp: WispSeen, polecat: PolecatSeen, { rig }: WitnessSeen, why: string): WitnessAct[] => {
  const told = [decide('dirty_polecat', polecat.agent, why), recovery(wisp.id, polecat, rig.name, why)];
  return [...told, { act: 'label', wisp: wisp.id, add: 'told:recovery', rests: told }];
};

/** Each polecat once. One that a cleanup is open for is left to that. */
export const surveyActs = (seen: WitnessSeen, policies: Policies): Acts =>
  seen.polecats
    .filter(({ name }) => !seen.wisps.some(({ kind, polecat }) => kind === 'cleanup' && polecat === name))
    .flatMap((polecat) => survey(polecat, seen, policies));

type Rule = (polecat: PolecatSeen, seen: WitnessSeen, policies: Policies) => Acts;

const RULES: Readonly<Record<Finding, Rule>> = {
  leave: () => [],
  watch: (polecat, _, { witness: policy }) =>
    [undoneActs, hookActs, hungActs, spur].map((rule) => rule(polecat, policy)).find((acts) => acts.length > 0) ?? [],
  finish: (polecat, seen, policies) =>
    wishesEnd(polecat, policies.witness)
      ? finish(polecat, seen, policies)
      : remains(polecat, { seen, policies, wish: null, why: 'a label says that it is done, and it goes on' }),
  outlived,
  clear: (polecat, seen, policies) => remains(polecat, { seen, policies, wish: null }),
  idle: (polecat, seen, policies) =>
    polecat.tree === 'dirty'
      ? [
          send({
            to: 'mayor',
            subject: `IDLE_DIRTY: ${polecat.name} has uncommitted work`,
            body: idleDirty(polecat),
            of: polecat.uuid,
          }),
          ...(seen.hasMayor ? [] : [stand('high', 'idle-dirty', idleText(polecat), polecat.name)]),
        ]
      : remains(polecat, { seen, policies, wish: 'it has nothing to do, as it says' }),
  stuck: ({ agent }) => [decide('stuck_agent', agent, 'it says that it is stuck')],
  confirm: ({ agent, treeText }) => {
    const context = `its process is gone, and something was heard of it after that; its worktree: ${treeText}`;
    return [decide('zombie_confirm', agent, context)];
  },
};

const survey: Rule = (polecat, seen, policies) => RULES[findingOf(polecat, policies.witness)](polecat, seen, policies);

/** Its work was closed without its knowledge: it gets a notice first, and a hearing after a while. */
function outlived(polecat: PolecatSeen, seen: WitnessSeen, policies: Policies): Acts {
  const { session, agent, closedMs, closedToldMs } = polecat;
  const { deadlineMs, hungMs } = policies.witness;
  // A notice that can never be typed must not delay this for ever.
  const isTold = closedToldMs === null ? (closedMs ?? 0) >= hungMs : closedToldMs >= deadlineMs;
  if (session !== 'alive' || isTold) return remains(polecat, { seen, policies, wish: null });
  const text = polecat.former?.is === 'done' ? CLOSED_ITSELF_TEXT : CLOSED_TEXT;
  return closedToldMs === null ? [{ act: 'nudge', kind: 'closed', agent, text }] : [];
}
const CLOSED_TEXT =
  'The work on your hook was closed, and nothing of it will be merged. Push what is worth keeping, say POLECAT_DONE, and stop.';
const CLOSED_ITSELF_TEXT = 'You closed the work on your hook. Push what is to be merged, say POLECAT_DONE, and stop.';

/** Its own word that it is done counts where git shows what was done. */
function finish(polecat: PolecatSeen, seen: WitnessSeen, policies: Policies): Acts {
  const { session, tree, emptyToldMs } = polecat;
  const bead = workOn(polecat);
  const isLate = (emptyToldMs ?? 0) >= policies.witness.deadlineMs;
  const isSeen = session === 'alive' && tree === 'clean';
  if (isSeen && bead !== null && isUnmergeable(polecat)) return notDone(polecat, bead, isLate);
  return remains(polecat, { seen, policies, wish: 'it is done, as it says' });
}

/** Work that rests on such a worktree waits, and a person is alerted (P-3). One whose look took too long matters once no agent works there. */
const isOdd = ({ tree, treeText, session, isConfirmed }: PolecatSeen): boolean =>
  tree === 'wrong' || (tree === 'unknown' && treeText !== '' && session === 'dead' && isConfirmed);

export const treeActs = ({ polecats }: WitnessSeen): Acts =>
  polecats.filter(isOdd).map(({ name, agent, treeText }) => {
    const text = `the worktree of ${agent} cannot be judged, and is left as it is: ${treeText}`;
    return stand('medium', 'worktree-odd', text, name);
  });

/** Its state is not known to be well yet. */
export const mayBeOdd = (polecat: PolecatSeen): boolean => isOdd(polecat) || polecat.tree === 'unknown';

export const isIdleDirty = (polecat: PolecatSeen, policy: WitnessPolicy): boolean =>
  polecat.tree === 'dirty' && findingOf(polecat, policy) === 'idle';

/** `wish`: it asked for its end, and how. */
interface Remaining {
  readonly seen: WitnessSeen;
  readonly policies: Policies;
  readonly wish: string | null;
  readonly why?: string;
}

/** Its work is over: a clean worktree goes once no agent lives there; any other becomes a cleanup. */
function remains(polecat: PolecatSeen, { seen, policies, wish, why = CLOSED }: Remaining): Acts {
  const { name, tree, session, report } = polecat;
  if (tree === 'unknown' || tree === 'wrong') return [];
  if (tree !== 'clean' && tree !== 'going') return [wish === null ? cleanupWisp(name, null) : ownCleanup(polecat)];
  if (session === 'alive') return [ending(polecat, wish !== null, wish ?? why)];
  const saysDone = wish !== null && report !== 'idle';
  const how = { push: false, why: 'no agent works there, and all of it is pushed', bead: workOn(polecat), saysDone };
  return endActs(polecat, how, seen, policies.patrol);
}
const CLOSED = 'its work is closed, and it goes on';

const idleText = ({ agent, treeText }: PolecatSeen): string =>
  `${agent} has nothing to do and uncommitted work: ${treeText}`;
const idleDirty = ({ name, treeText }: PolecatSeen): string =>
  `Polecat: ${name}\nState: idle (no hook_bead)\nGit status: ${treeText}\n\nPlease advise: recover work or discard?\n`;

/** An agent with work but without progress: a nudge, then a nudge with a deadline, then a case. */
function spur(polecat: PolecatSeen, policy: WitnessPolicy): WitnessAct[] {
  const { agent, nudged, deadlineMs } = polecat;
  const quiet = quietMs(polecat);
  if (quiet < policy.nudgeAfterMs) return [];
  if (quiet < policy.deadlineAfterMs)
    return nudged === 'never' ? [{ act: 'nudge', kind: 'gentle', agent, text: "How's progress? Need help?" }] : [];
  const within = span(policy.deadlineMs);
  const text = `No progress is seen. Report within ${within}, or the witness opens a case about it.`;
  if (nudged !== 'with deadline') return [{ act: 'nudge', kind: 'deadline', agent, text }];
  return (deadlineMs ?? 0) >= policy.deadlineMs && !isExempt(polecat, policy)
    ? [decide('stuck_agent', agent, `no progress within ${within} of a deadline${unspokenText(polecat)}`)]
    : [];
}
