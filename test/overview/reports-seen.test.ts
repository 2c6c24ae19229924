/** What a scan gets of reports: what an agent wants of a person, as it shows or as it reported (M-2). */
import { expect, test } from 'vitest';
import type { StatusReport } from '../../machines/protocol.ts';
import { verdictOf } from '../../machines/sessions/agent-state.ts';
import type { Need } from '../../machines/sessions/report-state.ts';
import { ReportsSeen, wantsOf } from '../../src/overview/reports-seen.ts';

const lasts = { now: 100, afterMs: 20 };
const need = (state: Need['state'], more: Partial<Need> = {}): Need => {
  return { state, what: 'which database?', at: 50, isSure: true, ...more };
};
const SHOWS_NOTHING = { asks: null, halted: null };
const ASKS = { asks: 'which database?', halted: null, isReported: true };

// Rules: M-2, law 1.
test.each<[string, object, Need | null | undefined, object]>([
  ['nothing is reported', SHOWS_NOTHING, null, SHOWS_NOTHING],
  ['a question is reported', SHOWS_NOTHING, need('asks'), ASKS],
  ['a question is reported where no pack knows the screen', { asks: '', halted: null }, need('asks'), ASKS],
  [
    'a question is reported beside a dialog',
    { asks: 'Proceed?', halted: null },
    need('asks'),
    { asks: 'Proceed?', halted: null },
  ],
  [
    'an error is reported',
    SHOWS_NOTHING,
    need('error'),
    { asks: null, halted: { state: 'error', what: 'which database?' } },
  ],
  ['a report is young: nothing begins or ends', SHOWS_NOTHING, need('asks', { at: 90 }), { asks: '', halted: null }],
  [
    'an error may be over: nothing begins or ends',
    SHOWS_NOTHING,
    need('error', { isSure: false }),
    { asks: null, halted: undefined },
  ],
  ['reports were not read: nothing begins or ends', SHOWS_NOTHING, undefined, { asks: '', halted: undefined }],
])('%s', (_, shown, reported, wants) => {
  const agent = { need: reported, verdict: verdictOf([]) };
  expect(wantsOf({ asks: undefined, halted: undefined, ...shown }, agent, lasts)).toEqual(wants);
});

test('the next report of an agent that nothing else tells of is the end of what it reported before', () => {
  const word = {
    by: 'report',
    source: 'its own report',
    state: 'working',
    since: 1,
    at: 1,
    detail: null,
    rule: null,
  } as const;
  const agent = { need: null, verdict: verdictOf([word]) };
  expect(wantsOf({ asks: '', halted: undefined }, agent, lasts)).toEqual(SHOWS_NOTHING);
});

test('what the last look found stays where the disk refuses the next, and before the first nothing is known', async () => {
  const report: StatusReport = { session: 's', uuid: 'u', status: 'blocked', message: null, outcome: null, at: 1 };
  let isBroken = false;
  const reports = new ReportsSeen({
    of: () => (isBroken ? Promise.reject(new Error('EIO')) : Promise.resolve(new Map([['s', report]]))),
  });
  await expect(reports.of()).rejects.toThrow();
  await reports.look(['s']);
  isBroken = true;
  await reports.look(['s']);
  expect((await reports.of()).get('s')).toEqual(report);
});
