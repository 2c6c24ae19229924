/**
 * What a witness does about its mail (W-1, P-2): a row per message, over what was seen of the polecat that it is about.
 * 1. A message is archived with what it led to, and only then; what cannot be judged or done now stays for the next cycle.
 * 2. A message of an earlier life is void: its polecat's name belongs to another by now.
 */
import type { PatrolPolicy } from '../patrols/policy.ts';
import { LIFECYCLE_ACTIONS } from '../watchdog/lifecycle-requests.ts';
import { archive, ignore, type Acts, type Rule } from './acts.ts';
import { speaksOf } from './authority.ts';
import { endActs, isUnmergeable, notDone, unmergeable } from './handover.ts';
import { isVerdict, setAside as strange, shelfActs } from './shelf.ts';
import type { WitnessPolicy } from './policy.ts';
import { help } from './help.ts';
import { afterMerge, mergeFailed } from './merges.ts';
import { swarmStart } from './swarms.ts';
import type { MessageType, ProtocolMessage } from './messages.ts';
import type { LetterSeen, PolecatSeen, Wish, WitnessAct, WitnessSeen } from './observation.ts';

export const inboxActs = (seen: WitnessSeen, policies: { patrol: PatrolPolicy; witness: WitnessPolicy }): Acts =>
  shelfActs(seen, policies.witness, (letter) => letterActs(letter, seen, policies.patrol));

function letterActs(letter: LetterSeen, seen: WitnessSeen, policy: PatrolPolicy): Acts {
  const { message } = letter;
  if (isVerdict(letter)) return [archive(letter, 'the record of its hearing says so')];
  if (message === null) return strange(letter);
  if (letter.isStale) return [archive(letter, 'an earlier life of its sender wrote it')];
  const acts = RULES[message.type](letter, message, seen, policy);
  const rests = acts.filter(({ act }) => act !== 'archive');
  return acts.map((act) => (act.act === 'archive' && rests.length > 0 ? { ...act, rests } : act));
}

/** Its polecat says by it that its work is over. */
export const isDone = (message: ProtocolMessage | null): boolean =>
  message?.type === 'POLECAT_DONE' || (message?.type === 'LIFECYCLE' && message.action === 'shutdown');

/** Mail that is for others, or that only informs: it stays until a person put it away. */
const informs: Rule = () => [];

/** Its work is pushed and clean: it goes to the refinery, and the polecat goes. Anything else becomes a cleanup. */
const done: Rule = (letter, message, seen, policy) => {
  const speaks = speaksOf(letter, message, seen);
  if (speaks.polecat === null) return ignore(letter, speaks.why);
  const { polecat, bead, ignores } = speaks;
  if (polecat.goesOnMs !== null && polecat.goesOnMs < letter.ageMs)
    return [archive(letter, 'it goes on with its work since then')];
  const besides = ignores === null ? '' : `; it names ${ignores}, which is not on the hook of ${polecat.agent}`;
  switch (polecat.tree) {
    case 'wrong':
    case 'unknown':
      return [];
    case 'going':
    case 'clean':
      return doneClean(letter, polecat, bead, { seen, policy, besides });
    default: {
      const wish = wishIn(letter, polecat);
      return [
        ...(isWished(polecat.name, wish, seen) ? [] : [cleanupWisp(polecat.name, wish)]),
        archive(letter, `it was done, and not all of it is pushed: a cleanup is open${besides}`),
      ];
    }
  }
};

function doneClean(
  letter: LetterSeen,
  polecat: PolecatSeen,
  bead: string | null,
  { seen, policy, besides }: { readonly seen: WitnessSeen; readonly policy: PatrolPolicy; readonly besides: string },
): Acts {
  if (polecat.left.is === 'unknown' || polecat.session === 'unknown') return [];
  if (polecat.session === 'alive') {
    // It says so again after a notice: open a case.
    if (bead !== null && isUnmergeable(polecat))
      return [...notDone(polecat, bead, true), archive(letter, `${unmergeable(polecat)}${besides}`)];
    // The letter stays until it is gone: it says what its end is about.
    return [{ act: 'end', agent: polecat.agent, isVoluntary: true, why: 'it is done, as it says' }];
  }
  // The letter stays until a person brought its commits together.
  if (polecat.left.is === 'scattered') return [];
  const how = { push: false, why: 'it is done, and all that it did is pushed', bead, saysDone: true };
  return [...endActs(polecat, how, seen, policy), archive(letter, `it was done and clean${besides}`)];
}

const wishIn = ({ sender, life }: LetterSeen, { agent }: PolecatSeen): Wish =>
  sender.is === 'operator' ? { by: 'overseer', via: 'operator', life: null } : { by: agent, via: 'agent', life };

/** Its cleanup is open, and knows the wish as well as this letter does. */
const isWished = (name: string, { life }: Wish, { wisps }: WitnessSeen): boolean =>
  wisps.some(
    ({ kind, polecat, isVoluntary, wishLife }) =>
      kind === 'cleanup' && polecat === name && isVoluntary && (life === null || wishLife !== null),
  );

/** `wish`: who said that it is done, so that it needs no hearing before it ends; null = it did not. One that is open learns of it. */
export const cleanupWisp = (polecat: string, wish: Wish | null): WitnessAct => ({
  act: 'wisp',
  title: `cleanup:${polecat}`,
  labels: ['cleanup', `polecat:${polecat}`, 'state:pending'],
  wish,
});

/** What an agent asks about its own life is the Deacon's (C-10), but that a polecat is done. */
const LIFECYCLES: ReadonlySet<string | null> = new Set(LIFECYCLE_ACTIONS);
const lifecycle: Rule = (letter, message, seen, policy) => {
  const { action, polecat } = message;
  const isOfPolecat = polecat !== null || seen.polecats.some(({ name }) => name === letter.sender.polecat);
  if (action === 'shutdown' && isOfPolecat) return done(letter, message, seen, policy);
  if (!LIFECYCLES.has(action)) return strange(letter);
  return [
    { act: 'forward', mail: letter.id, to: 'deacon' },
    archive(letter, 'it asks about its own life: that is for the Deacon'),
  ];
};

const RULES: Readonly<Record<MessageType, Rule>> = {
  POLECAT_STARTED: (letter) => [archive(letter, 'it started')],
  POLECAT_DONE: done,
  LIFECYCLE: lifecycle,
  MERGED: afterMerge,
  MERGE_FAILED: mergeFailed,
  HELP: help,
  HANDOFF: (letter) => [archive(letter, 'it was read')],
  SWARM_START: swarmStart,
  MERGE_READY: informs,
  SWARM_COMPLETE: informs,
  WITNESS_PING: informs,
  RECOVERY_NEEDED: informs,
  IDLE_DIRTY: informs,
  ALERT: informs,
};
