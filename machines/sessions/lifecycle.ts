/**
 * What becomes of a supervised session when its agent's process ends (C-6, C-9): pure decisions over its record.
 * 1. A clean exit or an execution by warrant ends a `transient` session; an unknown exit is a crash, never a clean one.
 * 2. A crash loop never gives up: it goes on at its doubled and capped pace, with an alarm. A clean exit or an
 *    execution is no crash: a `permanent` session that ends so waits ever longer too, but no budget is charged; clean
 *    ends as frequent as a crash loop are alerted once, as clean ends.
 * 3. A clean end is the agent's wish once its town and its tmux server have outlived it: a machine that goes down ends
 *    agents too, and many of them cleanly. Until then its record says so.
 * 4. An agent that ended for good leaves its crash loop: the town starts it no more.
 * 5. Nothing here looks at a clock: ages and waits are durations.
 */
import { afterBadEnd, afterCleanEnd, afterWish } from './conversation.ts';
import { spread } from '../kernel/seeded-random.ts';
import { showsDeadLogin } from './accounts.ts';
import { orderedAt } from './state.ts';
import type { SessionsPolicy } from './policy.ts';
import type { Exit, Ms, RestartPolicy, SessionRecord, SessionSpec } from '../protocol.ts';
import { backoffMs } from '../kernel/schedule.ts';

/** limited, logged_out: its account stopped it, which is neither its fault nor its wish (C-6, M-9). */
export type Ending = 'clean' | 'crash' | 'executed' | 'limited' | 'logged_out';
export type Sequel = 'end' | 'restart';

/** Every cell: how it ended x how it wants to be restarted. */
export const SEQUEL: Readonly<Record<RestartPolicy, Readonly<Record<Ending, Sequel>>>> = {
  permanent: { clean: 'restart', crash: 'restart', executed: 'restart', limited: 'restart', logged_out: 'restart' },
  transient: { clean: 'end', crash: 'restart', executed: 'end', limited: 'restart', logged_out: 'restart' },
  temporary: { clean: 'end', crash: 'end', executed: 'end', limited: 'end', logged_out: 'end' },
};

export const isClean = (exit: Exit | null): boolean => exit?.kind === 'code' && exit.code === 0;

/** Words about a limit on its last screen explain an exit of its own, no signal that ended it. */
export const endingOf = (exit: Exit | null, maybeSignalled: boolean, limit?: string): Ending => {
  if (maybeSignalled) return 'executed';
  if (limit !== undefined && exit?.kind !== 'signal') return 'limited';
  return isClean(exit) ? 'clean' : 'crash';
};

/** The same, of a life whose account was seen at its limit or logged out. */
const endingIn = ({ bar, incarnation }: SessionRecord, { exit, maybeSignalled, limit }: Death): Ending => {
  const ending = endingOf(exit, maybeSignalled, limit);
  const isAtLimit = bar?.by === 'limited' && bar.life === incarnation?.uuid;
  if (limit !== undefined && ending !== 'executed' && isAtLimit) return 'limited';
  return ending === 'crash' && bar?.by === 'logged_out' ? 'logged_out' : ending;
};

export const exitText = (exit: Exit | null): string =>
  exit === null || exit.kind === 'unknown'
    ? 'with an unknown status'
    : exit.kind === 'code'
      ? `with exit code ${exit.code}`
      : `by signal ${exit.signal}`;

export const freshSession = (spec: SessionSpec, pending: string): SessionRecord => ({
  spec,
  state: 'starting',
  incarnation: null,
  pending,
  tokenHash: null,
  restartAgesMs: [],
  streak: 0,
  restarts: 0,
  crashLoop: false,
  waitMs: 0,
  stableMs: 0,
  lastExit: null,
  note: 'starting',
  startedAt: null,
});

/** The same, with what outlives a life. */
export function renewRecord(old: SessionRecord | undefined, spec: SessionSpec, pending: string): SessionRecord {
  const { incarnation = null, restarts = 0, startedAt = null, remains, conversation, prompt, account, bar } = old ?? {};
  // A conversation is about a folder, and belongs to its program.
  const goesOn = old?.spec.dir === spec.dir && old.spec.command[0] === spec.command[0];
  return {
    ...freshSession(spec, pending),
    incarnation,
    restarts,
    startedAt,
    ...(remains !== undefined && { remains }),
    // Its agent hears this as the reason of its start.
    ...(goesOn && { note: old.state === 'ended' ? `${old.note}; starts again` : old.note }),
    ...(goesOn && conversation !== undefined && { conversation }),
    ...(prompt !== undefined && { prompt }),
    // A wait for a login is not over because another start is asked for.
    ...(goesOn &&
      (old.state !== 'ended' || showsDeadLogin(old)) &&
      account !== undefined && { account, ...(bar !== undefined && { bar }) }),
  };
}

/** The keys in which what is asked for, or stands in town.toml, differs from what a record was started with. */
export function differences(one: SessionSpec, other: SessionSpec): string[] {
  const keys = ['command', 'dir', 'tags', 'restart', 'env'] as const;
  return keys.filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]));
}

/** The n-th wait in a row, spread so that fifty agents do not start in one second. A crash loop goes on at this pace. */
export const waitFor = (streak: number, policy: SessionsPolicy, entropy: string, key: string): Ms =>
  spread(backoffMs(Math.max(1, streak), policy.backoffMs, policy.maxBackoffMs), policy.jitter, entropy, key);

/**
 * How long a session waits whose name is taken. The failed start is part of the key, so that no two sessions keep step.
 */
export const takenWait = ({ spec, pending }: SessionRecord, policy: SessionsPolicy, entropy: string): Ms =>
  spread(policy.takenRetryMs, policy.jitter, entropy, `${spec.name}/taken/${pending ?? ''}`);

/** So many starts failed in a row that a person is alerted. */
export const isFailing = ({ failedStarts = 0 }: SessionRecord, policy: SessionsPolicy): boolean =>
  failedStarts >= policy.crashLoopRestarts;
/** Why the session does not run, if an operator wanted that. */
export const STOPPED = 'stopped by the operator';
/** The same, if a patrol of the town wanted that. */
export const STOPPED_BY_TOWN = 'stopped by the town, which has no use for it any more';

/** The record of clean ends, cleared when the session runs steadily, ends for good or an operator acts on it. */
const CALM = { cleanAgesMs: undefined, restless: undefined } as const;
/** The record with nothing counted against the session any more. */
export const AT_PEACE = { crashLoop: false, streak: 0, restartAgesMs: [], stableMs: 0, ...CALM } as const;
/** The same without the trouble of its failed starts. */
export function withoutTrouble({ failedStarts: _, ...before }: SessionRecord): SessionRecord {
  return withoutCause(before);
}
/** The same without what its start waits for. */
export function withoutCause({
  nameTaken: _n,
  personThere: _p,
  startBlocked: _b,
  ...rest
}: SessionRecord): SessionRecord {
  return rest;
}

interface Death {
  readonly exit: Exit | null;
  readonly maybeSignalled: boolean;
  /** Since the ages were last brought up to date. */
  readonly elapsedMs: Ms;
  /** The tmux server died, and this is the wait of all that lived in it; null = it died by itself. */
  readonly sharedWaitMs: Ms | null;
  readonly limit?: string | undefined;
  readonly lastWords?: string | undefined;
}

/** What follows an end that was asked for, before the restart policy; null = it was not asked for. */
function asAsked(
  { asked, incarnation, conversation }: SessionRecord,
  { backoffMs }: SessionsPolicy,
): (Partial<SessionRecord> & Pick<SessionRecord, 'state' | 'note'>) | null {
  if (!asked || asked.uuid !== incarnation?.uuid) return null;
  const { operatorAt, townAt, renewedAt, then } = asked;
  const isRenewed = renewedAt !== undefined;
  const isStopped = orderedAt(asked) !== undefined;
  const [whose, end] =
    operatorAt !== undefined
      ? ['the operator', STOPPED]
      : townAt !== undefined
        ? ['the town', STOPPED_BY_TOWN]
        : ['its agent', 'ended as its agent asked'];
  if (then === 'end') return { state: 'ended', note: end };
  const note = isRenewed ? 'starts again, since its account is logged in again' : `starts again as ${whose} asked`;
  return {
    state: 'backing_off',
    asked: null,
    waitMs: isStopped || isRenewed ? 0 : backoffMs,
    note,
    ...(!isStopped && !isRenewed && conversation !== undefined && { conversation: afterWish(conversation) }),
  };
}

/** The town ended before it could tell a wish from a shutdown. */
export function withoutWish({ endUnconfirmed: _, ...r }: SessionRecord, { backoffMs }: SessionsPolicy): SessionRecord {
  const note = 'ended cleanly just before its town and its tmux server did, which is not its wish; starts again';
  return { ...r, state: 'backing_off', waitMs: backoffMs, note };
}

/** A worker of a rig. Its patrol decides what follows its end (P-8), and counts that as an attempt of its work. */
const isPolecat = ({ tags }: SessionSpec): boolean =>
  tags.includes('polecat') && tags.some((tag) => tag.startsWith('rig:'));

/** What else the record of a session that ends for good says; null = the session starts again. */
function endFor(
  { spec, bar, incarnation }: SessionRecord,
  ending: Ending,
  { sharedWaitMs, exit }: Death,
): Pick<SessionRecord, 'endUnconfirmed'> | null {
  const { restart } = spec;
  if (SEQUEL[restart][ending] === 'restart') return null;
  // The death of the tmux server, a limit and a dead login are no attempt that failed: a polecat goes on with its work (C-9, M-9).
  // Words about a limit on its last screen prove none: a scan must have seen this very life at it.
  const isBarred =
    bar !== undefined &&
    bar.life === incarnation?.uuid &&
    (ending === 'limited' || ending === 'logged_out') &&
    !isClean(exit);
  const isNoFault = isBarred || (ending === 'crash' && sharedWaitMs !== null);
  if (isNoFault && isPolecat(spec)) return null;
  // Whether the agent wished its end matters only if another end would be followed by a start.
  if (ending !== 'clean' || SEQUEL[restart].crash === 'end') return {};
  return sharedWaitMs === null ? { endUnconfirmed: true } : null;
}

/** Its conversation with one more bad end, or with none after a clean one. The death of a server is not its fault, and neither is a limit. */
function withDeathOf(
  { conversation }: SessionRecord,
  ending: Ending,
  { sharedWaitMs }: Death,
): Pick<SessionRecord, 'conversation'> {
  if (conversation === undefined || sharedWaitMs !== null) return {};
  if (ending === 'clean') return { conversation: afterCleanEnd(conversation) };
  return ending === 'crash' || ending === 'executed' ? { conversation: afterBadEnd(conversation) } : {};
}

/** Of a known account a scan sees when the login is back. */
const waitsForLogin = ({ account }: SessionRecord, how: string): Pick<SessionRecord, 'note' | 'startBlocked'> => ({
  note: `${how} while it was logged out; starts once its login is back`,
  ...(account !== undefined && { startBlocked: true }),
});

export function afterDeath(
  record: SessionRecord,
  death: Death,
  policy: SessionsPolicy,
  entropy: string,
): SessionRecord {
  const ending = endingIn(record, death);
  const how = ending === 'executed' ? 'was ended by warrant' : `ended ${exitText(death.exit)}`;
  const { lastWords: _, ...before } = record;
  const { lastWords } = death;
  const over = {
    ...before,
    lastExit: death.exit,
    pending: null,
    stableMs: 0,
    ...(lastWords !== undefined && { lastWords }),
    ...withDeathOf(record, ending, death),
  };
  const forGood = { ...over, state: 'ended', waitMs: 0, crashLoop: false, ...CALM } as const;
  const sequel = asAsked(record, policy);
  if (sequel !== null) return sequel.state === 'ended' ? { ...forGood, ...sequel } : { ...over, ...sequel };
  const end = endFor(record, ending, death);
  if (end !== null) return { ...forGood, note: how, ...end };
  const older = (agesMs: readonly Ms[]): readonly Ms[] =>
    agesMs.map((age) => age + death.elapsedMs).filter((age) => age < policy.withinMs);
  const ages = older(record.restartAgesMs);
  const cleanAges = older(record.cleanAgesMs ?? []);
  const again: SessionRecord = {
    ...over,
    state: 'backing_off',
    restartAgesMs: ages,
    ...(record.cleanAgesMs !== undefined && { cleanAgesMs: cleanAges }),
  };
  if (death.sharedWaitMs !== null)
    return { ...again, waitMs: death.sharedWaitMs, note: 'the tmux server died; starts again' };
  const key = `${record.spec.name}/${record.restarts}`;
  if (ending === 'limited' || ending === 'logged_out') {
    const waitMs = spread(policy.limitRetryMs, policy.jitter, entropy, key);
    if (ending === 'logged_out') return { ...again, waitMs, ...waitsForLogin(record, how) };
    return { ...again, waitMs, note: `stopped by a usage limit (${death.limit}); tried again` };
  }
  const streak = record.streak + 1;
  const waited = { ...again, streak, waitMs: waitFor(streak, policy, entropy, key), note: `${how}; starts again` };
  if (ending === 'clean') {
    const cleanAgesMs = [...cleanAges, 0].slice(-policy.crashLoopRestarts);
    const restless = record.restless === true || cleanAgesMs.length >= policy.crashLoopRestarts;
    return { ...waited, cleanAgesMs, ...(restless && { restless }) };
  }
  if (ending !== 'crash') return waited;
  const restartAgesMs = [...ages, 0].slice(-policy.crashLoopRestarts); // older ones decide nothing
  const crashLoop = record.crashLoop || restartAgesMs.length >= policy.crashLoopRestarts; // over only when it runs steadily
  return { ...waited, restartAgesMs, crashLoop };
}
