/**
 * What a dog does with what it learns: every action and guard of the dance, each a few pure lines over its record.
 * An outcome counts only if it answers the outstanding order (`isOurOutcome`); time counts only between two looks that saw.
 */
import { assign, enqueueActions, setup } from 'xstate';
import {
  intentOf,
  isForced,
  isSelfStop,
  isLoginRestart,
  mergeProcs,
  noteAttempt,
  inconclusiveNote,
  inconclusiveIn,
  seenMs,
  spending,
  wasAsked,
  windowMs,
} from '../dance.ts';
import { isDue, applyDecision } from '../../kernel/decision.ts';
import { isObstacle, isSparable, isAnswerByCommand, leaves, isOurOutcome, roundsLeft, saw } from './guards.ts';
import {
  at,
  danceDuration,
  describe,
  observationOrObstacle,
  endedOf,
  withDuration,
  lastWords,
  attemptsNow,
  observationText,
  untypedWhy,
  SILENT,
  personBy,
  undeliveredBy,
} from './findings.ts';
import { orderOf, type Args, type DogContext, type DogEvent, type DogInput, type Verb } from './orders.ts';
import { executedReason, lateLife, lateLifeOf } from './reason.ts';
import { verdictAlertOf } from '../verdict-alerts.ts';
import type { Dance, Order, Stamp, Verdict } from '../../protocol.ts';

type Of<Type extends DogEvent['type']> = Extract<DogEvent, { readonly type: Type }>;

/** Changes the record alone. */
const updateDance =
  (changes: (dance: Dance) => Partial<Dance>) =>
  ({ context: { dance } }: Args): Partial<DogContext> => ({ dance: { ...dance, ...changes(dance) } });

/** Changes the record by what this kind of fact tells; any other changes nothing. `more`: what of the dog goes with it. */
const onFact =
  <Type extends DogEvent['type']>(
    type: Type,
    changes: (dance: Dance, event: Of<Type>, context: DogContext) => Partial<Dance>,
    more: (event: Of<Type>, context: DogContext) => Partial<DogContext> = () => ({}),
  ) =>
  ({ context, event }: Args): Partial<DogContext> => {
    if (event.type !== type) return {};
    const of = event as Of<Type>;
    return { ...more(of, context), dance: { ...context.dance, ...changes(context.dance, of, context) } };
  };

/** A look that saw: this time counts. */
const spends = (context: DogContext, event: DogEvent, spent: Parameters<typeof spending>[1]): Partial<DogContext> => ({
  dance: { ...spending(context.dance, spent, danceDuration(context, at(event)), context.policy), recoveries: 0 },
  lastSeen: at(event),
});

const SEEN = { goneBefore: false, panelessBefore: false, lastUndelivered: null } as const;
const BLIND = { lastSeen: null, lastUndelivered: null } as const;
const STALE = { rescued: false, termSent: false } as const; // what was known of the agent may be so once it is seen again
/** A reason that begins with what the agent did after signals were sent. */
const withLateLife = (dance: Dance, why: string): string =>
  [lateLifeOf(dance), why].filter((part) => part !== null).join('; ');
/** At each outcome: both count only those in a row, so a dog that gets on is not given up for what happened hours ago. */
const FRESH = { crashes: 0, recoveries: 0 } as const;

export const s = setup({
  types: {} as { context: DogContext; events: DogEvent; input: DogInput; output: Dance; emitted: Order },
  actions: {
    note: assign(({ context }, more: Partial<Dance>) => ({ dance: { ...context.dance, ...more } })),
    judge: assign(({ context: { dance }, event }, { verdict, reason }: { verdict: Verdict; reason: string }) => {
      const found = observationOrObstacle(event);
      const why = found === null ? reason : reason + describe(found);
      const attempts = noteAttempt(dance, {
        seen: event.type === 'LOOKED' ? observationText(event.observation) : reason,
      });
      return { dance: { ...dance, ...lastWords(event), recoveries: 0, verdict, reason: why, attempts } };
    }),
    /** Its last question went by in silence, but one before was inconclusive. */
    escalateInconclusive: assign(({ context: { dance }, event }, reason: string) => ({
      dance: {
        ...dance,
        ...lastWords(event),
        recoveries: 0,
        verdict: 'escalated' as const,
        reason: `${reason}: ${inconclusiveIn(dance) ?? ''}`,
        attempts: attemptsNow(dance),
      },
    })),
    noteInconclusive: assign(
      onFact('LOOKED', (dance, { observation }) => ({
        attempts: noteAttempt(dance, { seen: inconclusiveNote(describe(observation).slice(2)) }),
      })),
    ),
    byEvidence: assign(updateDance(() => ({ evidenceOnly: true }))),
    countRecovery: assign(updateDance(({ recoveries }) => ({ recoveries: recoveries + 1 }))),
    noteAsked: assign(
      onFact(
        'ASKED',
        (dance, { tail, wall, mark }) => ({
          ...FRESH,
          observedMs: 0,
          undeliveredMs: 0,
          tailBefore: dance.attempt === 1 ? tail : dance.tailBefore,
          attempts: noteAttempt(dance, { askedAt: wall, mark, seen: '' }),
        }),
        ({ at: now }, { policy, dance }) => ({
          ...SEEN,
          lastSeen: now,
          wakeAt: now + Math.min(policy.lookEveryMs, windowMs(dance)),
        }),
      ),
    ),
    /** Why its question is not typed yet. What the agent did at one that was typed before stays noted. */
    noteUntyped: assign(({ context: { dance }, event }) => {
      const why = untypedWhy(event);
      return why === null || wasAsked(dance)
        ? {}
        : { dance: { ...dance, attempts: noteAttempt(dance, { seen: why }) } };
    }),
    pause: assign(({ context: { policy, dance }, event }) => ({
      dance: { ...dance, recoveries: 0 },
      wakeAt: at(event) + policy.retryMs,
      ...BLIND,
      ...STALE,
    })),
    lookAgain: assign(({ context: { policy, dance }, event }) => ({
      dance: { ...dance, recoveries: 0 },
      wakeAt: at(event) + policy.lookEveryMs,
      ...BLIND,
    })),
    count: assign(({ context, event }) => {
      const { dance, policy, lastSeen } = context;
      const observedMs = dance.observedMs + seenMs(lastSeen, at(event), policy.maxPerLookMs);
      const leftMs = Math.max(0, windowMs(dance) - observedMs);
      return {
        ...spends(context, event, { observedMs, personMs: 0 }),
        ...SEEN,
        wakeAt: at(event) + Math.min(policy.lookEveryMs, leftMs),
      };
    }),
    countUndelivered: assign(({ context, event }) => ({
      ...spends(context, event, { undeliveredMs: undeliveredBy({ context, event }) }),
      ...STALE,
      lastSeen: null, // this time is no silence, also where the next look sees
      lastUndelivered: at(event),
      wakeAt: at(event) + context.policy.retryMs,
    })),
    countPerson: assign(({ context, event }) => ({
      ...spends(context, event, { personMs: personBy({ context, event }) }),
      wakeAt: at(event) + context.policy.lookEveryMs,
    })),
    forgetLastLook: assign(BLIND),
    suspend: assign(({ context: { policy, dance }, event }) => ({
      dance: { ...dance, personMs: 0, recoveries: 0 },
      lastSeen: at(event),
      wakeAt: at(event) + policy.lookEveryMs,
      termSent: false,
    })),
    confirmLater: assign(({ context: { policy, dance }, event }) => ({
      dance: { ...dance, recoveries: 0 },
      goneBefore: observationOrObstacle(event)?.kind !== 'paneless',
      panelessBefore: observationOrObstacle(event)?.kind === 'paneless',
      lastSeen: null,
      wakeAt: at(event) + policy.goneAgainMs,
    })),
    /** Its pane may be cleared before a scan reads it. */
    keepExit: assign(({ context: { dance }, event }) => {
      const found = observationOrObstacle(event);
      if (found?.kind !== 'gone' || found.exit === undefined) return {};
      return { dance: { ...dance, exit: found.exit, ...lastWords(event) } };
    }),
    noteSilence: assign(updateDance((dance) => ({ attempts: noteAttempt(dance, { seen: SILENT }) }))),
    nextAttempt: assign(({ context: { dance }, event }) => ({
      dance: {
        ...dance,
        attempts: attemptsNow(dance),
        attempt: dance.attempt + 1,
        observedMs: 0,
        ...(event.type === 'LOOKED' && { tailAfter: event.tail }),
      },
      lastSeen: null,
    })),
    intend: assign(
      onFact(
        'TREE_LISTED',
        (dance, event) => ({ ...FRESH, ...intentOf(dance, event) }),
        () => ({ ...SEEN, rescued: false }),
      ),
    ),
    stampLook: assign(({ context: { dance }, event }) => ({
      lookedAt: 'began' in event ? event.began : at(event), // a stop between look and outcome makes it older than it arrives
      dance: { ...dance, ...lastWords(event) },
    })),
    keepRescue: assign(
      onFact(
        'RESCUED',
        (_, { rescue }) => ({ ...FRESH, rescue }),
        () => ({ rescued: true }),
      ),
    ),
    rescueFailed: assign(({ context }) => ({ failedRescues: context.failedRescues + 1 })),
    noteLateLife: assign(({ context: { dance }, event }) => {
      const observation = event.type === 'LOOKED' ? event.observation : null;
      const attempts = noteAttempt(dance, { seen: lateLife(observation, isLoginRestart(dance)) });
      const evidenceOnly = observation?.kind === 'evidence';
      return { answered: true, dance: { ...dance, ...lastWords(event), recoveries: 0, attempts, evidenceOnly } };
    }),
    noteTermSent: assign({ termSent: true }),
    intendSignal: assign(({ context: { dance } }) => ({
      firstSignalPending: !dance.killing,
      dance: { ...dance, killing: true },
    })),
    /** The hands held the very first signal back, so none was sent: the hearing may still end with a pardon. */
    takeBack: assign(updateDance(() => ({ killing: false }))),
    spare: assign(
      onFact('TREE_LISTED', (dance, { tree }) => {
        const pids = endedOf(dance, tree).map(({ pid }) => pid);
        const isUnharmed = pids.length === 0;
        const what = isUnharmed ? 'nothing had ended' : `ended by then: pids ${pids.join(', ')}`;
        return { recoveries: 0, verdict: isUnharmed ? 'pardoned' : 'escalated', reason: withLateLife(dance, what) };
      }),
    ),
    giveUpSaving: assign(
      onFact('ORDER_FAILED', (_, { why }) => ({ verdict: 'escalated', reason: `its work could not be saved: ${why}` })),
    ),
    leaveTree: assign(
      onFact('TREE_REFUSED', (dance, { why }) => {
        return { recoveries: 0, verdict: 'escalated', reason: withLateLife(dance, why) };
      }),
    ),
    keepNewcomers: assign(
      onFact(
        'SIGNALLED',
        ({ tree, rounds }, { newcomers }) => ({
          ...FRESH,
          rounds: rounds + 1,
          tree: mergeProcs(tree ?? [], newcomers),
        }),
        ({ at: lookedAt }) => ({ lookedAt }), // what the next signal rests on: these processes were seen now
      ),
    ),
    keepSurvivors: assign(
      onFact('CLEARED', (dance, { survivors, whyPaneStays }) => ({
        survivors,
        verdict: dance.verdict ?? 'executed',
        reason: (dance.reason || executedReason(dance)) + (whyPaneStays === undefined ? '' : `; ${whyPaneStays}`),
      })),
    ),
    attach: assign(onFact('ATTACHED', ({ warrants }, { warrant }) => ({ warrants: [...warrants, warrant] }))),
    cancel: assign(onFact('CANCELLED', (_, event) => ({ verdict: 'void', reason: `cancelled by ${event.by}` }))),
    close: assign(({ context: { dance }, event }) => ({
      dance: { ...dance, closedAt: (event as Partial<Stamp>).wall ?? dance.openedAt },
    })),
    order: enqueueActions(({ enqueue, context, event }, verb: Verb) => {
      const changes = { ...withDuration(context, at(event)), wakeAt: null };
      const order = orderOf({ ...context, ...changes }, verb);
      applyDecision(enqueue, {
        changes: { ...changes, awaiting: order.id, orders: context.orders + 1 },
        orders: [order],
      });
    }),
  },
  guards: {
    due: isDue,
    isOurOutcome,
    /** It may have gone on working since. */
    isUnrescued: (a) => isOurOutcome(a) && !a.context.rescued,
    answeredByCommand: (a) => isAnswerByCommand(a) && !a.context.dance.killing,
    answeredByCommandLate: (a) => isAnswerByCommand(a) && a.context.dance.killing,
    isFirstSignalPending: (a) => isOurOutcome(a) && a.context.firstSignalPending,
    termSent: (a) => isOurOutcome(a) && a.context.termSent,
    /** It answered while it was signalled, and something of it is left. */
    sparable: (a) => isOurOutcome(a) && a.event.type === 'SIGNALLED' && isSparable(a.context) && leaves(a.event),
    answered: (a) => isDue(a) && isSparable(a.context),
    unharmed: (a) =>
      isOurOutcome(a) && a.event.type === 'TREE_LISTED' && endedOf(a.context.dance, a.event.tree).length === 0,
    isTreeEmpty: (a) => isOurOutcome(a) && a.event.type === 'TREE_LISTED' && a.event.tree.length === 0,
    tooLongUndelivered: (a) => isObstacle('busy')(a) && undeliveredBy(a) >= a.context.policy.undeliverableMs,
    /** An agent's own wish to end outlasts a person at its keys: it waits until they rest. */
    tooLongAPerson: (a) => saw('person', (c) => !isSelfStop(c.dance))(a) && personBy(a) >= a.context.policy.personMs,
    lastRescueFailed: (a) => isOurOutcome(a) && a.context.failedRescues + 1 >= a.context.policy.maxRescues,
    leavesToPerson: ({ context: { dance } }) => verdictAlertOf(dance) !== null,
    roundsLeft,
    /** No answer counts: nothing is to be seen between TERM and KILL. */
    forcedRounds: (a) => roundsLeft(a) && isForced(a.context.dance),
    attachedForce: ({ context, event }) => event.type === 'ATTACHED' && event.warrant.force && !context.dance.killing,
  },
});
