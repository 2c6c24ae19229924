/**
 * Checks what a polecat says of itself (P-3): a table over its process, its hook and its own word. Every cell is
 * written. survey.ts decides what follows from a verdict.
 * 1. Alive or gone comes from processes, and a death is seen twice; its activity comes from its own word. If the two
 *    contradict each other a case decides, and its work is not taken back meanwhile.
 * 2. Its own word that it is done is a wish to end. A closed bead or a label is not: a living agent is heard first.
 * 3. The unknown is left alone. So is an agent that just began, unless it says that it is done.
 */
import type { PolecatSeen } from './observation.ts';
import type { WitnessPolicy } from './policy.ts';

/**
 * `gone once`: the next look decides. `disputed`: it was seen gone, and after that something was heard of it.
 */
export const LIVES = ['unknown', 'starting', 'alive', 'gone once', 'gone', 'disputed'] as const;
export type Life = (typeof LIVES)[number];
export const LOADS = ['work', 'closed work', 'no work'] as const;
export type Load = (typeof LOADS)[number];
/**
 * What it says of itself; silence is work. `asks`: it waits for a person, who has an alert about that. `done`: it began to finish a while
 * ago and has not; a report ends and hands over no work.
 */
export const WORDS = ['working', 'idle', 'asks', 'stuck', 'done'] as const;
export type Word = (typeof WORDS)[number];

/**
 * `leave`: nothing now, or dispatch takes its work back.
 * `watch`: whether it moves.
 * `finish`: it asked for its end.
 * `outlived`: its work is over, and it goes on.
 * `clear`: no agent works there any more.
 * `idle`: it has nothing to do.
 * `stuck`: it says so, and a case decides.
 * `confirm`: a case decides whether it is dead.
 */
export type Finding = 'leave' | 'watch' | 'finish' | 'outlived' | 'clear' | 'idle' | 'stuck' | 'confirm';

type Row = readonly [working: Finding, idle: Finding, asks: Finding, stuck: Finding, done: Finding];

const TABLE: Readonly<Record<Life, Readonly<Record<Load, Row>>>> = {
  unknown: {
    work: ['leave', 'leave', 'leave', 'leave', 'leave'],
    'closed work': ['leave', 'leave', 'leave', 'leave', 'leave'],
    'no work': ['leave', 'leave', 'leave', 'leave', 'leave'],
  },
  starting: {
    work: ['leave', 'leave', 'leave', 'leave', 'finish'],
    'closed work': ['leave', 'leave', 'leave', 'leave', 'finish'],
    'no work': ['leave', 'leave', 'leave', 'leave', 'finish'],
  },
  alive: {
    work: ['watch', 'watch', 'leave', 'stuck', 'finish'],
    'closed work': ['outlived', 'finish', 'outlived', 'outlived', 'finish'],
    'no work': ['watch', 'idle', 'leave', 'stuck', 'finish'],
  },
  'gone once': {
    work: ['leave', 'leave', 'leave', 'leave', 'finish'],
    'closed work': ['leave', 'leave', 'leave', 'leave', 'finish'],
    'no work': ['leave', 'leave', 'leave', 'leave', 'finish'],
  },
  gone: {
    work: ['leave', 'leave', 'leave', 'leave', 'finish'],
    'closed work': ['clear', 'clear', 'clear', 'clear', 'finish'],
    'no work': ['clear', 'clear', 'clear', 'clear', 'finish'],
  },
  disputed: {
    work: ['confirm', 'confirm', 'confirm', 'confirm', 'confirm'],
    'closed work': ['clear', 'clear', 'clear', 'clear', 'finish'],
    'no work': ['clear', 'clear', 'clear', 'clear', 'finish'],
  },
};

type Policy = Pick<WitnessPolicy, 'startGraceMs' | 'doneIntentMs'>;

export function lifeOf({ session, isConfirmed, isDisputed, ageMs }: PolecatSeen, { startGraceMs }: Policy): Life {
  if (session === 'unknown') return 'unknown';
  if (ageMs !== null && ageMs < startGraceMs) return 'starting';
  if (session === 'alive') return 'alive';
  if (isDisputed) return 'disputed';
  return isConfirmed ? 'gone' : 'gone once';
}

const loadOf = ({ hook, isHookClosed }: PolecatSeen): Load =>
  isHookClosed ? 'closed work' : hook === null ? 'no work' : 'work';

/** That it began to finish, and so long ago that nothing comes of it by itself. */
const isLeftUndone = ({ doneIntentMs: ms }: PolecatSeen, { doneIntentMs }: Policy): boolean =>
  ms !== null && ms > doneIntentMs;

export const wordOf = (polecat: PolecatSeen, policy: Policy): Word =>
  isLeftUndone(polecat, policy) ? 'done' : (polecat.report ?? 'working');

/** It asks itself for its end, and needs no hearing. One that has open work says so by a letter, or by beginning to finish. */
export function wishesEnd(polecat: PolecatSeen, policy: Policy): boolean {
  const { report, isOwnIntent } = polecat;
  const isIdle = report === 'idle' && loadOf(polecat) !== 'work';
  return isIdle || (isOwnIntent && isLeftUndone(polecat, policy));
}

export const findingOf = (polecat: PolecatSeen, policy: Policy): Finding =>
  TABLE[lifeOf(polecat, policy)][loadOf(polecat)][WORDS.indexOf(wordOf(polecat, policy))] ?? 'leave';

/** Another part decides about its work, or soon will: dispatch leaves the work where it is. */
const HOLDS: ReadonlySet<Finding> = new Set(['finish', 'confirm']);
export const holdsWork = (polecat: PolecatSeen, policy: Policy): boolean =>
  polecat.doneIntentMs !== null || HOLDS.has(findingOf(polecat, policy));
