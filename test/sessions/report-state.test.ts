/** How an agent is that reported something of itself, with what its other sources say (M-2). */
import { describe, expect, test } from 'vitest';
import type { ReportStatus, StatusReport } from '../../machines/protocol.ts';
import { SAID_STATES, verdictOf, type SaidState, type Word } from '../../machines/sessions/agent-state.ts';
import { AGENT_STATE } from '../../machines/sessions/policy.ts';
import { neededBy, reportWord, withReport, type Reporter } from '../../machines/sessions/report-state.ts';

const NOW = 10_000_000;
const REPORTED = NOW - 60_000;
const BEFORE = REPORTED - 60_000;
const SINCE = REPORTED + 30_000;
const report = (status: ReportStatus, more: Partial<StatusReport> = {}): StatusReport => {
  return { session: 'w1', uuid: 'life', status, message: 'm', outcome: null, at: REPORTED, ...more };
};
const about: Reporter = { life: 'life', now: NOW, workedSince: null, watchedSince: BEFORE };
const word = (state: SaidState, since: number | null, by: Word['by'] = 'program'): Word => {
  return { by, source: `the ${by}`, state, since, at: NOW, detail: null, rule: null };
};
const together = (other: Word, status: ReportStatus): string =>
  withReport(verdictOf([other]), reportWord(report(status), about)).state;

// Rules: M-2.
test.each([
  ['idle', 'idle'],
  ['working', 'working'],
  ['waiting_for_input', 'asks'],
  ['blocked', 'asks'],
  ['complete', 'done'],
  ['error', 'error'],
] as const)('%s alone is %s, with its source and its age', (status, state) => {
  const verdict = withReport(verdictOf([]), reportWord(report(status), about));
  expect(verdict).toMatchObject({ state, word: { source: 'its own report', since: REPORTED, detail: 'm' } });
});

// Rules: M-2, law 3.
test.each([
  ['of another life', { ...about, life: 'next' }, 'idle'],
  ['that is too old', { ...about, now: REPORTED + AGENT_STATE.reportMs + 1 }, 'idle'],
  ['before later work', { ...about, workedSince: SINCE }, 'idle'],
  ['from before its agent was watched', { ...about, watchedSince: SINCE }, 'idle'],
  ['of an agent that is not watched', { ...about, watchedSince: null }, 'idle'],
  ['of a later time than it is', { ...about, now: REPORTED - 1 }, 'idle'],
  ['in the midst of its work', { ...about, workedSince: BEFORE }, 'done'],
])('a report %s', (_, asked, state) => {
  expect(withReport(verdictOf([word('idle', SINCE)]), reportWord(report('complete'), asked)).state).toBe(state);
});

const X = 'unknown';
// Rules: M-2.
describe('another source', () => {
  // The report says:                idle, working, waiting_for_input, complete, error
  const REPORTS = ['idle', 'working', 'waiting_for_input', 'complete', 'error'] as const;
  test.each<[SaidState, readonly string[]]>([
    ['working', ['working', 'working', 'working', 'working', 'working']],
    ['idle', ['idle', X, 'asks', 'done', 'error']],
    ['asks', [X, X, 'asks', X, X]],
    ['denied', ['denied', X, X, X, X]],
    ['limited', ['limited', X, 'limited', X, 'limited']],
    ['logged_out', ['logged_out', X, 'logged_out', X, 'logged_out']],
    ['error', ['error', X, X, X, 'error']],
    ['done', ['done', X, X, 'done', X]],
  ])('that said %s before the report', (state, all) => {
    expect(REPORTS.map((status) => together(word(state, BEFORE), status))).toEqual(all);
  });

  test.each(SAID_STATES)('that says %s since the report outranks it, but where no turn runs', (state) => {
    const explained = state === 'idle' ? ['idle', 'idle', 'asks', 'done', 'error'] : REPORTS.map(() => state);
    for (const by of ['program', 'screen'] as const)
      expect(REPORTS.map((status) => together(word(state, SINCE, by), status))).toEqual(explained);
    // Asked later than it was said.
    expect(REPORTS.map((status) => together(word(state, null), status))).toEqual(explained);
  });

  test('and the report are both shown where they contradict each other', () => {
    const verdict = withReport(verdictOf([word('asks', BEFORE)]), reportWord(report('complete'), about));
    expect(verdict.disagree.map(({ source }) => source)).toEqual(['the program', 'its own report']);
  });
});

// Rules: M-2.
test('a report of an agent that is not watched counts where nothing else is known', () => {
  const reported = reportWord(report('complete'), { ...about, watchedSince: null });
  expect(withReport(verdictOf([]), reported).state).toBe('done');
});

// Rules: M-2.
test('sources that disagree already are not overruled by a report', () => {
  const others = verdictOf([word('working', BEFORE), word('idle', BEFORE, 'screen')]);
  expect(withReport(others, reportWord(report('complete'), about))).toEqual(others);
});

// Rules: M-2, law 1.
describe('what a person is needed for', () => {
  const needed = (status: ReportStatus, others: Word[], asked: Partial<Reporter> = {}) =>
    neededBy(verdictOf(others), reportWord(report(status), { ...about, ...asked }));

  test.each([
    ['waiting_for_input', 'asks'],
    ['blocked', 'asks'],
    ['error', 'error'],
  ] as const)('%s stands while its agent rests, also for longer than other reports', (status, state) => {
    const need = { state, what: 'm', at: REPORTED, isSure: true };
    expect(needed(status, [word('idle', SINCE)])).toEqual(need);
    expect(needed(status, [word('idle', SINCE)], { now: NOW + AGENT_STATE.reportMs })).toEqual(need);
    expect(needed(status, [])).toEqual(need);
    expect(needed(status, [word('working', BEFORE)])).toBeNull();
    expect(needed(status, [word('idle', SINCE)], { workedSince: SINCE })).toBeNull();
  });

  test('is not sure where the agent may have worked unseen, and nothing by any other report', () => {
    expect(needed('blocked', [word('idle', SINCE)], { watchedSince: SINCE })).toMatchObject({ isSure: false });
    for (const status of ['idle', 'working', 'complete'] as const)
      expect(needed(status, [word('idle', SINCE)])).toBeNull();
  });
});
