/**
 * What a dog does with what it learns: every action and guard of the dance, each a few pure lines over its record.
 * An outcome counts only if it answers the outstanding order (`mine`); time counts only between two looks that saw.
 */
import { assign, enqueueActions, setup } from 'xstate';
import {
  intentOf,
  isForced,
  mergeProcs,
  noteAttempt,
  reaction,
  reactionOf,
  seenMs,
  spending,
  windowMs,
} from '../dance.ts';
import { isDue, take } from '../../kernel/turn.ts';
import { isObstacle, isSparable, isSpoken, leaves, isOurOutcome, roundsLeft, saw } from './guards.ts';
import { at, describe, SILENT, gone, sightText, lastWords, missing, danceDuration, lasting } from './findings.ts';
import { orderOf, type DogContext, type DogEvent, type DogInput, type Verb } from './orders.ts';
import { executedReason, LATE } from './reason.ts';
import { leftToPerson } from '../left.ts';
import type { Dance, Order, Stamp, Verdict } from '../../protocol.ts';

export const s = setup({
  types: {} as { context: DogContext; events: DogEvent; input: DogInput; output: Dance; emitted: Order },
  actions: {
    note: assign(({ context }, more: Partial<Dance>) => ({ dance: { ...context.dance, ...more } })),
    judge: assign(({ context, event }, { verdict, reason }: { verdict: Verdict; reason: string }) => ({
      dance: {
        ...context.dance,
        wakings: 0,
        verdict,
        reason:
          reason +
          (event.type === 'LOOKED'
            ? describe(event.sight)
            : event.type === 'NOT_ASKED'
              ? describe(event.obstacle)
              : ''),
        attempts: noteAttempt(context.dance, { seen: event.type === 'LOOKED' ? sightText(event.sight) : reason }),
        ...(event.type === 'LOOKED' && lastWords(event)),
      },
    })),
    /** Its last question went by in silence, but it reacted to one before. */
    doubt: assign(({ context: { dance }, event }, reason: string) => ({
      dance: {
        ...dance,
        wakings: 0,
        verdict: 'escalated' as const,
        reason: `${reason}: ${reactionOf(dance) ?? ''}`,
        attempts: noteAttempt(dance, { seen: dance.attempts[dance.attempt - 1]?.seen || SILENT }),
        ...(event.type === 'LOOKED' && lastWords(event)),
      },
    })),
    noteReaction: assign(({ context: { dance }, event }) =>
      event.type !== 'LOOKED'
        ? {}
        : { dance: { ...dance, attempts: noteAttempt(dance, { seen: reaction(describe(event.sight).slice(2)) }) } },
    ),
    byEvidence: assign(({ context }) => ({ dance: { ...context.dance, evidenceOnly: true } })),
    raiseWakings: assign(({ context }) => ({ dance: { ...context.dance, wakings: context.dance.wakings + 1 } })),
    asked: assign(({ context: { dance, policy }, event }) =>
      event.type !== 'ASKED'
        ? {}
        : {
            dance: {
              ...dance,
              falls: 0,
              wakings: 0,
              observedMs: 0,
              undeliveredMs: 0,
              tailBefore: dance.attempt === 1 ? event.tail : dance.tailBefore,
              attempts: noteAttempt(dance, { askedAt: event.wall, mark: event.mark, seen: '' }),
            },
            lastSeen: event.at,
            goneBefore: false,
            panelessBefore: false,
            wakeAt: event.at + Math.min(policy.lookEveryMs, windowMs(dance)),
          },
    ),
    /** Nothing was seen: the clock stops, somebody looks again, and what was saved may be old by then. */
    pause: assign(({ context: { policy, dance }, event }) => ({
      dance: { ...dance, wakings: 0 },
      wakeAt: at(event) + policy.retryMs,
      lastSeen: null,
      rescued: false,
    })),
    lookAgain: assign(({ context: { policy, dance }, event }) => ({
      dance: { ...dance, wakings: 0 },
      wakeAt: at(event) + policy.lookEveryMs,
      lastSeen: null,
    })),
    count: assign(({ context, event }) => {
      const { dance, policy, lastSeen } = context;
      const observedMs = dance.observedMs + seenMs(lastSeen, at(event), policy.maxPerLookMs);
      const leftMs = Math.max(0, windowMs(dance) - observedMs);
      return {
        dance: {
          ...spending(dance, { observedMs, personMs: 0 }, danceDuration(context, at(event)), policy),
          wakings: 0,
        },
        lastSeen: at(event),
        goneBefore: false,
        panelessBefore: false,
        wakeAt: at(event) + Math.min(policy.lookEveryMs, leftMs),
      };
    }),
    countUndelivered: assign(({ context, event }) => {
      const { dance, policy, lastSeen } = context;
      const undeliveredMs = dance.undeliveredMs + seenMs(lastSeen, at(event), 2 * policy.retryMs);
      return {
        dance: { ...spending(dance, { undeliveredMs }, danceDuration(context, at(event)), policy), wakings: 0 },
        lastSeen: at(event),
        wakeAt: at(event) + policy.retryMs,
      };
    }),
    countPerson: assign(({ context, event }) => {
      const { dance, policy, lastSeen } = context;
      const personMs = dance.personMs + seenMs(lastSeen, at(event), policy.maxPerLookMs);
      return {
        dance: { ...spending(dance, { personMs }, danceDuration(context, at(event)), policy), wakings: 0 },
        lastSeen: at(event),
        wakeAt: at(event) + policy.lookEveryMs,
      };
    }),
    blink: assign({ lastSeen: null }),
    suspend: assign(({ context: { policy, dance }, event }) => ({
      dance: { ...dance, personMs: 0, wakings: 0 },
      lastSeen: at(event),
      wakeAt: at(event) + policy.lookEveryMs,
    })),
    confirmLater: assign(({ context: { policy, dance }, event }) => ({
      dance: { ...dance, wakings: 0 },
      goneBefore: missing(event) !== 'paneless',
      panelessBefore: missing(event) === 'paneless',
      lastSeen: null,
      wakeAt: at(event) + policy.goneAgainMs,
    })),
    /** Its pane may be cleared before a scan reads it. */
    keepExit: assign(({ context: { dance }, event }) => {
      const found = event.type === 'LOOKED' ? event.sight : event.type === 'NOT_ASKED' ? event.obstacle : null;
      if (found?.kind !== 'gone' || found.exit === undefined) return {};
      return { dance: { ...dance, exit: found.exit, ...(event.type === 'LOOKED' && lastWords(event)) } };
    }),
    noteSilence: assign(({ context: { dance } }) => ({
      dance: { ...dance, attempts: noteAttempt(dance, { seen: SILENT }) },
    })),
    nextAttempt: assign(({ context: { dance }, event }) => ({
      dance: {
        ...dance,
        attempts: noteAttempt(dance, { seen: dance.attempts[dance.attempt - 1]?.seen || SILENT }),
        attempt: dance.attempt + 1,
        observedMs: 0,
        ...(event.type === 'LOOKED' && { tailAfter: event.tail }),
      },
      lastSeen: null,
    })),
    intend: assign(({ context: { dance }, event }) =>
      event.type !== 'TREE_LISTED'
        ? {}
        : {
            goneBefore: false,
            panelessBefore: false,
            rescued: false,
            dance: { ...dance, falls: 0, wakings: 0, ...intentOf(dance, event) },
          },
    ),
    foundSilence: assign(({ context: { dance }, event }) => ({
      lookedAt: 'began' in event ? event.began : at(event), // a stop between look and outcome makes it older than it arrives
      dance: { ...dance, ...(event.type === 'LOOKED' && lastWords(event)) },
    })),
    keepRescue: assign(({ context: { dance }, event }) =>
      event.type !== 'RESCUED'
        ? {}
        : { rescued: true, dance: { ...dance, falls: 0, wakings: 0, rescue: event.rescue } },
    ),
    rescueFailed: assign(({ context }) => ({ failedRescues: context.failedRescues + 1 })),
    answeredLate: assign(({ context: { dance }, event }) => ({
      answered: true,
      dance: {
        ...dance,
        wakings: 0,
        attempts: noteAttempt(dance, {
          seen: `${LATE}${event.type === 'LOOKED' ? describe(event.sight) : ': town alive'}`,
        }),
        ...(event.type === 'LOOKED' && lastWords(event)),
      },
    })),
    wasTermed: assign({ termed: true }),
    intendSignal: assign(({ context: { dance } }) => ({ unsent: !dance.killing, dance: { ...dance, killing: true } })),
    takeBack: assign(({ context: { dance } }) => ({ dance: { ...dance, killing: false } })),
    spare: assign(({ context: { dance }, event }) => {
      if (event.type !== 'TREE_LISTED') return {};
      const ended = gone(dance, event.tree);
      const verdict = ended.length === 0 ? 'pardoned' : 'escalated';
      const what =
        ended.length === 0 ? 'nothing had ended' : `ended by then: pids ${ended.map(({ pid }) => pid).join(', ')}`;
      return { dance: { ...dance, wakings: 0, verdict, reason: `${LATE}; ${what}` } as const };
    }),
    giveUpSaving: assign(({ context: { dance }, event }) =>
      event.type !== 'ORDER_FAILED'
        ? {}
        : { dance: { ...dance, verdict: 'escalated', reason: `its work could not be saved: ${event.why}` } as const },
    ),
    leaveTree: assign(({ context: { dance, answered }, event }) =>
      event.type !== 'TREE_REFUSED'
        ? {}
        : {
            dance: {
              ...dance,
              wakings: 0,
              verdict: 'escalated',
              reason: answered ? `${LATE}; ${event.why}` : event.why,
            } as const,
          },
    ),
    keepNewcomers: assign(({ context: { dance }, event }) =>
      event.type !== 'SIGNALLED'
        ? {}
        : {
            lookedAt: event.at, // what the next signal rests on: these processes were seen now
            dance: {
              ...dance,
              falls: 0,
              wakings: 0,
              rounds: dance.rounds + 1,
              tree: mergeProcs(dance.tree ?? [], event.newcomers),
            },
          },
    ),
    keepSurvivors: assign(({ context: { dance }, event }) =>
      event.type !== 'CLEARED'
        ? {}
        : {
            dance: {
              ...dance,
              survivors: event.survivors,
              verdict: dance.verdict ?? 'executed',
              reason: (dance.reason || executedReason(dance)) + (event.left === undefined ? '' : `; ${event.left}`),
            },
          },
    ),
    attach: assign(({ context: { dance }, event }) =>
      event.type !== 'ATTACHED' ? {} : { dance: { ...dance, warrants: [...dance.warrants, event.warrant] } },
    ),
    cancel: assign(({ context: { dance }, event }) =>
      event.type !== 'CANCELLED'
        ? {}
        : { dance: { ...dance, verdict: 'void', reason: `cancelled by ${event.by}` } as const },
    ),
    close: assign(({ context: { dance }, event }) => ({
      dance: { ...dance, closedAt: (event as Partial<Stamp>).wall ?? dance.openedAt },
    })),
    order: enqueueActions(({ enqueue, context, event }, verb: Verb) => {
      const changes = { ...lasting(context, at(event)), wakeAt: null };
      const order = orderOf({ ...context, ...changes }, verb);
      take(enqueue, { changes: { ...changes, awaiting: order.id, orders: context.orders + 1 }, orders: [order] });
    }),
  },
  guards: {
    due: isDue,
    mine: isOurOutcome,
    /** An agent that was not signalled yet may have gone on working since. */
    unsaved: (a) => isOurOutcome(a) && !a.context.rescued && !a.context.dance.killing,
    spoken: (a) => isSpoken(a) && !a.context.dance.killing,
    spokenLate: (a) => isSpoken(a) && a.context.dance.killing,
    isUnsent: (a) => isOurOutcome(a) && a.context.unsent,
    termed: (a) => isOurOutcome(a) && a.context.termed && a.context.dance.killing,
    /** It answered while it was signalled, and something of it is left. */
    sparable: (a) => isOurOutcome(a) && a.event.type === 'SIGNALLED' && isSparable(a.context) && leaves(a.event),
    answered: (a) => isDue(a) && isSparable(a.context),
    unharmed: (a) =>
      isOurOutcome(a) && a.event.type === 'TREE_LISTED' && gone(a.context.dance, a.event.tree).length === 0,
    nobodyLeft: (a) => isOurOutcome(a) && a.event.type === 'TREE_LISTED' && a.event.tree.length === 0,
    tooLongUndelivered: (a) =>
      isObstacle('busy')(a) &&
      a.context.dance.undeliveredMs + seenMs(a.context.lastSeen, at(a.event), 2 * a.context.policy.retryMs) >=
        a.context.policy.undeliverableMs,
    tooLongAPerson: (a) =>
      saw('person')(a) &&
      a.context.dance.personMs + seenMs(a.context.lastSeen, at(a.event), a.context.policy.maxPerLookMs) >=
        a.context.policy.personMs,
    lastRescueFailed: (a) => isOurOutcome(a) && a.context.failedRescues + 1 >= a.context.policy.maxRescues,
    leavesToPerson: ({ context: { dance } }) => leftToPerson(dance) !== null,
    roundsLeft,
    /** No answer counts: nothing is to be seen between TERM and KILL. */
    forcedRounds: (a) => roundsLeft(a) && isForced(a.context.dance),
    attachedForce: ({ context, event }) => event.type === 'ATTACHED' && event.warrant.force && !context.dance.killing,
  },
});
