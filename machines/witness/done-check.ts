/**
 * Work is done only once the rig's `done_check` passes on its commit. One gate over all acts of a cycle, whichever rule wanted them:
 * 1. No polecat ends as one that is done, the refinery hears of no work, and no bead is closed for what its polecat pushed to main by
 *    itself, before the check of that very commit passed.
 * 2. A living polecat gets the output of a check that failed; a dead one's work is taken back as a failed attempt.
 * 3. A check whose result is unknown alerts a person and runs again later. It counts neither as done nor as failed.
 */
import { takenBack } from '../patrols/dispatch.ts';
import type { PatrolPolicy } from '../patrols/policy.ts';
import { stand } from '../patrols/stands.ts';
import { archive, decide, send, tell, type Acts } from './acts.ts';
import type { CycleAct } from './cycle-step.ts';
import { unspokenText } from './hook.ts';
import { isChecked, type CheckSeen } from './check-seen.ts';
import type { LetterSeen, PolecatSeen, WitnessAct, WitnessSeen } from './observation.ts';
import type { WitnessPolicy } from './policy.ts';

interface Gate {
  readonly seen: WitnessSeen;
  readonly policies: { readonly witness: WitnessPolicy; readonly patrol: PatrolPolicy };
  /** Its letter that it is done. */
  readonly isDoneOf: (letter: LetterSeen, polecat: PolecatSeen) => boolean;
}

type Ends = Extract<WitnessAct, { act: 'end' | 'nuke' | 'close' }>;
type Open = Exclude<CheckSeen, { is: 'passed' }>;
interface Held {
  readonly act: Ends;
  readonly polecat: PolecatSeen;
  readonly check: Open;
}

/** The acts that may be done now: what rests on a check that has not passed is replaced by what the check asks for. */
export function checkedFirst(acts: readonly CycleAct[], gate: Gate): readonly CycleAct[] {
  const held = new Map(acts.flatMap((act) => heldIn(act, gate.seen)).map((one) => [one.act as CycleAct, one]));
  if (held.size === 0) return acts;
  return acts.flatMap((act) => {
    const one = held.get(act);
    if (one !== undefined) return settle(one, gate);
    return 'rests' in act && act.rests.some((other) => held.has(other)) ? [] : [act];
  });
}

function heldIn(act: CycleAct, { polecats }: WitnessSeen): Held[] {
  const isEnd = (act.act === 'end' && act.isVoluntary) || (act.act === 'nuke' && act.ready !== null);
  if (!isEnd && act.act !== 'close') return [];
  const polecat = polecats.find(({ agent, hook }) => (act.act === 'close' ? hook === act.bead : agent === act.agent));
  const check = polecat?.check ?? null;
  if (polecat === undefined || check === null || check.is === 'passed') return [];
  return act.act === 'close' && polecat.left.is !== 'merged' ? [] : [{ act, polecat, check }];
}

function settle({ act, polecat, check }: Held, gate: Gate): Acts {
  switch (check.is) {
    case 'running':
      return [];
    case 'due':
      return checkAct(polecat);
    case 'unknown':
      return [
        stand('high', 'check-unknown', unknownText(polecat, check.text), polecat.name),
        ...(check.agoMs >= gate.policies.witness.checkAgainMs ? checkAct(polecat) : []),
      ];
    case 'failed':
      if (polecat.session === 'unknown') return [];
      return [
        ...redMain(polecat, check),
        ...(polecat.session === 'alive' ? goesOn(polecat, check, gate) : fails(act, polecat, check, gate)),
      ];
  }
}

const checkAct = ({ name, agent, left }: PolecatSeen): Acts =>
  isChecked(left) ? [{ act: 'check', polecat: name, agent, commit: left.commit }] : [];

const unknownText = ({ agent }: PolecatSeen, why: string): string =>
  `${agent} says that it is done, and its done_check gives no result: ${why}; it runs again by itself, or now: town polecat check ${wordsIn(agent)}`;
/** As its owner types it. */
const wordsIn = (agent: string): string => agent.replace('/polecats/', '/');

/** What said that it is done is answered; it has to be said again. */
const answered = (polecat: PolecatSeen, rests: Acts, { seen, isDoneOf }: Gate): WitnessAct[] =>
  seen.letters
    .filter((letter) => isDoneOf(letter, polecat))
    .map((letter) => ({ ...archive(letter, 'its done_check fails'), rests }));

type Failed = Extract<CheckSeen, { is: 'failed' }>;

/** Main has it, and nothing takes it back by itself. */
function redMain({ agent, left }: PolecatSeen, { commit, text }: Failed): Acts {
  if (left.is !== 'merged') return [];
  const [line = ''] = text.split('\n', 1);
  const what = `The commit ${short(commit)} of ${agent} stands in the main branch, and its done_check fails: ${line}`;
  return [tell('high', `red-main/${commit}`, `${what}; mend it, or take it back: git revert ${short(commit)}`)];
}

/** It gets the output once; says it again at the same commit that it is done, a case decides. */
function goesOn(polecat: PolecatSeen, { commit, text, toldMs }: Failed, gate: Gate): Acts {
  const { agent } = polecat;
  const [line = ''] = text.split('\n', 1);
  if (toldMs !== null) {
    const says = polecat.hookMemory.unspoken === null ? 'says again' : 'says';
    const context = `it ${says} that it is done, and its done_check fails at the commit ${short(commit)}${unspokenText(polecat)}: ${line}`;
    const acts = [decide('stuck_agent', agent, context)];
    return [...acts, ...answered(polecat, acts, gate)];
  }
  const subject = `Not done: the check of ${short(commit)} fails`;
  const acts = [
    send({ to: agent, subject, of: commit, body: `${text}\n\n${MEND}\n` }),
    { act: 'nudge', kind: 'red', agent, text: `Not done yet: ${line} ${MEND} \`town mail inbox\` has the output.` },
  ] as const;
  return [...acts, ...answered(polecat, acts, gate)];
}
const MEND = 'Mend it, commit and push, then say POLECAT_DONE again.';

/** Its session has ended: its work goes to the next attempt. Without a bead there is none, and its branch stays. */
function fails(act: Ends, polecat: PolecatSeen, { text }: Failed, gate: Gate): Acts {
  const { agent, hook: bead, isHookClosed, left } = polecat;
  const { seen, policies } = gate;
  const work = left.is === 'work' ? { branch: left.branch, commit: left.commit } : null;
  if (bead !== null && !isHookClosed) {
    const attempts = seen.rig.work.find(({ id }) => id === bead)?.attempts ?? 0;
    const back = takenBack({ bead, from: agent, attempts, left: work }, text, policies.patrol);
    return [back, ...answered(polecat, [back], gate)];
  }
  const had = seen.rig.workers.find((one) => one.agent === agent)?.startedFor ?? null;
  const told =
    had === null ? [tell('high', `unmerged/${agent}`, `${agent} ended, and nothing of it is merged: ${text}`)] : [];
  return [...told, ...(act.act === 'nuke' ? [{ ...act, ready: null, why: 'its done_check fails' }] : [])];
}

const SHORT = 10;
const short = (commit: string): string => commit.slice(0, SHORT);

/** The polecats whose check has no result yet, or may have none. */
export const mayBeUnchecked = ({ check, left }: PolecatSeen): boolean =>
  check === null ? left.is === 'unknown' : check.is !== 'passed' && check.is !== 'failed';
