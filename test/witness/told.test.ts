/** A refinery, the Deacon and whatever else a person is told of, until it is over. */
import { describe, expect, test } from 'vitest';
import type { RefinerySeen, WitnessSeen } from '../../machines/witness/observation.ts';
import { NO_REFINERY } from '../../machines/witness/refinery.ts';
import { MINUTE, polecat, rig, wisp, work } from '../patrols/seen.ts';
import { actsOf, type Row } from './acts.ts';

// Rules: W-6.
test('a Deacon five minutes past its beat is told', () => {
  expect(actsOf({ deaconLateMs: 5 * MINUTE })).toEqual([]);
  expect(actsOf({ deaconLateMs: 5 * MINUTE + 1 })).toEqual(['tell']);
});

const merging = (hours: number) =>
  work({ status: 'in_progress', assignee: 'shop/refinery', restedMs: hours * 60 * MINUTE });

describe('a refinery', () => {
  const of = (more: Partial<RefinerySeen>): Partial<WitnessSeen> => ({
    refinery: { ...NO_REFINERY, hasCommand: true, session: 'alive', waiting: 2, oldestMs: 10 * MINUTE, ...more },
  });
  const dead = (more: Partial<RefinerySeen> = {}): Partial<WitnessSeen> => of({ session: 'dead', ...more });
  const none = (more: Partial<RefinerySeen> = {}): Partial<WitnessSeen> => dead({ hasCommand: false, ...more });
  // Rules: W-3.
  test.each<Row>([
    ['that nothing waits for', dead({ waiting: 0 }), []],
    ['that works', of({}), []],
    ['that cannot be seen', of({ session: 'unknown', oldestMs: 300 * MINUTE }), []],
    ['that does not run', dead(), ['start']],
    ['… and was started four minutes ago', dead({ startedMs: 4 * MINUTE }), []],
    ['… and was started five minutes ago', dead({ startedMs: 5 * MINUTE }), ['start']],
    [
      '… and starts in vain for an hour',
      dead({ startedMs: 4 * MINUTE, oldestMs: 60 * MINUTE }),
      ['triage queue_health'],
    ],
    [
      '… and was last started before the oldest came',
      dead({ startedMs: 90 * MINUTE, oldestMs: 60 * MINUTE }),
      ['start'],
    ],
    ['that was started', of({ startedMs: MINUTE }), ['nudge wake']],
    ['… and woken an earlier time', of({ startedMs: MINUTE, wokenMs: 9 * MINUTE }), ['nudge wake']],
    ['… and woken', of({ startedMs: 2 * MINUTE, wokenMs: MINUTE }), []],
    ['that lets them wait for half an hour', of({ oldestMs: 30 * MINUTE }), ['nudge queue']],
    ['… and was nudged for an earlier one', of({ oldestMs: 30 * MINUTE, nudgedMs: 31 * MINUTE }), ['nudge queue']],
    ['… and was nudged', of({ oldestMs: 50 * MINUTE, nudgedMs: 20 * MINUTE }), []],
    ['… for an hour', of({ oldestMs: 60 * MINUTE, nudgedMs: 30 * MINUTE }), ['triage queue_health']],
    ['that has work for a day', { rig: rig({ work: [merging(24)] }) }, []],
    ['… for longer, without a word', { rig: rig({ work: [merging(25)] }) }, ['tell']],
    ['that nobody named', none(), []],
    ['… for half an hour', none({ oldestMs: 30 * MINUTE }), ['tell']],
    ['… while a session of its name works', of({ hasCommand: false }), []],
  ])('%s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });
});

describe('what was told', () => {
  const CLEANUPS = Array.from({ length: 6 }, (_, n) => wisp({ id: `w${n}`, polecat: `p${n}`, state: null }));
  const tried = (agoMs: number) => Array.from({ length: 20 }, (_, n) => ({ bead: `tw-${n}`, agoMs: agoMs + n }));
  // Rules: P-11.
  test.each<[what: string, about: string, seen: Partial<WitnessSeen>, isOver: boolean]>([
    ['a Deacon that beats again', 'deacon', {}, true],
    ['a Deacon that is silent still', 'deacon', { deaconLateMs: 6 * MINUTE }, false],
    ['no cleanups any more', 'cleanups', {}, true],
    ['dispatch rests no more', 'breaker', {}, true],
    ['dispatch rests still', 'breaker', { rig: rig({ attempts: tried(0) }) }, false],
    ['dispatch may try once', 'breaker', { rig: rig({ attempts: tried(30 * MINUTE) }) }, false],
    [
      'one tried in vain since',
      'breaker',
      { rig: rig({ attempts: [{ bead: 'tw-1', agoMs: MINUTE }, ...tried(32 * MINUTE)] }) },
      false,
    ],
    ['merge requests that were taken', 'refinery', {}, true],
    [
      'merge requests that wait still',
      'refinery',
      { refinery: { ...NO_REFINERY, session: 'dead', waiting: 1, oldestMs: 31 * MINUTE } },
      false,
    ],
    ['a refinery that cannot be seen', 'refinery', { refinery: { ...NO_REFINERY, waiting: 1 } }, false],
    ['work that it has still', 'merge/tw-1', { rig: rig({ work: [merging(25)] }) }, false],
    ['work that it has no more', 'merge/tw-1', {}, true],
    ['a letter', 'mail/m1', {}, false],
    ['work that failed', 'failed/tw-1', {}, false],
    ['something of another name', 'toString', {}, false],
  ])('%s', (_, about, more, isOver) => {
    const acts = actsOf({ ...more, told: [{ id: 'tw-told', about }] });
    expect(acts.includes('close tw-told')).toBe(isOver);
  });

  // Rules: law 8, R-1.
  test.each([
    ['news of what main holds again, that a person read', 'returned/abc', true, true],
    ['… that no person read', 'returned/abc', false, false],
    ['what main does not hold any more', 'returned/def', false, true],
    ['what a person knows, and that goes on', 'remote', true, false],
  ])('%s', (_, about, isAcked, isOver) => {
    const trouble = 'its remote is another one';
    const returned = [{ commit: 'abc', text: 'it holds it again', wasTold: true }];
    const acts = actsOf({ rig: rig({ trouble }), returned, told: [{ id: 'tw-told', about, isAcked }] });
    expect(acts.includes('close tw-told')).toBe(isOver);
  });

  // Rules: law 1, law 8.
  test('what main holds is unknown: no alert about it begins or ends', () => {
    expect(actsOf({ returned: null, told: [{ id: 'tw-told', about: 'returned/abc' }] })).toEqual([]);
    expect(actsOf({ returned: null })).toEqual([]);
  });

  // Rules: law 8, R-1.
  test('of what main holds again the first that was not told is told, one at a time', () => {
    const returned = ['abc', 'def', 'ghi'].map((commit) => ({ commit, text: commit, wasTold: commit === 'abc' }));
    expect(actsOf({ returned })).toEqual(['tell']);
    expect(actsOf({ returned, told: [{ id: 'tw-told', about: 'returned/def' }] })).toEqual([]);
  });

  test('too many cleanups are told as long as there are too many', () => {
    const polecats = CLEANUPS.map(({ polecat: name }) => polecat({ name: name ?? '', tree: 'unknown' }));
    expect(actsOf({ wisps: CLEANUPS, polecats })).toEqual(['tell']);
    expect(actsOf({ wisps: CLEANUPS, polecats, told: [{ id: 'tw-told', about: 'cleanups' }] })).toEqual([]);
  });
});
