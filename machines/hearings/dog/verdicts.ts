/**
 * What a look decides, in every stage (D-4, D-6, D-8, D-9). The first row that fits wins. A forced execution is not
 * swayed by answers or dialogs, and one that an operator forced not by people; it still ends where the target is gone. Right after TERM only an answer sways the
 * others: new lines, CPU, a dialog are the effect of our own signal. What the town sees after it was blind, or in another of
 * its lives, is no such effect.
 */
import { BLOCKED, ERROR, isForced, isOperators, isLoginRestart, LIMITED, INCONCLUSIVE } from '../dance.ts';
import { undeliveredBy } from './findings.ts';
import type { Args, DogContext, Verb } from './orders.ts';
import { cannotRun, isOurOutcome, saw, sawNothing } from './guards.ts';
import type { Observation, Verdict } from '../../protocol.ts';

/** Gives one order and remembers to wait for it. */
export const doing = (verb: Verb) => ({ type: 'order', params: verb }) as const;
export const judge = (verdict: Verdict, reason: string) => ({ type: 'judge', params: { verdict, reason } }) as const;

/** Every leaf that waits for an order retries it the same way: a failed order or a blind look pauses, TICK asks again. */
export const retryLater = { guard: 'isOurOutcome', actions: 'pause' } as const;
/** Not the town's to end: trying again would change nothing, so a person decides. */
export const refuseTree = { guard: 'isOurOutcome', target: '#dog.escalated', actions: 'leaveTree' } as const;
export const again = { guard: 'due', reenter: true } as const;
export const retryOf = (target: string) => ({ ORDER_FAILED: retryLater, TICK: { ...again, target } }) as const;

const isPardonable = (c: DogContext) => !isForced(c.dance) && !c.termSent;
const pardonsLife = (c: DogContext) => isPardonable(c) && c.policy.pardonOn === 'evidence';
/** The agent did something, but not enough for a pardon, or only an answer counts here. */
export const isInconclusive = (a: Args) =>
  saw('inconclusive', isPardonable)(a) || saw('evidence', (c) => isPardonable(c) && !pardonsLife(c))(a);
/** An agent that did something inconclusive is not executed: a person decides. */
export const escalateInconclusive = { target: '#dog.escalated', actions: judge('escalated', INCONCLUSIVE) } as const;
const showsLife = (a: Args) =>
  saw('answered', (c) => !isForced(c.dance))(a) ||
  saw('evidence', pardonsLife)(a) ||
  (['dialog', 'limited', 'error'] as const).some((kind) => saw(kind, isPardonable)(a));
/** Signs that it lives, strongest first. */
export const whenItShowsLife = [
  {
    guard: saw('evidence', (c) => pardonsLife(c) && c.dance.escalate),
    target: '#dog.escalated',
    actions: judge('escalated', 'signs of life but no answer, for the third time'),
  },
  // Signals may have been sent: what had ended by then decides between a pardon and a person.
  {
    guard: (a: Args) => a.context.dance.killing && showsLife(a),
    target: '#dog.executing.sparing',
    actions: 'noteLateLife',
  },
  { guard: saw('answered', isPardonable), target: '#dog.pardoned', actions: judge('pardoned', 'answered') },
  {
    guard: saw('evidence', pardonsLife),
    target: '#dog.pardoned',
    actions: [judge('pardoned', 'signs of life'), 'byEvidence'],
  },
  { guard: saw('dialog', isPardonable), target: '#dog.pardoned', actions: judge('pardoned', BLOCKED) },
  { guard: saw('limited', isPardonable), target: '#dog.pardoned', actions: judge('pardoned', LIMITED) },
  { guard: saw('error', isPardonable), target: '#dog.pardoned', actions: judge('pardoned', ERROR) },
  // Also in mid-kill: a person at the keys is no effect of our own signal. Only an operator's force ends an agent under their hands (law 6).
  { guard: saw('person', (c) => !isOperators(c.dance)), target: '#dog.interrogating.suspended', actions: 'suspend' },
] as const;
const isNotAtRest = (a: Args): boolean =>
  isLoginRestart(a.context.dance) &&
  a.event.type === 'LOOKED' &&
  isOurOutcome(a) &&
  !LETS_END.has(a.event.observation.kind);
/** A restart for a new login goes on only on a look that saw the agent at rest: all else, also what is unknown, spares it. */
export const whenItIsNotAtRest = [
  // Signals may have been sent: what had ended by then decides between a pardon and a person.
  {
    guard: (a: Args) => a.context.dance.killing && isNotAtRest(a),
    target: '#dog.executing.sparing',
    actions: 'noteLateLife',
  },
  { guard: isNotAtRest, target: '#dog.complete', actions: judge('void', 'it was not seen at rest') },
] as const;
/** What lets a restart for a new login go on, or find its agent ended. */
const LETS_END: ReadonlySet<Observation['kind']> = new Set(['resting', 'gone', 'replaced'] as const);
/** Gone for good, and the pane that we made for it is left. */
const isGoneButForItsPane = (a: Args): boolean =>
  saw('gone', (c) => c.goneBefore && c.dance.target.origin === 'started')(a) &&
  a.event.type === 'LOOKED' &&
  a.event.observation.kind === 'gone' &&
  a.event.observation.paneStays;
/**
 * The agent outlived its pane and cannot be asked. It ends only by force, or if it was just signalled (law 2).
 * The dog wants to see this twice: a process that ignores HUP and one that is about to end by it look alike at first.
 */
const paneless = [
  {
    guard: saw('paneless', (c) => isPardonable(c) && c.panelessBefore),
    target: '#dog.escalated',
    actions: judge('escalated', 'it cannot be asked'),
  },
  { guard: saw('paneless', isPardonable), target: '#dog.interrogating.confirming' },
] as const;
/** The agent is gone, or another has its name. Seen twice before it is believed. */
export const whenItEnded = [
  { guard: saw('gone', (c) => c.dance.killing), target: '#dog.executing.killing', actions: 'stampLook' },
  { guard: saw('replaced', (c) => c.dance.killing), target: '#dog.executing.killing', actions: 'stampLook' },
  { guard: saw('replaced'), target: '#dog.complete', actions: judge('void', 'another life has the name') },
  {
    guard: (a: Args) => isGoneButForItsPane(a) && !a.context.rescued,
    target: '#dog.executing.rescuing',
    actions: 'keepExit',
  }, // its pane is its last word (law 4)
  {
    guard: isGoneButForItsPane,
    target: '#dog.executing.clearing',
    actions: [
      'keepExit',
      judge('already_dead', 'the agent was gone when we looked'),
      { type: 'note', params: { tree: [] } },
    ],
  },
  {
    guard: saw('gone', (c) => c.goneBefore),
    target: '#dog.complete',
    actions: ['keepExit', judge('already_dead', 'the agent was gone when we looked')],
  },
  { guard: saw('gone'), target: '#dog.interrogating.confirming', actions: 'keepExit' },
  ...paneless,
] as const;
/** The agent is stopped or waits for a disk, so the look tells nothing. By force, or right after TERM, such a look is enough. */
const isUndeliverable = (a: Args): boolean => cannotRun(a) && sawNothing(a);
/**
 * An agent can neither answer nor be silent while it is stopped or waits for a disk. That may never end. So this time counts like time in
 * which no question can be typed (D-6).
 */
export const whenItCannotRun = [
  {
    guard: (a: Args) => isUndeliverable(a) && undeliveredBy(a) >= a.context.policy.undeliverableMs,
    target: '#dog.escalated',
    actions: judge('escalated', 'it cannot be heard'),
  },
  { guard: isUndeliverable, actions: 'countUndelivered' },
] as const;
/** `town alive` reached us by itself. */
export const whenItSpoke = [
  { guard: 'answeredByCommandLate', target: '#dog.executing.sparing', actions: 'noteLateLife' },
  { guard: 'answeredByCommand', target: '#dog.pardoned', actions: judge('pardoned', 'answered: town alive') },
] as const;
