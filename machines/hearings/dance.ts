/**
 * The record of a dance and its arithmetic, without a machine: what a fresh one is, where a recovering dog goes on, what time counts.
 * 1. Time given is observed time (D-7): it grows only between two looks that saw, by at most `maxPerLookMs`.
 * 2. A dance that cannot go on ends `failed`, never by a kill.
 */
import { codeOf } from '../kernel/seeded-random.ts';
import type { DancePolicy } from './policy.ts';
import { isSameProc, type Attempt, type Dance, type Instant, type Ms, type Proc } from '../protocol.ts';
import type { Stage, WallMs, Warrant } from '../protocol.ts';
import { question, type AliveCommand } from './question.ts';

/** What the kennel gives every dog. */
export interface DogTools {
  readonly policy: DancePolicy;
  readonly entropy: string;
  readonly command: AliveCommand;
}

/** D-12 as a table: the durable stage on the left, where a dog that recovers with it goes on. */
export const RECOVERY = {
  idle: '#dog.interrogating.asking',
  'interrogating.asking': '#dog.interrogating.asking', // not known to be asked: ask in full
  'interrogating.retrying': '#dog.interrogating.asking',
  'interrogating.listening': '#dog.interrogating.looking', // look first, judge afterwards
  'interrogating.suspended': '#dog.interrogating.suspended',
  'interrogating.confirming': '#dog.interrogating.looking',
  evaluating: '#dog.evaluating',
  'executing.listing': '#dog.executing.listing',
  'executing.looking': '#dog.executing.looking',
  'executing.rescuing': '#dog.executing.looking',
  'executing.terminating': '#dog.executing.looking', // look once more, then finish the list we had
  'executing.killing': '#dog.executing.looking',
  'executing.sparing': '#dog.executing.sparing', // it answered: nothing more is signalled
  'executing.clearing': '#dog.executing.clearing', // every signal is sent
  pardoned: '#dog.pardoned',
  complete: '#dog.complete',
  failed: '#dog.failed',
  closed: '#dog.closed',
} as const satisfies Record<Stage, string>;

/** All the time that its questions give. */
const givenMs = (dance: Dance): Ms => dance.attempts.reduce((sum, a) => sum + a.windowMs, 0);
/** D-15: how long it may be under way before a person is alerted. */
export const overdueAfterMs = (dance: Dance, policy: DancePolicy): Ms => givenMs(dance) + policy.overdueMs;
/** A duration as a record holds it, which is not written anew for every moment. */
const floor = (ms: Ms, step: Ms): Ms => ms - (ms % step);
type Spent = Pick<Dance, 'observedMs' | 'undeliveredMs' | 'personMs'>;
/** The counted time as the record holds it. A crash loses at most one step of it, in favour of the target. */
export const spentOf = (spent: Spent, { saveEveryMs: step }: DancePolicy): Spent => ({
  observedMs: floor(spent.observedMs, step),
  undeliveredMs: floor(spent.undeliveredMs, step),
  personMs: floor(spent.personMs, step),
});
/**
 * The dance with this time spent. How long it lasts is noted only with what its record takes anyway: at a pace of its own it
 * would be another write as often.
 */
export const spending = (dance: Dance, spent: Partial<Spent>, lastedMs: Ms | null, policy: DancePolicy): Dance => {
  const next = { ...dance, ...spent };
  const [saved, due] = [spentOf(dance, policy), spentOf(next, policy)];
  const isSaved =
    saved.observedMs !== due.observedMs || saved.undeliveredMs !== due.undeliveredMs || saved.personMs !== due.personMs;
  return isSaved && lastedMs !== null ? { ...next, lastedMs } : next;
};
/** Whether no time has counted for so long that the record needs a write for the duration alone. */
export const lags = (dance: Dance, lastedMs: Ms, { saveEveryMs }: DancePolicy): boolean =>
  lastedMs - (dance.lastedMs ?? 0) >= 2 * saveEveryMs;
/** The duration as the record holds it. It stops at the alarm: an endless wait must not mean endless saves. */
export const lastedOf = (dance: Dance, policy: DancePolicy): Pick<Dance, 'lastedMs'> => {
  if (dance.lastedMs === undefined) return {};
  const maxMs = overdueAfterMs(dance, policy) + 2 * policy.saveEveryMs;
  return { lastedMs: floor(Math.min(dance.lastedMs, maxMs), policy.saveEveryMs) };
};
export const windowMs = (dance: Dance): Ms => dance.attempts[dance.attempt - 1]?.windowMs ?? Infinity;
export const windowOver = (dance: Dance): boolean => dance.observedMs >= windowMs(dance);
export const moreAttempts = (dance: Dance): boolean => dance.attempt < dance.attempts.length;
/** The question of the present attempt is durable as sent. */
export const wasAsked = (dance: Dance): boolean => dance.attempts[dance.attempt - 1]?.askedAt !== null;
/** Why a dance ends where its agent waits for a person (D-6). */
export const BLOCKED = 'blocked on a person';
/** Why it ends where a usage limit, or an error of its own, kept it from answering (D-6). */
export const LIMITED = 'stopped by a usage limit';
export const ERROR = 'its last turn ended with an error';
/** Why it ends where it did something at a question, but nothing that proves that it works (D-4). */
export const INCONCLUSIVE = 'it reacted but did not answer';
/** How the note of such an attempt begins, also in older records. */
const INCONCLUSIVE_NOTE = 'reacted';
export const inconclusiveNote = (what: string): string => `${INCONCLUSIVE_NOTE}: ${what}`;
/** What the agent did at the first question that was inconclusive; null = it was silent. */
export const inconclusiveIn = ({ attempts }: Dance): string | null =>
  attempts.find(({ seen }) => seen.startsWith(INCONCLUSIVE_NOTE))?.seen.slice(INCONCLUSIVE_NOTE.length + 2) ?? null;
/** How the note of a question begins that is not typed yet. */
const UNTYPED = 'not typed: ';
export const untypedNote = (why: string): string => UNTYPED + why;
/** Why the present question is not typed; null = it is typed, or was not tried yet. */
export function untypedNow({ attempt, attempts }: Pick<Dance, 'attempt' | 'attempts'>): string | null {
  const present = attempts[attempt - 1];
  return present?.askedAt === null && present.seen.startsWith(UNTYPED) ? present.seen.slice(UNTYPED.length) : null;
}
/** Whether this code answers now: the last question that was typed asks for it, or the present one, which may be half typed. */
export const answers = ({ attempt, attempts }: Dance, code: string): boolean => {
  const asking = attempts.slice(0, attempt);
  return [asking.at(-1), asking.findLast((a) => a.askedAt !== null)].some((a) => a?.code === code);
};
/** Prefix of the ids of warrants by which the operator stops or restarts a session, or a patrol stops one. */
export const STOP = 'stop-';
export const isStop = ({ id, force }: Pick<Warrant, 'id' | 'force'>): boolean => force && id.startsWith(STOP);
/** Prefix of the ids of warrants by which the town restarts a life with an old login (M-9). */
export const RENEWAL = 'login-';
const isRenewing = ({ id, force, via }: Warrant): boolean => force && via === 'town' && id.startsWith(RENEWAL);
/** Forced by nothing but a new login: it goes on only while its agent is seen at rest. */
export const isLoginRestart = ({ warrants }: Pick<Dance, 'warrants'>): boolean => {
  const forces = warrants.filter((w) => w.force);
  return forces.length > 0 && forces.every(isRenewing);
};
export const isForced = (dance: Dance): boolean => dance.warrants.some((w) => w.force);
/** It asked a question, or a warrant wanted one: what only its agent's wish or the operator ends is no hearing. */
export const isHearing = ({ attempts, warrants }: Dance): boolean =>
  attempts.some(({ askedAt }) => askedAt !== null) || warrants.some(({ force }) => !force);
/** As what its end is shown: *executed* is only what a hearing ended. */
export const shownVerdict = (dance: Dance): Dance['verdict'] | 'stopped' =>
  dance.verdict === 'executed' && isForced(dance) ? 'stopped' : dance.verdict;
/** A force of an operator, not its agent's own wish to end, which the town may have seen, nor one for a new login. */
export const isOperatorsForce = (
  { force, via, requester }: Pick<Warrant, 'force' | 'via' | 'requester'>,
  session: string,
): boolean => force && via !== 'town' && requester !== session;
export const isOperators = ({ warrants, target }: Dance): boolean =>
  warrants.some((w) => isOperatorsForce(w, target.session));

/** Its agent stops itself: it wished its end, which it wrote itself or the town saw; no stop and no kill by an operator counts. */
export const isSelfStop = ({ warrants, target }: Dance): boolean => {
  const forces = warrants.filter((w) => w.force);
  const isWish = (w: Warrant): boolean => w.requester === target.session || (w.via === 'town' && !isRenewing(w));
  return forces.length > 0 && forces.every((w) => !isStop(w) && isWish(w));
};

/** Time that counts from the last look that saw to this one, capped: a sleep in between counts almost nothing. */
export const seenMs = (lastSeen: Instant | null, now: Instant, maxMs: Ms): Ms =>
  lastSeen === null ? 0 : Math.max(0, Math.min(now - lastSeen, maxMs));

export const noteAttempt = (dance: Dance, more: Partial<Attempt>): readonly Attempt[] =>
  dance.attempts.map((a, i) => (i === dance.attempt - 1 ? { ...a, ...more } : a));

export const mergeProcs = <T extends Proc>(tree: readonly T[], more: readonly T[]): readonly T[] => [
  ...tree,
  ...more.filter((p) => !tree.some((q) => isSameProc(p, q))),
];
/** What is to end and what is left, by this listing and those before it: a record without anybody left says nothing of it. */
export function intentOf(dance: Dance, listed: Pick<Dance, 'tree' | 'excluded'>): Pick<Dance, 'tree' | 'excluded'> {
  const tree = mergeProcs(dance.tree ?? [], listed.tree ?? []);
  const all = mergeProcs(dance.excluded ?? [], listed.excluded ?? []);
  const left = all.filter((p) => !tree.some((q) => isSameProc(p, q)));
  return { tree, ...((left.length > 0 || dance.excluded !== undefined) && { excluded: left }) };
}

/** A code for each question, none twice: an answer to one question is none to the next (D-2). */
function codesOf(entropy: string, id: string, count: number): readonly string[] {
  const codes: string[] = [];
  for (let n = 0; codes.length < count; n += 1) {
    const code = codeOf(entropy, `${id}/${n}`);
    if (!codes.includes(code)) codes.push(code);
  }
  return codes;
}

export function freshDance(
  id: string,
  slot: number,
  warrant: Warrant,
  { policy, entropy, command }: DogTools,
  opened: { wall: WallMs; escalate: boolean },
): Dance {
  const of = policy.windowsMs.length;
  const codes = codesOf(entropy, id, of);
  return {
    id,
    slot,
    target: warrant.target,
    warrants: [warrant],
    stage: warrant.force ? 'executing.listing' : 'interrogating.asking',
    attempt: 1,
    attempts: policy.windowsMs.map((ms, i) => {
      const code = codes[i] ?? '';
      const lines = question(warrant.target, warrant, { number: i + 1, of, windowMs: ms, code }, command);
      return { code, windowMs: ms, askedAt: null, question: lines, mark: null, seen: '' };
    }),
    observedMs: 0,
    undeliveredMs: 0,
    personMs: 0,
    tree: null,
    killing: false,
    rounds: 0,
    rescue: null,
    survivors: [],
    verdict: null,
    reason: '',
    evidenceOnly: false,
    escalate: opened.escalate,
    crashes: 0,
    recoveries: 0,
    retried: false,
    tailBefore: '',
    tailAfter: '',
    openedAt: opened.wall,
    closedAt: null,
  };
}

/** A warrant that is over without a hearing (expired, cancelled): its record takes the same way to completed/ and to its requester. */
export const closedUnheard = (dance: Dance, reason: string): Dance => ({
  ...dance,
  stage: 'complete',
  verdict: 'void',
  reason,
});

const failed = (dance: Dance, reason: string): Dance =>
  dance.verdict !== null && dance.stage !== 'failed' ? dance : { ...dance, stage: 'failed', verdict: 'failed', reason };

/** The dance as it goes on after its dog threw: one crash too many ends it, and never by a kill. */
export const afterCrash = (dance: Dance, cause: string, policy: DancePolicy): Dance => {
  const crashed = { ...dance, crashes: dance.crashes + 1 };
  return crashed.crashes < policy.maxCrashes
    ? crashed
    : failed(crashed, `the town itself failed at it ${crashed.crashes} times: ${cause.replace(/\s+/g, ' ')}`);
};

/**
 * The dance as a new process or kennel finds it. A record during whose recovery the process died too often ends `failed`;
 * one found `failed` is tried once more from its present attempt, in full (D-12), then closed.
 */
export const afterRestart = (dance: Dance, policy: DancePolicy): Dance => {
  if (dance.recoveries >= policy.maxRecoveries && dance.verdict === null)
    return failed(
      { ...dance, retried: true },
      `the town died ${dance.recoveries} times as it took the hearing up again`,
    );
  // Once signals may have been sent its questions are over, even if an earlier version went on asking.
  if (dance.killing && dance.stage.startsWith('interrogating.')) return { ...dance, stage: 'executing.looking' };
  if (dance.stage !== 'failed' || dance.retried) return dance;
  const crashes = Math.max(0, policy.maxCrashes - 1);
  const stage = dance.killing ? 'executing.looking' : isForced(dance) ? 'executing.listing' : 'interrogating.asking';
  return { ...dance, stage, retried: true, verdict: null, reason: '', observedMs: 0, crashes, recoveries: 0 };
};

/**
 * The dance of a target whose name became protected while no town ran (law 6): over before its dog recovers, so that nothing is
 * typed, signalled or cleared. An operator's force outranks it; what was judged before stands.
 */
export const afterProtection = (dance: Dance): Dance => {
  if (isOperators(dance)) return dance;
  if (dance.stage === 'failed') return { ...dance, retried: true };
  if (!dance.stage.startsWith('executing.') && dance.verdict !== null) return dance;
  const over = { ...dance, stage: 'complete' } as const;
  const now = `${dance.target.session} is a protected name now`;
  if (dance.verdict !== null) return { ...over, reason: `${dance.reason}; its pane is left, since ${now}` };
  return dance.killing
    ? { ...over, verdict: 'escalated', reason: `${now}, after signals were sent; no more are` }
    : { ...over, verdict: 'void', reason: now };
};
