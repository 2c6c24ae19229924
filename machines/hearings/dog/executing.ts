/** The state of a dog that ends its accused: listed, looked at once more, rescued, signalled, cleared. Whoever answers is spared. */
import { isForced } from '../dance.ts';
import { isOurOutcome, sawNothing } from './guards.ts';
import {
  again,
  blind,
  doing,
  escalateDoubt,
  whenItEnded,
  pardon,
  hasReacted,
  refuseTree,
  retried,
  whenItSpoke,
} from './verdicts.ts';
import { lookAnew, spareWhoAnswers, sparing, whileSignalled } from './aborting.ts';
import { s } from './actions.ts';
import type { Args } from './orders.ts';

export const executing = s.createStateConfig({
  initial: 'listing',
  states: {
    listing: {
      entry: doing('listTree'),
      on: {
        ALIVE_ANSWERED: whenItSpoke,
        TREE_LISTED: { guard: 'mine', target: 'looking', actions: 'intend' },
        TREE_REFUSED: refuseTree,
        ...retried('listing'),
      },
    },
    looking: {
      entry: doing('look'), // gets out only after the tree, our intent, is durable
      on: {
        ALIVE_ANSWERED: whenItSpoke,
        LOOKED: [
          ...pardon,
          ...whenItEnded,
          { guard: hasReacted, ...escalateDoubt },
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
          { guard: 'unsaved', target: 'rescuing', actions: 'foundSilence' },
          { guard: 'termed', target: 'killing', actions: 'foundSilence' },
          { guard: 'mine', target: 'terminating', actions: ['foundSilence', 'intendSignal'] },
        ],
        ...retried('looking'),
      },
    },
    rescuing: {
      entry: doing('rescue'),
      on: {
        ALIVE_ANSWERED: whenItSpoke,
        RESCUED: { guard: 'mine', target: 'looking', actions: 'keepRescue' },
        ORDER_FAILED: [
          { guard: 'lastRescueFailed', target: '#dog.escalated', actions: 'giveUpSaving' },
          { guard: 'mine', actions: ['rescueFailed', 'pause'] },
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
          { guard: 'roundsLeft', target: 'looking', actions: ['keepNewcomers', 'wasTermed'] }, // it may answer at TERM
          { guard: 'mine', target: 'clearing' },
        ],
        TREE_REFUSED: refuseTree,
        NOT_SIGNALLED: [{ guard: 'isUnsent', actions: ['takeBack', 'pause'] }, blind],
        ORDER_FAILED: blind,
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
          { guard: 'mine', target: 'clearing' },
        ],
        TREE_REFUSED: refuseTree,
        NOT_SIGNALLED: blind,
        ORDER_FAILED: blind,
        TICK: lookAnew,
      },
    },
    sparing,
    clearing: {
      entry: doing('clear'),
      on: {
        CLEARED: { guard: 'mine', target: '#dog.complete', actions: 'keepSurvivors' },
        ...retried('clearing'),
      },
    },
  },
});
