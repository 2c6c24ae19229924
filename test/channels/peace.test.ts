/** What leaves a person in peace, and that nothing is lost by it. */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { Told } from '../../machines/alerts/slots.ts';
import { isAsk } from '../../machines/channels/of-town.ts';
import {
  askedInPane,
  overBefore,
  reserveOf,
  staleWells,
  withinHours,
  withRepeated,
  type Hour,
} from '../../machines/channels/peace.ts';
import { CHANNELS } from '../../machines/channels/policy.ts';
import { routeOf } from '../../machines/channels/route.ts';
import { mailNotice } from '../../src/alerts/notify.ts';
import { dayOf, sayAllWell } from '../../src/channels/all-well.ts';
import { Rig } from '../town/rig.ts';
import { settled } from '../town/fake-clock.ts';
import { told } from './make.ts';

const asks = (more: object = {}): Told => told('builder asks', { episode: 'needs-input/builder', ...more });
const ended = (more: object = {}): Told => asks({ kind: 'recovered', question: false, ends_question: true, ...more });

test.each<[string, Told, string | null]>([
  ['a dialog stands in its pane', asks(), 'builder'],
  ['its end is asked in none', ended(), null],
  ['another alert neither', told('x', { episode: 'crash-loop/builder' }), null],
  ['what stands for several neither', asks({ together: 2 }), null],
  ['nor a letter', { kind: 'mail', text: 'x' }, null],
])('%s', (_, notice, session) => {
  expect(askedInPane(notice)).toBe(session);
});

describe('what is over before it was told', () => {
  const over = (told: readonly string[], ...notices: readonly Told[]): string[] => {
    const waiting = notices.map((notice, at) => ({ id: String(at), notice }));
    return [...overBefore(waiting, (episode) => told.includes(episode))];
  };
  test.each<[string, string[], string[]]>([
    ['is told no more, nor is its end', over([], asks(), ended()), ['0', '1']],
    ['also where it was repeated', over([], asks(), asks(), ended()), ['0', '1', '2']],
    ['and stands again', over([], asks(), ended(), asks()), ['0', '1']],
    ['what is repeated is not over', over([], asks(), asks()), []],
    [
      'what was told, repeated and ended is told as over',
      over(['needs-input/builder'], asks(), asks(), ended()),
      ['0', '1'],
    ],
    ['an end is told of what was', over(['needs-input/builder'], asks(), ended()), ['0']],
    ['an end alone is', over([], ended()), []],
    ['and what goes on', over([], asks(), ended({ episode: 'needs-input/tester' })), []],
    ['what stands for several is told', over([], asks({ together: 3 }), ended()), []],
  ])('%s', (_, ids, expected) => {
    expect(ids).toEqual(expected);
  });
});

test('what is repeated is told once, in its newest words, and each other notice by itself', () => {
  const notices = [
    asks(),
    told('x', { episode: 'crash-loop/builder' }),
    asks(),
    asks({ together: 2 }),
    asks({ together: 2 }),
  ];
  const all = withRepeated(notices.map((notice, at) => ({ id: String(at), notice })));
  expect([...all].map(([id, of]) => [id, of.map((one) => one.id)])).toEqual([
    ['2', ['0', '2']],
    ['1', ['1']],
    ['3', ['3']],
    ['4', ['4']],
  ]);
});

describe('the budget of an hour', () => {
  const MINUTE = 60_000;
  const now = 10 * 60 * MINUTE;
  const ago = (...minutes: readonly number[]): number[] => minutes.map((one) => now - one * MINUTE);
  const waits = (notice: Told) => ({ notice });
  const within = (hours: readonly Hour[], at: number, ...due: readonly Told[]) =>
    withinHours(due.map(waits), {
      hours,
      isAsk: (one) => isAsk(one.notice),
      isLate: (one) => one.notice['late'] === true,
      now: at,
    });
  const budget = (sentAt: readonly number[], ...due: readonly Told[]) => {
    const { all, ...rest } = within([{ sentAt, perHour: 4 }], now, ...due);
    return { ...rest, all: all.map(({ notice }) => notice.text) };
  };
  const news = told('news', { question: false });
  const critical = told('critical', { severity: 'critical' });
  const none = { room: 0, askRoom: 0, all: [] };
  // Two of four are kept for what asks.
  test.each<[string, ReturnType<typeof budget>, object]>([
    ['has room for all at first', budget([]), { room: 2, askRoom: 4, waitMs: 0, all: [] }],
    ['has less for each', budget(ago(50), news), { room: 1, askRoom: 3, waitMs: 0, all: ['news'] }],
    ['holds back what is beyond it', budget(ago(50, 20, 10), news), { ...none, waitMs: 40 * MINUTE }],
    [
      'keeps some for what asks',
      budget(ago(50, 20, 10), news, asks()),
      { room: 1, askRoom: 1, waitMs: 40 * MINUTE, all: ['builder asks'] },
    ],
    ['holds that back beyond all', budget(ago(50, 40, 20, 10), news, asks()), { ...none, waitMs: 10 * MINUTE }],
    ['begins anew after the hour', budget(ago(60, 20), news), { room: 1, askRoom: 3, waitMs: 0, all: ['news'] }],
    [
      'holds nothing back by a clock that went back',
      budget(ago(-50, -20)),
      { room: 2, askRoom: 4, waitMs: 0, all: [] },
    ],
    [
      'gives way to what is critical, with all that waits',
      budget(ago(50, 20, 10), news, critical),
      { room: 0, askRoom: 0, waitMs: 0, all: ['news', 'critical'] },
    ],
    [
      'lets a question take along what is critical, however late the last message went',
      budget(ago(50, 20, 1), news, critical, asks()),
      { room: 1, askRoom: 1, waitMs: CHANNELS.urgentMs - MINUTE, all: ['critical', 'builder asks'] },
    ],
    [
      'lets news that waited an hour use what is kept',
      budget(ago(50, 20, 10), { ...news, late: true }),
      { room: 1, askRoom: 1, waitMs: 0, all: ['news'] },
    ],
    ['a few minutes apart', budget(ago(50, 20, 1), critical), { ...none, waitMs: CHANNELS.urgentMs - MINUTE }],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  test('of several the narrowest counts', () => {
    const hours = [
      { sentAt: ago(10), perHour: 4 },
      { sentAt: ago(30, 10), perHour: 4 },
    ];
    expect(within(hours, now, news)).toMatchObject({ all: [], waitMs: 30 * MINUTE });
    expect(within(hours, now, asks())).toMatchObject({ room: 2, waitMs: 0 });
  });

  test('in any order of news and questions one of the reserve goes out at once, and no hour has more than its budget', () => {
    const HOUR = CHANNELS.budgetMs;
    const step = fc.record({ isAsk: fc.boolean(), afterMs: fc.integer({ min: 0, max: HOUR / 8 }) });
    const steps = fc.array(step, { maxLength: 120 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), steps, (perHour, inAll, all) => {
        const sent: { readonly at: number; readonly isAsk: boolean }[] = [];
        const reserve = Math.min(reserveOf(perHour), reserveOf(inAll));
        let at = now;
        for (const { isAsk: isQuestion, afterMs } of all) {
          at += afterMs;
          const recent = sent.filter((one) => one.at > at - HOUR);
          const sentAt = recent.map((one) => one.at);
          const notice = isQuestion ? asks() : news;
          const goes = within(
            [
              { sentAt, perHour },
              { sentAt, perHour: inAll },
            ],
            at,
            news,
            notice,
          ).all.some((one) => one.notice === notice);
          if (isQuestion && recent.filter((one) => one.isAsk).length < reserve) expect(goes).toBe(true);
          if (goes) sent.push({ at, isAsk: isQuestion });
          expect(sent.filter((one) => one.at > at - HOUR).length).toBeLessThanOrEqual(Math.min(perHour, inAll));
        }
      }),
    );
  });
});

test.each<[string, Told, boolean]>([
  ['a dialog asks', asks(), true],
  ['many of them too', asks({ together: 3 }), true],
  ['its end does not', ended(), false],
  ['nor an alert that can only be acknowledged', told('x', { episode: 'crash-loop/builder' }), false],
  ['one with answers does', told('x', { episode: 'verdict/d1', answers: ['pardon'] }), true],
  ['a letter that asks does', { kind: 'mail', id: 'm1', text: 'x', question: true }, true],
  ['another does not', { kind: 'mail', id: 'm1', text: 'x' }, false],
])('of what the reserve of a budget is for: %s', (_, notice, expected) => {
  expect(isAsk(notice)).toBe(expected);
});

describe('"nothing needs you"', () => {
  const at = (day: number, hour: number): number => new Date(2026, 10, day, hour, 30).getTime();
  test.each([
    ['08:00-10:00', at(28, 9), 28],
    ['08:00-10:00', at(28, 7), null],
    ['22:00-06:00', at(28, 23), 28],
    ['22:00-06:00', at(29, 5), 28],
  ])('%s, case %#', (hours, wall, day) => {
    expect(dayOf(hours, wall)?.getDate() ?? null).toBe(day);
  });

  test('is said once in the hours of a day, and not while something does, or where that is not known', async () => {
    const said: string[] = [];
    let wall = at(28, 7);
    const counts = [null, 2, 0, 0, 0];
    const stop = new AbortController();
    const clock = {
      wall: () => wall,
      sleep: () => {
        wall += CHANNELS.listEveryMs;
        if (wall > at(29, 11)) stop.abort();
        return Promise.resolve();
      },
    };
    const questions = (): Promise<number | null> => Promise.resolve(counts.length > 0 ? counts.shift()! : 0);
    const tell = (notice: Told): Promise<void> => Promise.resolve(void said.push(String(notice['at'])));
    const isSaid = (since: number): Promise<boolean> => Promise.resolve(said.some((at) => Date.parse(at) >= since));
    const needs = { questions, isSaid, tell, clock, log: () => undefined };
    await sayAllWell({ ...needs, hours: '08:00-10:00' }, stop.signal);
    // The third look of the first day and the first of the second.
    const EIGHT = [28, 29].map((day) => new Date(2026, 10, day, 8).getTime());
    expect(said.map((at, nth) => Date.parse(at) - (EIGHT[nth] ?? 0))).toEqual([2 * CHANNELS.listEveryMs, 0]);
    expect(counts).toEqual([0]);
    await sayAllWell({ ...needs, hours: null }, new AbortController().signal);
    expect(said).toHaveLength(2);
  });

  test.each([
    ['alone', [], 0, []],
    ['after an older notice', [-1], 0, []],
    ['behind which something came', [1], 0, ['well']],
    ['that was held up', [], CHANNELS.listEveryMs + 1, ['well']],
    ['of a clock that went back', [], -CHANNELS.listEveryMs - 1, ['well']],
  ])('that waits %s: what of it is no news any more', (_, others, later, stale) => {
    const one = (id: string, ms: number): { id: string; at: number; notice: Told } => {
      return { id, at: at(28, 8) + ms, notice: { kind: id, text: id } };
    };
    const waiting = [one('well', 0), ...others.map((ms) => one('alert', ms))];
    expect([...staleWells(waiting, at(28, 8) + later)]).toEqual(stale);
  });

  test('goes to every channel, and news of the town goes to none', () => {
    const well = { kind: 'well', text: 'Nothing needs you.', severity: 'low' };
    expect(routeOf(well, [], ['ntfy'], 0).to).toEqual(['ntfy']);
    const digest = { severity: 'low', tag: null, to: ['ntfy'], quiet: null, digest: 7_200_000 } as const;
    expect(routeOf(well, [digest], ['ntfy'], 0).digestMs).toBeNull();
    const letter = { id: 'm', from: 'town', subject: 'pardoned', urgent: false, via: 'town', sentAt: 0 } as const;
    expect(routeOf(mailNotice(letter), [], ['ntfy'], 0).to).toEqual([]);
  });
});

describe('a healthy night', () => {
  let rig: Rig;
  afterEach(() => rig.stop());

  // Rules: law 8.
  test('sends no message', async () => {
    const NIGHT_MS = 8 * 60 * 60_000;
    rig = new Rig();
    await settled();
    const messages = (): number => rig.performed.filter(({ type }) => type === 'notify' || type === 'mail').length;
    await rig.clock.pass(NIGHT_MS);
    expect(rig.performed.length).toBeGreaterThan(1_000);
    expect(messages()).toBe(0);
    await rig.news({ type: 'CONDITION_FOUND', what: 'disk', why: 'no space left' });
    expect(messages()).toBe(1);
  });
});
