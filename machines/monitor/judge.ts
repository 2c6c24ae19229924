/**
 * How a worker is, by what one poll shows of it and what the poll before left (M-2, M-3). Pure.
 * 1. Blocked outranks what it reported, that outranks busy, and busy outranks idle.
 * 2. The first sight of a life is the baseline (M-4): nothing is told of it, and no count goes on from before.
 * 3. What cannot be seen keeps the state and stops the count (law 1).
 */
import type { Instant, WorkerAlert, WorkerEpisode, WorkerSeen, WorkerState } from '../protocol.ts';
import { isOtherQuestion } from '../alerts/question.ts';
import { WORKER_ALERTS } from '../protocol.ts';

/** What the polls so far left of one life. */
export interface Worker {
  readonly seen: WorkerSeen;
  readonly state: WorkerState;
  /** This look showed that state; else an earlier one did. */
  readonly isShown: boolean;
  /** Polls in a row that showed nothing new. */
  readonly unchanged: number;
  /** When something new was seen last, or the baseline. */
  readonly activeAt: Instant;
}

export interface Look {
  readonly at: Instant;
  /** Of the regular ones, whose number says how long nothing came. */
  readonly isRegular: boolean;
  readonly threshold: number;
}

/** What one poll alone shows. `active`: it may be at work or at rest, which only its marks tell apart. */
type Shown = 'needs_input' | 'complete' | 'error' | 'active' | 'limited' | 'unknown';

const BY_STATE: Readonly<Record<WorkerSeen['state'], Shown>> = {
  asks: 'needs_input',
  logged_out: 'needs_input',
  denied: 'error',
  error: 'error',
  done: 'complete',
  limited: 'limited',
  working: 'active',
  idle: 'active',
  unknown: 'active',
};
const BY_REPORT: Readonly<Record<NonNullable<WorkerSeen['report']>['status'], Shown | null>> = {
  waiting_for_input: 'needs_input',
  blocked: 'needs_input',
  complete: 'complete',
  error: 'error',
  working: null,
  idle: null,
};

/** A report is over once the agent is seen to work on after it. */
export const reportOf = ({ report, workedSince }: WorkerSeen): WorkerSeen['report'] =>
  report !== null && workedSince !== null && workedSince > report.at ? null : report;

export function shownBy(seen: WorkerSeen): Shown {
  const byState = BY_STATE[seen.state];
  if (byState === 'needs_input') return byState;
  const report = reportOf(seen);
  const byReport = report && BY_REPORT[report.status];
  if (byReport !== null) return byReport;
  if (byState !== 'active') return byState;
  if (seen.error !== null && seen.state !== 'working') return 'error';
  return seen.mark === null ? 'unknown' : 'active';
}

/** All that it shows is a report that is known: what was seen after that report outranks it, and cannot be seen now. */
const saysNothingNew = (before: WorkerSeen, { state, mark, report }: WorkerSeen): boolean =>
  state === 'unknown' && mark === null && before.report?.at === report?.at;

/** After one more poll; `before` null = it is seen for the first time. */
export function judge(before: Worker | null, seen: WorkerSeen, { at, isRegular, threshold }: Look): Worker {
  const shown = shownBy(seen);
  if (before !== null && (shown === 'unknown' || saysNothingNew(before.seen, seen)))
    return { ...before, seen: { ...seen, mark: before.seen.mark }, isShown: false };
  const isNew = before === null || before.seen.mark !== seen.mark;
  const step = isRegular ? 1 : 0;
  const unchanged = isNew || shown !== 'active' ? 0 : before.unchanged + step;
  const activeAt = isNew ? at : before.activeAt;
  const kept = { seen, state: before?.state ?? ('unknown' as const), isShown: false, unchanged: 0, activeAt };
  if (shown === 'unknown' || shown === 'limited') return kept;
  const isStuck = unchanged >= threshold && !seen.isExcused;
  const state = shown === 'active' ? (isStuck ? 'stuck' : 'working') : shown;
  return { seen, state, isShown: true, unchanged, activeAt };
}

export const isAlert = (state: WorkerState): state is WorkerAlert => WORKER_ALERTS.some((one) => one === state);

const REPORT = 'report ';
/** The episode is a report, which is told once. */
export const isReport = (key: string): boolean => key.startsWith(REPORT);

/** Tells an episode from the next one in the same state. */
export function keyOf(state: WorkerAlert, seen: WorkerSeen): string {
  const { report, question = '' } = seen;
  const byReport = report !== null && BY_REPORT[report.status] === state ? `${REPORT}${report.at}` : '';
  if (state === 'stuck') return '';
  if (state !== 'needs_input') return byReport;
  return BY_STATE[seen.state] === 'needs_input' ? question : byReport;
}

/** Whether it shows what an earlier look showed: a question that came after more work is another one, also in the same words. */
export function isSameEpisode(open: WorkerEpisode, state: WorkerAlert, seen: WorkerSeen): boolean {
  const key = keyOf(state, seen);
  if (open.state !== state || isReport(open.key) !== isReport(key)) return false;
  if (state !== 'needs_input' || isReport(key)) return open.key === key;
  const hasWorked = seen.workedSince !== null && seen.workedSince > open.since;
  return !hasWorked && !isOtherQuestion(open.key, key);
}
