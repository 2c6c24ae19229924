/** What leaves a person in peace, and that nothing is lost by it. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Told } from '../../machines/alerts/slots.ts';
import { askedInPane, budgetOf, narrowest, overBefore, withRepeated } from '../../machines/channels/peace.ts';
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
  const budget = (sentAt: readonly number[], ...waiting: readonly Told[]) =>
    budgetOf(sentAt, { perHour: 3, waiting, now });
  const critical = told('x', { severity: 'critical' });
  test.each<[string, ReturnType<typeof budgetOf>, object]>([
    ['has room for all at first', budget([]), { room: 3, waitMs: 0 }],
    ['has less for each', budget(ago(50, 10)), { room: 1, waitMs: 0 }],
    ['holds back what is beyond it', budget(ago(50, 20, 10), told('x')), { room: 0, waitMs: 10 * MINUTE }],
    ['begins anew after the hour', budget(ago(60, 20, 10), told('x')), { room: 1, waitMs: 0 }],
    ['holds nothing back by a clock that went back', budget(ago(-50, -20, -10)), { room: 3, waitMs: 0 }],
    ['gives way to what is critical', budget(ago(50, 20, 10), told('x'), critical), { room: 0, waitMs: 0 }],
    ['a few minutes apart', budget(ago(50, 20, 1), critical), { room: 0, waitMs: CHANNELS.urgentMs - MINUTE }],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});

test('of several budgets the narrowest counts', () => {
  const budgets = [
    { room: 3, waitMs: 0 },
    { room: 0, waitMs: 5 },
  ];
  expect(narrowest(budgets)).toEqual({ room: 0, waitMs: 5 });
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
    await sayAllWell({ hours: '08:00-10:00', questions, tell, clock, log: () => undefined }, stop.signal);
    expect(said).toEqual([28, 29].map((day) => new Date(2026, 10, day).toISOString()));
    expect(counts).toEqual([0]);
    await sayAllWell({ hours: null, questions, tell, clock, log: () => undefined }, new AbortController().signal);
    expect(said).toHaveLength(2);
  });

  test('goes to every channel, and news of the town goes to none', () => {
    const well = { kind: 'well', text: 'Nothing needs you.', severity: 'low' };
    expect(routeOf(well, [], ['ntfy'], 0).to).toEqual(['ntfy']);
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
