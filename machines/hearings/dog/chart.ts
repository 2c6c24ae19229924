/**
 * A dog dances one shutdown dance. Owns: its Dance. Invariants:
 * 1. One order outstanding at a time; an outcome counts only if it answers that order (`re`).
 * 2. Nothing is signalled before a kill intent is durable, a look taken after it found silence, and the work is rescued.
 * 3. A dog always starts in `waking`: first start, fall and restart of the town are one path (RECOVERY). It does nothing
 *    there before its record is durable.
 * 4. Unknown stops the clock and changes nothing; only time between two looks that saw counts.
 */
import { assign } from 'xstate';
import {
  asked,
  BLOCKED,
  isForced,
  LIMITED,
  moreAttempts,
  REACTED,
  reactionOf,
  RECOVERY,
  windowOver,
} from '../dance.ts';
import { ending } from './ending.ts';
import { blocked, mine, saw, sawNothing } from './guards.ts';
import { again, blind, doing, doubted, ended, judged, pardon, reacted, refused, spoken } from './verdicts.ts';
import { lookAnew, spared, sparing, whileSignalled } from './aborting.ts';
import type { Args } from './orders.ts';
import { s } from './actions.ts';
import type { Stamp } from '../../protocol/index.ts';

export const dog = s.createMachine({
  id: 'dog',
  context: ({ input }) => ({
    ...input,
    awaiting: null,
    orders: 0,
    lastSeen: null,
    lookedAt: null,
    goneBefore: false,
    panelessBefore: false,
    failedRescues: 0,
    failedAlerts: 0,
    termed: false,
    unsent: false,
    answered: false,
    rescued: false,
    wakeAt: null,
    beganAt: null,
  }),
  output: ({ context }) => context.dance,
  initial: 'waking',
  on: {
    ATTACHED: [{ guard: 'attachedForce', target: '#dog.executing.listing', actions: 'attach' }, { actions: 'attach' }],
    CANCELLED: {
      guard: ({ context: { dance } }) => !dance.killing && dance.verdict === null,
      target: '#dog.complete',
      actions: 'cancel',
    },
  },
  states: {
    waking: {
      entry: ['raiseWakings', ...doing('checkpoint')],
      on: {
        SAVED: Object.entries(RECOVERY).map(([stage, target]) => ({
          guard: ({ context, event }: Args) => context.dance.stage === stage && mine({ context, event }),
          target,
        })),
        ORDER_FAILED: blind,
        TICK: { ...again, target: '#dog.waking' },
      },
    },
    interrogating: {
      initial: 'asking',
      on: { ALIVE_ANSWERED: spoken },
      states: {
        asking: {
          entry: [...doing('ask')],
          on: {
            ASKED: { guard: 'mine', target: 'listening', actions: 'asked' },
            NOT_ASKED: [
              {
                guard: blocked('dialog'),
                target: '#dog.pardoned',
                actions: judged('pardoned', BLOCKED),
              },
              { guard: blocked('limited'), target: '#dog.pardoned', actions: judged('pardoned', LIMITED) },
              { guard: blocked('gone'), target: 'confirming', actions: 'keepExit' },
              { guard: blocked('paneless'), target: 'confirming' },
              {
                guard: blocked('replaced'),
                target: '#dog.complete',
                actions: judged('void', 'another incarnation has the name'),
              },
              { guard: blocked('person'), target: 'suspended', actions: 'suspend' },
              {
                guard: 'tooLongUndelivered',
                target: '#dog.escalated',
                actions: judged('escalated', 'the question could not be typed'),
              },
              { guard: blocked('busy'), target: 'retrying', actions: 'countUndelivered' },
              { guard: 'mine', target: 'retrying', actions: 'pause' },
            ],
            ORDER_FAILED: { guard: 'mine', target: 'retrying', actions: 'pause' },
          },
        },
        retrying: { on: { TICK: { guard: 'due', target: 'asking' } } }, // undelivered is unasked
        listening: {
          always: { guard: ({ context }) => windowOver(context.dance), target: '#dog.evaluating' },
          on: { TICK: { guard: 'due', target: 'looking' } },
        },
        looking: {
          entry: [...doing('look')],
          on: {
            LOOKED: [
              ...pardon,
              ...ended,
              {
                guard: (a: Args) => isForced(a.context.dance) && mine(a) && !sawNothing(a),
                target: '#dog.executing.listing',
              },
              { guard: (a: Args) => (saw('silent')(a) || reacted(a)) && !asked(a.context.dance), target: 'asking' },
              { guard: reacted, target: 'listening', actions: ['noteReaction', 'count'] },
              { guard: saw('silent'), target: 'listening', actions: 'count' },
              { guard: 'mine', actions: 'lookAgain' },
            ],
            ORDER_FAILED: { guard: 'mine', actions: 'lookAgain' },
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
              entry: [...doing('look')],
              on: {
                LOOKED: [
                  {
                    guard: 'tooLongAPerson',
                    target: '#dog.escalated',
                    actions: judged('escalated', 'a person is at the keys'),
                  },
                  { guard: saw('person'), target: 'waiting', actions: 'countPerson' },
                  { guard: saw('unknown'), actions: 'lookAgain' },
                  { guard: 'mine', target: '#dog.interrogating.looking', actions: 'blink' }, // they left: judge afresh
                ],
                ORDER_FAILED: { guard: 'mine', actions: 'lookAgain' },
                TICK: { ...again, target: 'looking' },
              },
            },
          },
        },
        confirming: {
          entry: 'confirmLater',
          on: { TICK: { guard: 'due', target: 'looking' } },
        },
      },
    },
    evaluating: {
      entry: [...doing('look')],
      on: {
        ALIVE_ANSWERED: spoken,
        LOOKED: [
          ...pardon,
          ...ended,
          {
            guard: (a: Args) => reacted(a) && moreAttempts(a.context.dance),
            target: 'interrogating',
            actions: ['noteReaction', 'nextAttempt'],
          },
          { guard: reacted, ...doubted },
          { guard: saw('silent', (c) => moreAttempts(c.dance)), target: 'interrogating', actions: 'nextAttempt' },
          {
            guard: saw('silent', (c) => reactionOf(c.dance) !== null),
            target: 'escalated',
            actions: { type: 'doubt', params: REACTED },
          },
          {
            guard: saw('silent', (c) => c.dance.escalate),
            target: 'escalated',
            actions: judged('escalated', 'silent now, after two pardons on signs of life alone'),
          },
          { guard: saw('silent'), target: 'executing', actions: 'noteSilence' },
          blind,
        ],
        ORDER_FAILED: blind,
        TICK: { ...again, target: 'evaluating' },
      },
    },
    executing: {
      initial: 'listing',
      states: {
        listing: {
          entry: [...doing('listTree')],
          on: {
            ALIVE_ANSWERED: spoken,
            TREE_LISTED: { guard: 'mine', target: 'looking', actions: 'intend' },
            TREE_REFUSED: refused,
            ORDER_FAILED: blind,
            TICK: { ...again, target: 'listing' },
          },
        },
        looking: {
          entry: [...doing('look')], // gets out only after the tree, our intent, is durable
          on: {
            ALIVE_ANSWERED: spoken,
            LOOKED: [
              ...pardon,
              ...ended,
              { guard: reacted, ...doubted },
              { guard: sawNothing, actions: 'pause' },
              {
                guard: (a: Args) => mine(a) && a.context.dance.tree === null && isForced(a.context.dance),
                target: 'listing',
              },
              // It was only here because its agent seemed gone: it lives, so its hearing goes on where it was.
              { guard: (a: Args) => mine(a) && a.context.dance.tree === null, target: '#dog.interrogating.looking' },
              {
                guard: 'unsaved',
                target: 'rescuing',
                actions: 'foundSilence',
              },
              { guard: 'termed', target: 'killing', actions: 'foundSilence' },
              {
                guard: 'mine',
                target: 'terminating',
                actions: ['foundSilence', 'intendSignal'],
              },
            ],
            ORDER_FAILED: blind,
            TICK: { ...again, target: 'looking' },
          },
        },
        rescuing: {
          entry: [...doing('rescue')],
          on: {
            ALIVE_ANSWERED: spoken,
            RESCUED: { guard: 'mine', target: 'looking', actions: 'keepRescue' },
            ORDER_FAILED: [
              {
                guard: 'lastRescueFailed',
                target: '#dog.escalated',
                actions: 'giveUpSaving',
              },
              { guard: 'mine', actions: ['rescueFailed', 'pause'] },
            ],
            TICK: { ...again, target: 'rescuing' },
          },
        },
        terminating: {
          entry: [...doing('terminate')],
          on: {
            ALIVE_ANSWERED: whileSignalled,
            SIGNALLED: [
              spared,
              { guard: 'forcedRounds', target: 'killing', actions: 'keepNewcomers' },
              { guard: 'roundsLeft', target: 'looking', actions: ['keepNewcomers', 'wasTermed'] }, // it may answer at TERM
              { guard: 'mine', target: 'clearing' },
            ],
            TREE_REFUSED: refused,
            NOT_SIGNALLED: [{ guard: 'isUnsent', actions: ['takeBack', 'pause'] }, blind],
            ORDER_FAILED: blind,
            TICK: lookAnew,
          },
        },
        killing: {
          entry: [...doing('kill')],
          on: {
            ALIVE_ANSWERED: whileSignalled,
            SIGNALLED: [
              spared,
              { guard: 'roundsLeft', target: 'killing', reenter: true, actions: 'keepNewcomers' },
              { guard: 'mine', target: 'clearing' },
            ],
            TREE_REFUSED: refused,
            NOT_SIGNALLED: blind,
            ORDER_FAILED: blind,
            TICK: lookAnew,
          },
        },
        sparing,
        clearing: {
          entry: [...doing('clear')],
          on: {
            CLEARED: { guard: 'mine', target: '#dog.complete', actions: 'keepSurvivors' },
            ORDER_FAILED: blind,
            TICK: { ...again, target: 'clearing' },
          },
        },
      },
    },
    pardoned: ending(),
    complete: ending(),
    failed: ending(),
    escalated: ending(),
    closed: { type: 'final' },
  },
});
