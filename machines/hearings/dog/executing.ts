/**
 * The executing state of a dog: it lists the tree, looks once more, rescues, signals and clears. A target that
 * answers is spared.
 */
import { isForced } from '../dance.ts';
import { isOurOutcome, sawNothing } from './guards.ts';
import {
  again,
  retryLater,
  doing,
  escalateInconclusive,
  whenItEnded,
  whenItCannotRun,
  whenItIsNotAtRest,
  whenItShowsLife,
  isInconclusive,
  refuseTree,
  retryOf,
  whenItSpoke,
} from './verdicts.ts';
import { lookAnew, spareWhoAnswers, sparing, whileSignalled } from './sparing.ts';
import { s } from './actions.ts';
import type { Args } from './orders.ts';

export const executing = s.createStateConfig({
  initial: 'listing',
  states: {
    listing: {
      entry: doing('listTree'),
      on: {
        ALIVE_ANSWERED: whenItSpoke,
        TREE_LISTED: { guard: 'isOurOutcome', target: 'looking', actions: 'intend' },
        TREE_REFUSED: refuseTree,
        ...retryOf('listing'),
      },
    },
    looking: {
      entry: doing('look'), // nothing is signalled before the tree, our intent, is durable
      on: {
        ALIVE_ANSWERED: whenItSpoke,
        LOOKED: [
          ...whenItIsNotAtRest,
          ...whenItShowsLife,
          ...whenItEnded,
          { guard: isInconclusive, ...escalateInconclusive },
          ...whenItCannotRun,
          { guard: sawNothing, actions: 'pause' },
          {
            guard: (a: Args) => isOurOutcome(a) && a.context.dance.tree === null && isForced(a.context.dance),
            target: 'listing',
          },
          // It was only here because its agent seemed gone: it lives, so its hearing goes on where it was.
          {
            guard: (a: Args) => isOurOutcome(a) && a.context.dance.tree === null,
            target: '#dog.interrogating.looking',
          },
          { guard: 'isUnrescued', target: 'rescuing', actions: 'stampLook' },
          { guard: 'termSent', target: 'killing', actions: 'stampLook' },
          { guard: 'isOurOutcome', target: 'terminating', actions: ['stampLook', 'intendSignal'] },
        ],
        ...retryOf('looking'),
      },
    },
    rescuing: {
      entry: doing('rescue'),
      on: {
        ALIVE_ANSWERED: whenItSpoke,
        RESCUED: { guard: 'isOurOutcome', target: 'looking', actions: 'keepRescue' },
        ORDER_FAILED: [
          { guard: 'lastRescueFailed', target: '#dog.escalated', actions: 'giveUpSaving' },
          { guard: 'isOurOutcome', actions: ['rescueFailed', 'pause'] },
        ],
        TICK: { ...again, target: 'rescuing' },
      },
    },
    terminating: {
      entry: doing('terminate'),
      on: {
        ALIVE_ANSWERED: whileSignalled,
        SIGNALLED: [
          spareWhoAnswers,
          { guard: 'forcedRounds', target: 'killing', actions: 'keepNewcomers' },
          { guard: 'roundsLeft', target: 'looking', actions: ['keepNewcomers', 'noteTermSent'] }, // it may answer at TERM
          { guard: 'isOurOutcome', target: 'clearing' },
        ],
        TREE_REFUSED: refuseTree,
        NOT_SIGNALLED: [{ guard: 'isFirstSignalPending', actions: ['takeBack', 'pause'] }, retryLater],
        ORDER_FAILED: retryLater,
        TICK: lookAnew,
      },
    },
    killing: {
      entry: doing('kill'),
      on: {
        ALIVE_ANSWERED: whileSignalled,
        SIGNALLED: [
          spareWhoAnswers,
          { guard: 'roundsLeft', target: 'killing', reenter: true, actions: 'keepNewcomers' },
          { guard: 'isOurOutcome', target: 'clearing' },
        ],
        TREE_REFUSED: refuseTree,
        NOT_SIGNALLED: retryLater,
        ORDER_FAILED: retryLater,
        TICK: lookAnew,
      },
    },
    sparing,
    clearing: {
      entry: doing('clear'),
      on: {
        CLEARED: { guard: 'isOurOutcome', target: '#dog.complete', actions: 'keepSurvivors' },
        ...retryOf('clearing'),
      },
    },
  },
});
