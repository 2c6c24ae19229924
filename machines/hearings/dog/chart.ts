/**
 * A dog dances one shutdown dance. Owns: its Dance. Invariants:
 * 1. One order outstanding at a time; an outcome counts only if it answers that order (`re`).
 * 2. Nothing is signalled before a kill intent is durable, a look taken after it found silence, and the work is rescued.
 * 3. A dog always starts in `recovering`: first start, crash and restart of the town are one path (RECOVERY). It does nothing
 *    there before its record is durable.
 * 4. Unknown stops the clock and changes nothing; only time between two looks that saw (anything but `unknown`) counts. That of an
 *    agent that is seen unable to run counts apart, and ends with a person.
 */
import { isOurOutcome, saw } from './guards.ts';
import {
  retryLater,
  doing,
  escalateInconclusive,
  isInconclusive,
  judge,
  whenItCannotRun,
  whenItShowsLife,
  retryOf,
  whenItEnded,
  whenItSpoke,
} from './verdicts.ts';
import { moreAttempts, INCONCLUSIVE, inconclusiveIn, RECOVERY } from '../dance.ts';
import { ending } from './ending.ts';
import { executing } from './executing.ts';
import { interrogating } from './interrogating.ts';
import { s } from './actions.ts';
import type { Args } from './orders.ts';

export const dog = s.createMachine({
  id: 'dog',
  context: ({ input }) => ({
    ...input,
    awaiting: null,
    orders: 0,
    lastSeen: null,
    lastUndelivered: null,
    lookedAt: null,
    goneBefore: false,
    panelessBefore: false,
    failedRescues: 0,
    termSent: false,
    firstSignalPending: false,
    answered: false,
    rescued: false,
    wakeAt: null,
    beganAt: null,
  }),
  output: ({ context }) => context.dance,
  initial: 'recovering',
  on: {
    ATTACHED: [{ guard: 'attachedForce', target: '#dog.executing.listing', actions: 'attach' }, { actions: 'attach' }],
    CANCELLED: {
      guard: ({ context: { dance } }) => !dance.killing && dance.verdict === null,
      target: '#dog.complete',
      actions: 'cancel',
    },
  },
  states: {
    recovering: {
      entry: ['countRecovery', doing('checkpoint')],
      on: {
        SAVED: Object.entries(RECOVERY).map(([stage, target]) => ({
          guard: ({ context, event }: Args) => context.dance.stage === stage && isOurOutcome({ context, event }),
          target,
        })),
        ...retryOf('#dog.recovering'),
      },
    },
    interrogating,
    evaluating: {
      entry: doing('look'),
      on: {
        ALIVE_ANSWERED: whenItSpoke,
        LOOKED: [
          ...whenItShowsLife,
          ...whenItEnded,
          {
            guard: (a: Args) => isInconclusive(a) && moreAttempts(a.context.dance),
            target: 'interrogating',
            actions: ['noteInconclusive', 'nextAttempt'],
          },
          { guard: isInconclusive, ...escalateInconclusive },
          { guard: saw('silent', (c) => moreAttempts(c.dance)), target: 'interrogating', actions: 'nextAttempt' },
          {
            guard: saw('silent', (c) => inconclusiveIn(c.dance) !== null),
            target: 'escalated',
            actions: { type: 'escalateInconclusive', params: INCONCLUSIVE },
          },
          {
            guard: saw('silent', (c) => c.dance.escalate),
            target: 'escalated',
            actions: judge('escalated', 'silent now, after two pardons on signs of life alone'),
          },
          { guard: saw('silent'), target: 'executing', actions: 'noteSilence' },
          ...whenItCannotRun,
          retryLater,
        ],
        ...retryOf('evaluating'),
      },
    },
    executing,
    pardoned: ending(),
    complete: ending(),
    failed: ending(),
    escalated: ending(),
    closed: { type: 'final' },
  },
});
