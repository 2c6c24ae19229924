/** A refinery, the Deacon and all else that stands for a person, until it is over. */
import { describe, expect, test } from 'vitest';
import type { WitnessSeen } from '../../machines/witness/observation.ts';
import type { RefinerySeen } from '../../machines/witness/refinery-seen.ts';
import { NO_REFINERY } from '../../machines/witness/refinery.ts';
import { letter, MINUTE, polecat, rig, wisp, work } from '../patrols/seen.ts';
import { actsOf, standsAt, type Row } from './acts.ts';

// Rules: W-6.
test('a Deacon five minutes past its beat stands for a person', () => {
  expect(standsAt({ deaconLateMs: 5 * MINUTE })).toEqual([]);
  expect(standsAt({ deaconLateMs: 5 * MINUTE + 1 })).toEqual(['deacon-late']);
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
    [
      'that nothing waits for any more, with a case about it',
      dead({ waiting: 0, undecided: ['tw-1'] }),
      ['close tw-1'],
    ],
    ['that works', of({}), []],
    ['that cannot be seen', of({ session: 'unknown', oldestMs: 300 * MINUTE }), []],
    ['that does not run', dead(), ['start']],
    ['… and was started four minutes ago', dead({ startedMs: 4 * MINUTE }), ['start']],
    ['… and was started again four minutes ago', dead({ startedMs: 4 * MINUTE, isRestarted: true }), []],
    ['… and was started again five minutes ago', dead({ startedMs: 5 * MINUTE, isRestarted: true }), ['start']],
    [
      '… and starts in vain for an hour',
      dead({ startedMs: 4 * MINUTE, isRestarted: true, oldestMs: 60 * MINUTE }),
      ['triage queue_health'],
    ],
    [
      '… and was started again four minutes ago by another command',
      dead({ startedMs: 4 * MINUTE, isRestarted: true, isOther: true }),
      ['start'],
    ],
    ['… whose program is not found', dead({ missing: 'there is no program xyz' }), ['stand refinery-missing']],
    ['that waits for its next start', of({ session: 'waits', startedMs: MINUTE }), []],
    ['… by a command that was changed since', of({ session: 'waits', startedMs: MINUTE, isOther: true }), ['start']],
    ['… for an hour', of({ session: 'waits', startedMs: MINUTE, oldestMs: 60 * MINUTE }), ['triage queue_health']],
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
    ['… for longer, without a word', { rig: rig({ work: [merging(25)] }) }, ['stand merge-late']],
    ['that the operator stopped, and nothing waits for', dead({ isStopped: true, waiting: 0 }), []],
    ['that the operator stopped', dead({ isStopped: true }), ['stand refinery-stopped']],
    [
      '… for a day',
      dead({ isStopped: true, startedMs: MINUTE, oldestMs: 25 * 60 * MINUTE }),
      ['stand refinery-stopped'],
    ],
    ['… and has no command any more', none({ isStopped: true }), ['stand refinery-stopped']],
    ['… and is about to end', of({ isStopped: true }), []],
    ['without a name', none(), []],
    ['… for half an hour', none({ oldestMs: 30 * MINUTE }), ['stand refinery-missing']],
    ['… while a session of its name works', of({ hasCommand: false }), []],
  ])('%s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });
});

describe('what stood', () => {
  const SHADOW = { ref: 'refs/tags/HEAD', text: 'delete it' };
  const CLEANUPS = Array.from({ length: 6 }, (_, n) => wisp({ id: `w${n}`, polecat: `p${n}`, state: null }));
  const tried = (agoMs: number) => Array.from({ length: 20 }, (_, n) => ({ bead: `tw-${n}`, agoMs: agoMs + n }));
  const waiting = (more: Partial<RefinerySeen>) => ({ refinery: { ...NO_REFINERY, waiting: 1, ...more } });
  const shelved = (aside: number, later: number) => ({ shelf: { aside, later, handled: new Map<string, number>() } });
  // Rules: law 1, law 8, P-11.
  test.each<[what: string, stood: string, seen: Partial<WitnessSeen>, isOver: boolean]>([
    ['a Deacon that beats again', 'deacon-late', {}, true],
    ['a Deacon that is silent still', 'deacon-late', { deaconLateMs: 6 * MINUTE }, false],
    ['no cleanups any more', 'cleanups-wait', {}, true],
    ['dispatch rests no more', 'dispatch-rests', {}, true],
    ['dispatch rests still', 'dispatch-rests', { rig: rig({ attempts: tried(0) }) }, false],
    ['dispatch may try once', 'dispatch-rests', { rig: rig({ attempts: tried(30 * MINUTE) }) }, false],
    [
      'one tried in vain since',
      'dispatch-rests',
      { rig: rig({ attempts: [{ bead: 'tw-1', agoMs: MINUTE }, ...tried(32 * MINUTE)] }) },
      false,
    ],
    ['merge requests that were taken', 'refinery-missing', {}, true],
    ['merge requests that wait still', 'refinery-missing', waiting({ session: 'dead', oldestMs: 31 * MINUTE }), false],
    ['a refinery that cannot be seen', 'refinery-missing', waiting({}), false],
    ['a stopped refinery that nothing waits for any more', 'refinery-stopped', {}, true],
    ['one that was started again', 'refinery-stopped', waiting({ session: 'alive' }), true],
    ['one that was removed', 'refinery-stopped', waiting({ session: 'dead' }), true],
    ['one that is stopped still', 'refinery-stopped', waiting({ session: 'dead', isStopped: true }), false],
    ['one that cannot be seen now', 'refinery-stopped', waiting({}), false],
    ['work that it has still', 'merge-late/tw-1', { rig: rig({ work: [merging(1)] }) }, false],
    ['work that it has no more', 'merge-late/tw-1', {}, true],
    ['a letter that lies there', 'merge-unproved/m1', { letters: [letter('MERGED nux', { id: 'm1' })] }, false],
    ['a letter that was put away', 'merge-unproved/m1', {}, true],
    ['letters without a rule', 'witness-mail', shelved(1, 0), false],
    ['… that were put away', 'witness-mail', shelved(0, 1), true],
    ['letters that wait for their hour', 'witness-budget', shelved(0, 1), false],
    ['… that were handled', 'witness-budget', shelved(1, 0), true],
    [
      'a worktree that git does not answer about',
      'worktree-odd/nux',
      { polecats: [polecat({ tree: 'unknown' })] },
      false,
    ],
    ['a worktree that is clean', 'worktree-odd/nux', { polecats: [polecat()] }, true],
    ['a worktree that is gone', 'worktree-odd/nux', {}, true],
    ['what main holds again', 'main-returned/abc', { returned: [{ commit: 'abc', text: 'again' }] }, false],
    ['… and does not any more', 'main-returned/abc', { returned: [] }, true],
    ['… and git does not tell', 'main-returned/abc', { returned: null }, false],
    ['merged work that main lost', 'main-lost', { lost: [{ text: 'lost', beads: [] }] }, false],
    ['… and has again', 'main-lost', { lost: [] }, true],
    ['… and git does not tell', 'main-lost', { lost: null }, false],
    ['a branch with more than was merged', 'branch-later/tw-1', { later: [{ bead: 'tw-1', text: 'more' }] }, false],
    ['… that main has by now', 'branch-later/tw-1', { later: [] }, true],
    ['… of which git does not tell', 'branch-later/tw-1', { later: [{ bead: 'tw-1', text: null }] }, false],
    ['… and git tells of none', 'branch-later/tw-1', { later: null }, false],
    ['a ref that git takes for another', 'ref-shadows/refs/tags/HEAD', { shadows: [SHADOW] }, false],
    ['… of which git tells none', 'ref-shadows/refs/tags/HEAD', { shadows: null }, false],
    ['… that is gone', 'ref-shadows/refs/tags/HEAD', { shadows: [] }, true],
    [
      'a remote that is another one',
      'remote-changed',
      { rig: rig({ trouble: { is: 'remote-changed', text: 'another' } }) },
      false,
    ],
    [
      'another town in its repository',
      'other-town',
      { rig: rig({ trouble: { is: 'other-town', text: 'another' } }) },
      false,
    ],
    ['… that gave it up', 'other-town', {}, true],
    ['a remote that is the one on record', 'remote-changed', {}, true],
    ['a kind of another version', 'toString', {}, true],
  ])('%s', (_, stood, more, isOver) => {
    expect(standsAt(more, [stood])).toEqual(isOver ? [] : [stood]);
  });

  // Rules: law 8, R-1.
  test('refs that git takes for others stand each, so that one which is acknowledged hides none', () => {
    const shadows = [SHADOW, { ...SHADOW, ref: 'origin/refs/heads/HEAD' }];
    expect(standsAt({ shadows })).toEqual(['ref-shadows/refs/tags/HEAD', 'ref-shadows/origin/refs/heads/HEAD']);
    expect(standsAt({ shadows: [SHADOW] }, ['ref-shadows/origin/refs/heads/HEAD'])).toEqual([
      'ref-shadows/refs/tags/HEAD',
    ]);
  });

  // Rules: law 1, law 8, R-1.
  test('what main holds again stands, each; where that is unknown none begins', () => {
    const returned = ['abc', 'def'].map((commit) => ({ commit, text: commit }));
    expect(standsAt({ returned })).toEqual(['main-returned/abc', 'main-returned/def']);
    expect(standsAt({ returned: null })).toEqual([]);
  });

  test('too many cleanups stand as long as there are too many', () => {
    const polecats = CLEANUPS.map(({ polecat: name }) => polecat({ name: name ?? '', tree: 'unknown' }));
    expect(standsAt({ wisps: CLEANUPS, polecats })).toEqual(['cleanups-wait']);
    expect(actsOf({ wisps: CLEANUPS, polecats })).toEqual(['stand cleanups-wait']);
  });

  // Rules: W-1.
  test('of ten thousand alike a few are claimed, and the same ones in the next cycle', () => {
    const polecats = Array.from({ length: 10_000 }, (_, nth) => polecat({ name: `p${nth}`, tree: 'wrong' }));
    const stands = standsAt({ polecats });
    expect(stands).toHaveLength(50);
    expect(standsAt({ polecats }, stands)).toEqual(stands);
  });

  test('what an earlier version escalated of it is closed', () => {
    expect(actsOf({ older: ['tw-wisp-1'] })).toEqual(['close tw-wisp-1']);
  });
});
