/** When the reasoner is asked, and when a person: the table, and what no history may break. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dispatchTriage, type CaseSeen, type DispatchAct, type RunSeen } from '../../machines/triage/dispatch.ts';
import { MAX_ALIKE } from '../../machines/patrols/policy.ts';
import { TRIAGE, type TriagePolicy } from '../../machines/triage/policy.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const POLICY: TriagePolicy = { ...TRIAGE, reasoner: 'command' };

const open = (id: string, more: Partial<CaseSeen> = {}): CaseSeen => ({
  id,
  ageMs: MINUTE,
  tries: 0,
  isPersons: false,
  unproven: null,
  wasTold: false,
  ...more,
});
const ran = (agoMs: number, wasUseful: boolean): RunSeen => ({ agoMs, restedMs: agoMs, came: cameOf(wasUseful) });
const cameOf = (wasUseful: boolean): RunSeen['came'] => (wasUseful ? 'useful' : 'useless');
const words = (act: DispatchAct): string =>
  act.act === 'run'
    ? `run ${act.cases.join(' ')}`
    : act.act === 'tell'
      ? `tell ${act.case}`
      : act.act === 'count'
        ? `count ${act.count}`
        : 'wait';
const persons = (count: number, from = 0): CaseSeen[] =>
  Array.from({ length: count }, (_, nth) => open(`p${from + nth}`, { isPersons: true }));
const told = (count: number): CaseSeen[] =>
  Array.from({ length: count }, (_, nth) => open(`t${nth}`, { wasTold: true }));
const NAMED = Array.from({ length: MAX_ALIKE }, (_, nth) => `tell p${nth}`);

const failed = (agoMs: number): RunSeen => ({ agoMs, restedMs: agoMs, came: 'failed' });

interface Row {
  readonly cases?: readonly CaseSeen[];
  readonly runs?: readonly RunSeen[];
  readonly running?: 'yes' | 'no' | 'unknown';
  readonly policy?: Partial<TriagePolicy>;
  readonly counted?: number;
}

const SEEN: Row = { cases: [open('a', { tries: 1 })] };

describe('the queue', () => {
  // Rules: P-14.
  test.each<[string, Row, string[]]>([
    ['empty: nothing, after any run', { cases: [], runs: [ran(1, false)] }, []],
    ['one case: a run', {}, ['run a']],
    ['the oldest first', { cases: [open('a'), open('b', { ageMs: 2 * MINUTE })] }, ['run b a']],
    [
      'as many as a run is shown',
      { cases: ['a', 'b', 'c'].map((id) => open(id)), policy: { maxCases: 2 } },
      ['run a b'],
    ],
    ['one runs already', { running: 'yes' }, ['wait']],
    ['unknown whether one runs', { running: 'unknown' }, ['wait']],
    ['a person alone decides', { policy: { reasoner: 'none' } }, ['tell a']],
    ['told already', { cases: [open('a', { wasTold: true })] }, []],
    ['for a person from the start', { cases: [open('a', { isPersons: true })] }, ['tell a']],
    ['shown twice, still open', { cases: [open('a', { tries: 2 })] }, ['tell a']],
    ['shown twice, and the second run is under way', { cases: [open('a', { tries: 2 })], running: 'yes' }, ['wait']],
    ['open for an hour', { cases: [open('a', { ageMs: HOUR })] }, ['tell a']],
    ['just under an hour', { cases: [open('a', { ageMs: HOUR - 1 })] }, ['run a']],
    ['some are a person’s', { cases: [open('a', { tries: 2 }), open('b')] }, ['tell a', 'run b']],
    ['the last run was useful', { runs: [ran(1, true)] }, ['run a']],
    ['the last run failed', { runs: [failed(5 * MINUTE - 1)] }, ['wait']],
    ['… five minutes ago', { runs: [failed(5 * MINUTE)] }, ['run a']],
    ['the last run decided nothing, and saw this case', { ...SEEN, runs: [ran(5 * MINUTE - 1, false)] }, ['wait']],
    ['… five minutes ago', { ...SEEN, runs: [ran(5 * MINUTE, false)] }, ['run a']],
    ['the last run decided nothing, and this case is new', { runs: [ran(1, false)] }, ['run a']],
    ['… beside the one that it saw', { cases: [open('a', { tries: 1 }), open('b')], runs: [ran(1, false)] }, ['run b']],
    ['three in a row decided nothing', { runs: [30, 40, 50].map((ago) => ran(ago * MINUTE, false)) }, ['wait']],
    ['… an hour ago', { runs: [60, 70, 80].map((ago) => ran(ago * MINUTE, false)) }, ['run a']],
    [
      '… with a useful one between',
      { runs: [ran(30 * MINUTE, false), ran(31 * MINUTE, true), ran(32 * MINUTE, false)] },
      ['run a'],
    ],
    [
      'the budget of a day is spent',
      { runs: Array.from({ length: 24 }, (_, n) => ran((n + 10) * MINUTE, true)) },
      ['wait'],
    ],
    [
      '… and the first of them is a day old',
      { runs: Array.from({ length: 24 }, (_, n) => ran((n + 1) * HOUR, true)) },
      ['run a'],
    ],
    ['as many of a person as are named', { cases: persons(MAX_ALIKE) }, NAMED],
    ['ten thousand of a person', { cases: persons(10_000) }, [...NAMED, `count ${10_000 - MAX_ALIKE}`]],
    ['… of which they were told', { cases: [...told(MAX_ALIKE), ...persons(9_995)], counted: 9_995 }, []],
    ['… and one more', { cases: [...told(MAX_ALIKE), ...persons(9_996)], counted: 9_995 }, ['count 9996']],
    ['… and one that was named is decided', { cases: [...told(MAX_ALIKE - 1), ...persons(9_995)], counted: 9_995 }, []],
    ['… and few are left', { cases: [...told(3), ...persons(2)], counted: 9_995 }, ['tell p0', 'tell p1', 'count 0']],
    ['… and a reasoner has one', { cases: [...told(5), ...persons(7), open('a')], counted: 7 }, ['run a']],
  ])('%s', (_, { cases = [open('a')], runs = [], running = 'no', policy = {}, counted = null }, expected) => {
    expect(dispatchTriage({ cases, runs, running, counted }, { ...POLICY, ...policy }).map(words)).toEqual(expected);
  });
});

interface Case {
  readonly id: string;
  readonly at: number;
  tries: number;
  told: boolean;
  closed: boolean;
}

/** A day of cycles: cases come, runs decide some of them, hang or fail. */
function day(policy: TriagePolicy, steps: readonly { arrive: number; useful: boolean; lastsMs: number }[]) {
  const cases: Case[] = [];
  const runs: { began: number; ended: number; wasUseful: boolean }[] = [];
  const order: string[][] = [];
  let now = 0;
  for (const { arrive, useful, lastsMs } of steps) {
    now += 3 * MINUTE;
    for (let n = 0; n < arrive; n += 1)
      cases.push({ id: `c${cases.length}`, at: now - n, tries: 0, told: false, closed: false });
    const left = cases.filter((one) => !one.closed);
    const seen = left.map(({ id, at, tries, told }) => open(id, { ageMs: now - at, tries, wasTold: told }));
    const last = runs.at(-1);
    const running = last !== undefined && last.ended > now ? 'yes' : 'no';
    const past = runs.map(({ began, ended, wasUseful }) => ({
      agoMs: now - began,
      restedMs: Math.max(0, now - ended),
      came: cameOf(wasUseful),
    }));
    for (const act of dispatchTriage({ cases: seen, runs: past.reverse(), running, counted: null }, policy)) {
      if (act.act === 'tell') for (const one of cases) if (one.id === act.case) one.told = true;
      if (act.act !== 'run') continue;
      expect(running).toBe('no');
      runs.push({ began: now, ended: now + lastsMs, wasUseful: useful });
      order.push([...act.cases]);
      for (const one of cases.filter(({ id }) => act.cases.includes(id))) {
        expect(one.told || one.closed).toBe(false);
        one.tries += 1;
        if (useful) one.closed = true;
      }
    }
  }
  return { cases, runs, order, now };
}

const arbitraryDay = fc.array(
  fc.record({ arrive: fc.nat(3), useful: fc.boolean(), lastsMs: fc.integer({ min: 1, max: 10 * MINUTE }) }),
  { maxLength: 400 },
);

describe('over any day', () => {
  // Rules: P-14.
  test('property: never over the budget of any 24 hours, never two at once, never more cases than a run is shown', () => {
    fc.assert(
      fc.property(arbitraryDay, fc.integer({ min: 0, max: 6 }), (steps, maxRuns) => {
        const { runs, order } = day({ ...POLICY, maxRuns }, steps);
        for (const { began } of runs)
          expect(runs.filter((one) => one.began > began - 24 * HOUR && one.began <= began).length).toBeLessThanOrEqual(
            maxRuns,
          );
        for (const [at, run] of runs.entries()) expect(run.began).toBeGreaterThanOrEqual(runs[at - 1]?.ended ?? 0);
        for (const cases of order) expect(cases.length).toBeLessThanOrEqual(POLICY.maxCases);
      }),
    );
  });

  // Rules: P-14.
  test('property: the oldest first, and a person was told of each that was not decided in time', () => {
    fc.assert(
      fc.property(arbitraryDay, (steps) => {
        const { cases, order, now } = day(POLICY, steps);
        const at = new Map(cases.map((one) => [one.id, one.at]));
        for (const ids of order) {
          const times = ids.map((id) => at.get(id) ?? 0);
          expect(times).toEqual(times.toSorted((a, b) => a - b));
        }
        for (const one of cases)
          if (!one.closed && now - one.at > POLICY.personAfterMs + 3 * MINUTE) expect(one.told).toBe(true);
      }),
    );
  });
});
