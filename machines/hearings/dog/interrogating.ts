/**
 * The interrogating state of a dog: it types a question, listens through its window, and waits while a person or dialog
 * is in the way.
 */
import { assign } from 'xstate';
import { wasAsked, BLOCKED, isForced, LIMITED, windowOver } from '../dance.ts';
import { cannotRun, isObstacle, isOurOutcome, saw, sawNothing } from './guards.ts';
import {
  again,
  doing,
  whenItEnded,
  judge,
  whenItCannotRun,
  whenItShowsLife,
  isInconclusive,
  whenItSpoke,
} from './verdicts.ts';
import { s } from './actions.ts';
import type { Args } from './orders.ts';
import type { Stamp } from '../../protocol.ts';

export const interrogating = s.createStateConfig({
  initial: 'asking',
  on: { ALIVE_ANSWERED: whenItSpoke },
  states: {
    asking: {
      entry: doing('ask'),
      on: {
        ASKED: { guard: 'isOurOutcome', target: 'listening', actions: 'noteAsked' },
        NOT_ASKED: [
          { guard: isObstacle('dialog'), target: '#dog.pardoned', actions: judge('pardoned', BLOCKED) },
          { guard: isObstacle('limited'), target: '#dog.pardoned', actions: judge('pardoned', LIMITED) },
          { guard: isObstacle('gone'), target: 'confirming', actions: 'keepExit' },
          { guard: isObstacle('paneless'), target: 'confirming' },
          {
            guard: isObstacle('replaced'),
            target: '#dog.complete',
            actions: judge('void', 'another life has the name'),
          },
          { guard: isObstacle('person'), target: 'suspended', actions: ['noteUntyped', 'suspend'] },
          {
            guard: 'tooLongUndelivered',
            target: '#dog.escalated',
            actions: judge('escalated', 'the question could not be typed'),
          },
          { guard: isObstacle('busy'), target: 'retrying', actions: ['noteUntyped', 'countUndelivered'] },
          { guard: 'isOurOutcome', target: 'retrying', actions: ['noteUntyped', 'pause'] },
        ],
        ORDER_FAILED: { guard: 'isOurOutcome', target: 'retrying', actions: ['noteUntyped', 'pause'] },
      },
    },
    retrying: { on: { TICK: { guard: 'due', target: 'asking' } } }, // undelivered is unasked
    listening: {
      always: { guard: ({ context }) => windowOver(context.dance), target: '#dog.evaluating' },
      on: { TICK: { guard: 'due', target: 'looking' } },
    },
    looking: {
      entry: doing('look'),
      on: {
        LOOKED: [
          ...whenItShowsLife,
          ...whenItEnded,
          {
            guard: (a: Args) => isForced(a.context.dance) && isOurOutcome(a) && !sawNothing(a),
            target: '#dog.executing.listing',
          },
          {
            guard: (a: Args) => (saw('silent')(a) || isInconclusive(a)) && !wasAsked(a.context.dance),
            target: 'asking',
          },
          { guard: isInconclusive, target: 'listening', actions: ['noteInconclusive', 'count'] },
          { guard: saw('silent'), target: 'listening', actions: 'count' },
          ...whenItCannotRun,
          { guard: 'isOurOutcome', actions: 'lookAgain' },
        ],
        ORDER_FAILED: { guard: 'isOurOutcome', actions: 'lookAgain' },
        TICK: { ...again, target: 'looking' },
      },
    },
    suspended: {
      initial: 'waiting',
      states: {
        waiting: {
          entry: assign(({ context, event }) =>
            context.wakeAt === null ? { wakeAt: (event as Partial<Stamp>).at ?? 0 } : {},
          ),
          on: { TICK: { guard: 'due', target: 'looking' } },
        },
        looking: {
          entry: doing('look'),
          on: {
            LOOKED: [
              {
                guard: 'tooLongAPerson',
                target: '#dog.escalated',
                actions: judge('escalated', 'a person is at the keys'),
              },
              { guard: saw('person'), target: 'waiting', actions: 'countPerson' },
              { guard: (a: Args) => saw('unknown')(a) && !cannotRun(a), actions: 'lookAgain' },
              { guard: 'isOurOutcome', target: '#dog.interrogating.looking', actions: 'forgetLastLook' }, // they left: judge afresh
            ],
            ORDER_FAILED: { guard: 'isOurOutcome', actions: 'lookAgain' },
            TICK: { ...again, target: 'looking' },
          },
        },
      },
    },
    confirming: { entry: 'confirmLater', on: { TICK: { guard: 'due', target: 'looking' } } },
  },
});
