/**
 * How an agent is, where it said something of itself (M-2): its report with what its other sources say. Pure.
 * 1. A report is of one moment: other words tell what came after it. It counts for its own life, for a while, until the agent is
 *    seen to work again.
 * 2. That no turn runs is what a report explains: who waits for input, or is done, is idle on its screen.
 * 3. What began after the report outranks it. What stood before it and contradicts it makes the state unknown.
 * 4. A report from before the town watched its agent explains nothing: the agent may have worked since. It counts where nothing
 *    else is known.
 * 5. While its turn goes on the agent works: what it says of itself is about what comes then.
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
  /** Since when its work is seen; null = it is not. */
  readonly watchedSince: WallMs | null;
}

export interface Reported {
  readonly word: Word;
  /** The agent may have worked since, unseen. */
  readonly mayBeOver: boolean;
}

/** null = it says nothing of now. One from the future is of a clock that was set back: how old it is, is not known. */
export function reportWord(report: StatusReport | undefined, reporter: Reporter): Reported | null {
  const { life, now, workedSince, watchedSince } = reporter;
  if (report?.uuid !== life || now - report.at > AGENT_STATE.reportMs || report.at > now) return null;
  const state = STATES[report.status];
  if (workedSince !== null && workedSince > report.at) return null;
  const { at, message: detail } = report;
  const word = { by: 'report', source: 'its own report', state, since: at, at, detail, rule: null } as const;
  return { word, mayBeOver: watchedSince === null || watchedSince > at };
}

/** What its other sources say, with its report. */
export function withReport(others: Verdict, reported: Reported | null): Verdict {
  const { word } = others;
  if (reported === null || others.disagree.length > 0) return others;
  const { word: report, mayBeOver } = reported;
  if (word === null) return { state: report.state, word: report, disagree: [] };
  if (mayBeOver) return others;
  const began = word.since ?? word.at;
  if (word.state === 'working' || report.state === word.state) return others;
  const explains = word.state === 'idle' && report.state !== 'working';
  if (began > report.at && !explains) return others;
  const state = explains ? report.state : together(word.state, report.state);
  if (state === null) return { state: 'unknown', word: null, disagree: [word, report] };
  return state === word.state ? others : { state, word: { ...report, state }, disagree: [] };
}
