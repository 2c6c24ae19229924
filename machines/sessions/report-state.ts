/**
 * How an agent is, where it said something of itself (M-2): its report with what its other sources say. Pure.
 * 1. A report is of one moment: other words tell what came after it. It counts for its own life, for a while, until the agent is
 *    seen to work again.
 * 2. That no turn runs is what a report explains: who waits for input, or is done, is idle on its screen.
 * 3. What began after the report outranks it. What stood before it and contradicts it makes the state unknown.
 * 4. While its turn goes on the agent works: what it says of itself is about what comes then.
 */
import type { WallMs } from '../protocol/identity.ts';
import type { ReportStatus, StatusReport } from '../protocol/monitor.ts';
import { together, type SaidState, type Verdict, type Word } from './agent-state.ts';
import { AGENT_STATE } from './policy.ts';

const STATES: Readonly<Record<ReportStatus, SaidState>> = {
  idle: 'idle',
  working: 'working',
  waiting_for_input: 'asks',
  blocked: 'asks',
  complete: 'done',
  error: 'error',
};

export interface Reporter {
  /** The uuid of the life that is asked about. */
  readonly life: string;
  readonly now: WallMs;
  /** When the agent began the work that was seen last; null = none was seen. */
  readonly workedSince: WallMs | null;
}

/** null = it says nothing of now. A clock that was set back makes no report younger than it can be. */
export function reportWord(report: StatusReport | undefined, { life, now, workedSince }: Reporter): Word | null {
  if (report?.uuid !== life || now - report.at > AGENT_STATE.reportMs) return null;
  const state = STATES[report.status];
  if (workedSince !== null && workedSince > report.at) return null;
  const { at, message: detail } = report;
  return { by: 'report', source: 'its own report', state, since: at, at, detail, rule: null };
}

/** What its other sources say, with its report. */
export function withReport(others: Verdict, report: Word | null): Verdict {
  const { word } = others;
  if (report === null || others.disagree.length > 0) return others;
  if (word === null) return { state: report.state, word: report, disagree: [] };
  const began = word.since ?? word.at;
  if (word.state === 'working' || report.state === word.state) return others;
  const explains = word.state === 'idle' && report.state !== 'working';
  if (began > report.at && !explains) return others;
  const state = explains ? report.state : together(word.state, report.state);
  if (state === null) return { state: 'unknown', word: null, disagree: [word, report] };
  return state === word.state ? others : { state, word: { ...report, state }, disagree: [] };
}
