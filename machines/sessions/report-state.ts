/**
 * How an agent is, where it said something of itself (M-2): its report with what its other sources say. Pure.
 * 1. A report is of one moment: other words tell what came after it. It counts for its own life, until the agent is seen to work
 *    again, and for a while only; what a person is needed for counts as long as nothing says that it is over.
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

/** What a person hears where the report says no more. */
const NEEDED = { asks: 'it reported that it waits for a person', error: 'it reported an error' } as const;

/** What an agent needs a person for, by its own report. */
export interface Need {
  readonly state: keyof typeof NEEDED;
  /** In its own words. Foreign text. */
  readonly what: string;
  readonly at: WallMs;
  /** Else it may be over: the agent may have worked since, unseen. */
  readonly isSure: boolean;
}

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

/** Its agent was seen to begin other work after it. */
export const isOver = ({ at }: Pick<StatusReport, 'at'>, { workedSince }: Pick<Reporter, 'workedSince'>): boolean =>
  workedSince !== null && workedSince > at;

/** null = it says nothing of now. One from the future is of a clock that was set back: how old it is, is not known. */
export function reportWord(report: StatusReport | undefined, reporter: Reporter): Reported | null {
  const { life, now, workedSince, watchedSince } = reporter;
  if (report?.uuid !== life || report.at > now) return null;
  const state = STATES[report.status];
  if (!(state in NEEDED) && now - report.at > AGENT_STATE.reportMs) return null;
  if (isOver(report, { workedSince })) return null;
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

/** null = it needs none, or what its other sources say outranks the report. */
export function neededBy(others: Verdict, reported: Reported | null): Need | null {
  if (reported === null) return null;
  const { word, mayBeOver } = reported;
  const { state, at, detail } = word;
  if (state !== 'asks' && state !== 'error') return null;
  const verdict = withReport(others, reported);
  const isSure = verdict.word?.by === 'report';
  if (!isSure && !(mayBeOver && verdict.state === 'idle')) return null;
  return { state, what: detail?.trim() || NEEDED[state], at, isSure };
}
