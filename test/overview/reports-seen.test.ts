/** What a scan gets of reports: what an agent wants of a person, as it shows or as it reported (M-2). */
import { expect, test } from 'vitest';
import type { StatusReport } from '../../machines/protocol.ts';
import { isOtherQuestion } from '../../machines/alerts/question.ts';
import { verdictOf } from '../../machines/sessions/agent-state.ts';
import type { Need } from '../../machines/sessions/report-state.ts';
import { ReportsSeen, wantsOf, type Wants } from '../../src/overview/reports-seen.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { realDisk } from '../../state/files/disk.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { Reports, REPORTS } from '../../state/monitor/reports.ts';
import { freshFolder } from '../world/over.ts';

const about = { life: 'u', now: 100, afterMs: 20 };
const need = (state: Need['state'], more: Partial<Need> = {}): Need => {
  return { state, what: 'which database?', at: 50, isSure: true, ...more };
};
const SHOWS_NOTHING = { asks: null, halted: null };
const ASKS = { asks: 'which database?', halted: null, question: expect.stringMatching(/^report:/) as string };

// Rules: M-2, law 1.
test.each<[string, object, Need | null | undefined, object]>([
  ['nothing is reported', SHOWS_NOTHING, null, SHOWS_NOTHING],
  ['a question is reported', SHOWS_NOTHING, need('asks'), ASKS],
  ['a question is reported where no pack knows the screen', { asks: '', halted: null }, need('asks'), ASKS],
  [
    'a question is reported beside a dialog',
    { asks: 'Proceed?', halted: null, question: 'screen:x' },
    need('asks'),
    { asks: 'Proceed?', halted: null, question: 'screen:x' },
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
  expect(wantsOf({ asks: undefined, halted: undefined, ...shown }, agent, about)).toEqual(wants);
});

// Rules: A-1, law 8.
test.each<[string, Partial<Need>, Wants, boolean]>([
  ['the same words, reported again', { at: 70 }, SHOWS_NOTHING, false],
  ['other words', { what: 'which port?' }, SHOWS_NOTHING, true],
  ['a dialog', {}, { asks: 'Proceed?', halted: null, question: 'screen:x' }, true],
])('what is reported and then %s: another question, or not', (_, more, shown, isOther) => {
  const asked = (reported: Need, by: Wants) => wantsOf(by, { need: reported, verdict: verdictOf([]) }, about).question;
  const [first, next] = [asked(need('asks'), SHOWS_NOTHING), asked(need('asks', more), shown)];
  expect([isOtherQuestion(first, next), isOtherQuestion(next, first)]).toEqual([isOther, isOther]);
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
  expect(wantsOf({ asks: '', halted: undefined }, agent, about)).toEqual(SHOWS_NOTHING);
});

test('what the last look found stays where the disk refuses the next, and before the first nothing is known', async () => {
  const report: StatusReport = { session: 's', uuid: 'u', status: 'blocked', message: null, outcome: null, at: 1 };
  let isBroken = false;
  const of = () => (isBroken ? Promise.reject(new Error('EIO')) : Promise.resolve(new Map([['s', report]])));
  const reports = new ReportsSeen({ of, end: () => Promise.resolve() }, () => false);
  await expect(reports.of()).rejects.toThrow();
  await reports.look(['s']);
  isBroken = true;
  await reports.look(['s']);
  expect((await reports.of()).get('s')).toEqual(report);
});

// Rules: M-2, law 8.
test('a report that was seen to be over counts no more after a restart, and the next one does', async () => {
  const root = freshFolder();
  const disk = realDisk(root, 0);
  const quarantine = new Quarantine({ disk, wall: Date.now, onRefused: () => undefined });
  await disk.mkdir(FOLDERS.reports);
  const report = (at: number): StatusReport => {
    return { session: 's', uuid: 'u', status: 'blocked', message: null, outcome: null, at };
  };
  const write = (one: StatusReport) => writeFiles(disk, [{ path: REPORTS.place('s'), text: REPORTS.text(one) }]);
  const seenBy = async (isOver: boolean): Promise<number | undefined> => {
    const reports = new ReportsSeen(new Reports({ disk, quarantine }), () => isOver);
    await reports.look(['s']);
    await reports.look(['s']);
    return (await reports.of()).get('s')?.at;
  };
  await write(report(1));
  expect(await seenBy(false)).toBe(1);
  expect(await seenBy(true)).toBeUndefined();
  expect(await seenBy(false)).toBeUndefined();
  await write(report(2));
  expect(await seenBy(false)).toBe(2);
});
