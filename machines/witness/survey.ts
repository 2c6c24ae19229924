/**
 * What a witness does about cleanups, its polecats and its swarms (W-2, W-4, W-5, P-3): tables over one observation.
 * 1. A polecat is nuked only where everything in it is elsewhere, and the hands look again before they do. One that lives ends
 *    first: at its own wish, else by a hearing.
 * 2. Nothing is typed to an agent that works, or that waits for a person.
 */
import { askingActs, hookActs, hungActs } from './hook.ts';
import { cleanupWisp, nukeAct } from './inbox.ts';
import type { PolecatSeen, WispSeen, WitnessAct, WitnessSeen } from './observation.ts';
import type { WitnessPolicy } from './policy.ts';
import { verdictOf, wordOf, type Verdict } from './zombies.ts';

/** Open cleanups: done where they can be, else told once, and a case for somebody. */
export function cleanupActs(seen: WitnessSeen, policy: WitnessPolicy): WitnessAct[] {
  const open = seen.wisps.filter(({ kind }) => kind === 'cleanup');
  const many: WitnessAct[] =
    open.length > policy.maxCleanups
      ? [
          {
            act: 'tell',
            severity: 'high',
            about: 'cleanups',
            text: `${open.length} polecats of ${seen.rig.name} wait to be cleaned up`,
          },
        ]
      : [];
  return [...many, ...open.flatMap((wisp) => cleanup(wisp, seen, policy))];
}

function cleanup(wisp: WispSeen, seen: WitnessSeen, policy: WitnessPolicy): WitnessAct[] {
  const { id: bead, polecat: name, state } = wisp;
  const polecat = seen.polecats.find((one) => one.name === name);
  if (polecat === undefined || polecat.tree === 'missing')
    return [{ act: 'close', bead, reason: 'its polecat is gone' }];
  if (!isOfLife(wisp, polecat)) return [{ act: 'close', bead, reason: 'another polecat has its name' }];
  if (state === 'merge-requested') {
    const isLate = wisp.ageMs > policy.mergeWaitMs && !wisp.wasTold;
    return isLate ? hardCase(wisp, polecat, seen, 'it has waited for its merge for a day') : [];
  }
  switch (polecat.tree) {
    case 'unknown':
      return [];
    case 'going':
    case 'clean':
      return nuke(polecat, false, { seen, wisp, policy });
    case 'unpushed':
      if (policy.push) return nuke(polecat, true, { seen, wisp, policy });
      break;
    case 'dirty':
      break;
  }
  return wisp.wasTold ? [] : hardCase(wisp, polecat, seen, polecat.treeText);
}

/** What is open of an earlier one says nothing of this one (law 3). */
export const isOfLife = (wisp: Pick<WispSeen, 'ageMs'>, { ageMs }: Pick<PolecatSeen, 'ageMs'>): boolean =>
  ageMs === null || wisp.ageMs <= ageMs;

function nuke(polecat: PolecatSeen, push: boolean, { seen, wisp, policy }: Ground): WitnessAct[] {
  const word = wordOf(polecat, policy);
  if (polecat.session === 'alive')
    return [ending(polecat, wisp.isOwnWish || word === 'done' || word === 'idle', 'its work is over')];
  const why = push ? 'its own branch is pushed first' : 'all that it did is pushed';
  const gone = nukeAct(polecat, { push, why, issue: null }, seen);
  return [gone, { act: 'close', bead: wisp.id, reason: push ? 'pushed, nuked' : 'clean, nuked', rests: [gone] }];
}
interface Ground {
  readonly seen: WitnessSeen;
  readonly wisp: WispSeen;
  readonly policy: WitnessPolicy;
}

const ending = ({ agent }: PolecatSeen, isOwnWish: boolean, why: string): WitnessAct => ({
  ...{ act: 'end', agent, isOwnWish, why },
});

const hardCase = (
  wisp: WispSeen,
  { name, agent, branch, hook }: PolecatSeen,
  { rig }: WitnessSeen,
  why: string,
): WitnessAct[] => {
  const told: WitnessAct[] = [
    { act: 'triage', type: 'dirty_polecat', agent, context: why },
    {
      ...{ act: 'send', to: 'mayor', subject: `RECOVERY_NEEDED ${rig.name}/${name}`, of: wisp.id },
      body: `Cleanup Status: ${why}\nBranch: ${branch}\nIssue: ${hook ?? 'none'}\n\nCannot auto-resolve. Please advise.\n`,
    },
  ];
  return [...told, { act: 'label', wisp: wisp.id, add: 'told:recovery', rests: told }];
};

/** Each polecat once. One that a cleanup is open for is left to that. */
export const surveyActs = (seen: WitnessSeen, policy: WitnessPolicy): WitnessAct[] =>
  seen.polecats
    .filter(({ name }) => !seen.wisps.some(({ kind, polecat }) => kind === 'cleanup' && polecat === name))
    .flatMap((polecat) => survey(polecat, seen, policy));

type Rule = (polecat: PolecatSeen, seen: WitnessSeen, policy: WitnessPolicy) => WitnessAct[];

const RULES: Readonly<Record<Verdict, Rule>> = {
  leave: () => [],
  watch: (polecat, { told }, policy) => [
    ...askingActs(polecat, told, policy),
    ...([hookActs, hungActs, spur].map((rule) => rule(polecat, policy)).find((acts) => acts.length > 0) ?? []),
  ],
  finish: (polecat, seen) => remains(polecat, seen, true),
  outlived: (polecat, seen) => remains(polecat, seen, false),
  clear: (polecat, seen) => remains(polecat, seen, false),
  idle: (polecat, seen) =>
    polecat.tree === 'dirty'
      ? [
          {
            ...{ act: 'send', to: 'mayor', subject: `IDLE_DIRTY: ${polecat.name} has uncommitted work` },
            ...{ body: idleDirty(polecat), of: polecat.uuid },
          },
        ]
      : remains(polecat, seen, true),
  stuck: ({ agent }) => [{ act: 'triage', type: 'stuck_agent', agent, context: 'it says that it is stuck' }],
  confirm: ({ agent, treeText }) => [
    {
      ...{ act: 'triage', type: 'zombie_confirm', agent },
      context: `its process is gone, and something was heard of it after that; its worktree: ${treeText}`,
    },
  ],
};

const survey: Rule = (polecat, seen, policy) =>
  polecat.tree === 'missing' ? [] : RULES[verdictOf(polecat, policy)](polecat, seen, policy);

/** Its work is over: what is clean goes, once nobody lives there; anything else becomes a cleanup. */
function remains(polecat: PolecatSeen, seen: WitnessSeen, isOwnWish: boolean): WitnessAct[] {
  const { name, tree, session } = polecat;
  if (tree === 'unknown' || tree === 'missing') return [];
  if (tree !== 'clean' && tree !== 'going') return [cleanupWisp(name, isOwnWish)];
  if (session === 'alive')
    return [ending(polecat, isOwnWish, isOwnWish ? 'it is done, as it says' : 'its work is closed, and it goes on')];
  return [nukeAct(polecat, { push: false, why: 'nobody works there, and all of it is pushed', issue: null }, seen)];
}

const idleDirty = ({ name, treeText }: PolecatSeen): string =>
  `Polecat: ${name}\nState: idle (no hook_bead)\nGit status: ${treeText}\n\nPlease advise: recover work or discard?\n`;

/** One that has work and shows no progress: a word, then a word with a deadline, then somebody decides. */
function spur(
  { agent, idleMs, isBusy, isBlocked, nudged, deadlineMs }: PolecatSeen,
  policy: WitnessPolicy,
): WitnessAct[] {
  if (idleMs === null || idleMs < policy.nudgeAfterMs || isBusy || isBlocked) return [];
  if (idleMs < policy.deadlineAfterMs)
    return nudged === 'never' ? [{ act: 'nudge', kind: 'gentle', agent, text: "How's progress? Need help?" }] : [];
  const minutes = Math.round(policy.deadlineMs / 60_000);
  if (nudged !== 'with deadline')
    return [
      {
        act: 'nudge',
        kind: 'deadline',
        agent,
        text: `No progress is seen. Report within ${minutes} minutes, or somebody else will look into it.`,
      },
    ];
  return (deadlineMs ?? 0) >= policy.deadlineMs
    ? [{ act: 'triage', type: 'stuck_agent', agent, context: `no progress within ${minutes} minutes of a deadline` }]
    : [];
}

/** A swarm is over when all of its work is closed: said once for its wisp, which closes after that. */
export const swarmActs = ({ wisps }: WitnessSeen): WitnessAct[] =>
  wisps.flatMap(({ id: bead, swarm, ageMs }): WitnessAct[] => {
    if (swarm === null || swarm.total === 0 || swarm.closed < swarm.total) return [];
    const minutes = Math.round(ageMs / 60_000);
    const word: WitnessAct = {
      ...{ act: 'send', to: 'mayor', subject: `SWARM_COMPLETE: ${swarm.id}`, of: bead },
      body: `All ${swarm.total} beads are closed.\nDuration: ${minutes} minutes\nSwarm: ${swarm.id}\n`,
    };
    return [word, { act: 'close', bead, reason: 'all of its work is closed', rests: [word] }];
  });
