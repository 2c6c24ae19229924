/** What a polecat says is done ends by what git shows of it: work is handed over, what main has is closed, and nothing is nothing. */
import { expect, test } from 'vitest';
import type { LeftSeen } from '../../machines/patrols/observation.ts';
import type { CheckSeen } from '../../machines/witness/check-seen.ts';
import type { FormerWork } from '../../machines/witness/former-work.ts';
import type { PolecatSeen, WitnessSeen } from '../../machines/witness/observation.ts';
import { NO_REFINERY } from '../../machines/witness/refinery.ts';
import { dead, hooked, LEFTS, letter, MINUTE, polecat, rig, wisp } from '../patrols/seen.ts';
import { actsOf, cycleOf, WISH } from './acts.ts';

/** How a polecat of this worktree and session ends. */
const by = (how: 'letter' | 'intent' | 'idle' | 'cleanup' | 'wished cleanup', more: Partial<PolecatSeen>): string[] => {
  const report = how === 'idle' ? 'idle' : null;
  const doneIntentMs = how === 'intent' ? 2 * MINUTE : null;
  const around: Partial<WitnessSeen> = {
    polecats: [polecat({ report, doneIntentMs, ...more })],
    rig: rig({ hasAgent: false, work: more.hook === null ? [] : [hooked()] }),
    letters: how === 'letter' ? [letter('POLECAT_DONE nux')] : [],
    wisps: how.endsWith('cleanup') ? [wisp({ wasTold: true, isVoluntary: how === 'wished cleanup' })] : [],
  };
  return actsOf(around);
};
const READY = 'nuke nux, MERGE_READY nux';
const ASKED = 'stand work-scattered';
const DEAD = { session: 'dead' } as const;

const former = (is: FormerWork['is']): Partial<PolecatSeen> => ({
  hook: null,
  isHookClosed: is !== 'aside',
  former: { bead: 'tw-1', is, text: 'tw-1 is closed', again: 'hand it over' },
});

type Row = readonly [how: Parameters<typeof by>[0], left: LeftSeen['is'], more: Partial<PolecatSeen>, acts: string[]];

test.each<Row>([
  ['letter', 'work', DEAD, [READY, 'archive']],
  ['letter', 'merged', DEAD, ['close tw-1', 'archive']],
  ['letter', 'nothing', DEAD, ['reopen tw-1', 'archive']],
  ['letter', 'unknown', DEAD, []],
  ['letter', 'work', {}, [WISH]],
  ['letter', 'merged', {}, [WISH]],
  ['letter', 'nothing', {}, ['nudge empty', 'archive']],
  ['letter', 'nothing', { emptyToldMs: 0 }, ['triage stuck_agent', 'archive']],
  ['letter', 'unknown', {}, []],
  ['intent', 'work', DEAD, [READY]],
  ['intent', 'merged', DEAD, ['close tw-1']],
  ['intent', 'nothing', DEAD, ['reopen tw-1']],
  ['intent', 'unknown', DEAD, []],
  ['intent', 'work', {}, [WISH]],
  ['intent', 'nothing', {}, ['nudge empty']],
  ['intent', 'nothing', { emptyToldMs: MINUTE }, []],
  ['intent', 'nothing', { emptyToldMs: 10 * MINUTE }, ['triage stuck_agent']],
  // A living one is told, once; of one that ended a person brings the commits together.
  ['letter', 'scattered', {}, ['nudge empty', 'archive']],
  ['letter', 'scattered', { emptyToldMs: 0 }, ['triage stuck_agent', 'archive']],
  ['letter', 'scattered', DEAD, [ASKED]],
  ['intent', 'scattered', {}, ['nudge empty']],
  ['intent', 'scattered', { emptyToldMs: MINUTE }, []],
  ['intent', 'scattered', DEAD, [ASKED]],
  ['cleanup', 'scattered', { ...DEAD, tree: 'unpushed' }, [ASKED]],
  ['cleanup', 'work', DEAD, [READY, 'close tw-wisp-1']],
  ['cleanup', 'merged', DEAD, ['close tw-1']],
  ['cleanup', 'nothing', DEAD, ['reopen tw-1']],
  ['cleanup', 'unknown', DEAD, []],
  ['wished cleanup', 'work', { ...DEAD, tree: 'unpushed' }, ['nuke nux pushed, MERGE_READY nux', 'close tw-wisp-1']],
  // Without a bead its own word alone hands its work over, and one that only rests says no such word.
  ['letter', 'work', { ...DEAD, hook: null }, [READY, 'archive']],
  // Work that another word closed, or gave to others, is kept and not merged.
  ['letter', 'work', { ...DEAD, ...former('other') }, ['tell', 'nuke nux', 'archive']],
  ['intent', 'work', { ...DEAD, ...former('other') }, ['tell', 'nuke nux']],
  ['wished cleanup', 'work', { ...DEAD, ...former('other') }, ['tell', 'nuke nux', 'close tw-wisp-1']],
  ['letter', 'work', { ...DEAD, ...former('done') }, [READY, 'archive']],
  ['letter', 'work', { ...DEAD, ...former('aside') }, [READY, 'archive']],
  ['idle', 'work', { ...DEAD, ...former('done') }, ['nuke nux']],
  ['letter', 'nothing', { ...DEAD, ...former('other') }, ['nuke nux', 'archive']],
  ['letter', 'merged', { ...DEAD, ...former('done') }, ['nuke nux', 'archive']],
  ['idle', 'work', { ...DEAD, hook: null }, ['nuke nux']],
  ['cleanup', 'work', { ...DEAD, hook: null }, ['nuke nux', 'close tw-wisp-1']],
  ['wished cleanup', 'work', { ...DEAD, hook: null }, [READY, 'close tw-wisp-1']],
])('by %s, with %s, %j: %s', (how, left, more, acts) => {
  expect(by(how, { left: LEFTS[left], ...more })).toEqual(acts);
});

const RED = {
  is: 'failed',
  commit: 'd'.repeat(40),
  text: '`npm test` fails with exit code 1: not ok 3',
  toldMs: null,
} as const;
const UNKNOWN = { is: 'unknown', text: '`npm test` did not end within 30 m', agoMs: MINUTE } as const;
const TOLD = 'send shop/polecats/nux: Not done: the check of dddddddddd fails';

// Rules: R-5.
test.each<readonly [Parameters<typeof by>[0], CheckSeen | null, Partial<PolecatSeen>, string[]]>([
  ['letter', null, {}, [WISH]],
  ['letter', { is: 'passed' }, {}, [WISH]],
  ['letter', { is: 'passed' }, DEAD, [READY, 'archive']],
  ['letter', { is: 'due' }, {}, ['check']],
  ['letter', { is: 'due' }, DEAD, ['check']],
  ['letter', { is: 'running' }, {}, []],
  ['letter', { is: 'running' }, DEAD, []],
  ['letter', RED, {}, [TOLD, 'nudge red', 'archive']],
  ['letter', { ...RED, toldMs: 0 }, {}, ['triage stuck_agent', 'archive']],
  ['letter', RED, DEAD, ['reopen tw-1', 'archive']],
  ['letter', RED, { session: 'unknown' }, []],
  ['letter', UNKNOWN, {}, ['stand check-unknown']],
  ['letter', UNKNOWN, DEAD, ['stand check-unknown']],
  ['letter', { ...UNKNOWN, agoMs: 10 * MINUTE }, {}, ['stand check-unknown', 'check']],
  ['intent', { is: 'due' }, {}, ['check']],
  ['intent', RED, {}, [TOLD, 'nudge red']],
  ['intent', RED, DEAD, ['reopen tw-1']],
  ['intent', UNKNOWN, {}, ['stand check-unknown']],
  ['cleanup', { is: 'due' }, { ...DEAD, tree: 'unpushed' }, ['check']],
  ['cleanup', RED, { ...DEAD, tree: 'unpushed' }, ['reopen tw-1']],
  ['wished cleanup', UNKNOWN, DEAD, ['stand check-unknown']],
  // Its work was taken back before: the branch stays, and no refinery hears of it.
  ['intent', RED, { ...DEAD, hook: null }, ['tell', 'nuke nux']],
])('by %s, with the check %j, %j: %s', (how, check, more, acts) => {
  expect(by(how, { left: LEFTS.work, check, ...more })).toEqual(acts);
});

// Rules: R-5.
test.each<readonly [Parameters<typeof by>[0], CheckSeen | null, Partial<PolecatSeen>, string[]]>([
  ['letter', { is: 'due' }, {}, ['check']],
  ['letter', { is: 'passed' }, {}, [WISH]],
  ['letter', { is: 'due' }, DEAD, ['check']],
  ['letter', { is: 'running' }, DEAD, []],
  ['letter', { is: 'passed' }, DEAD, ['close tw-1', 'archive']],
  ['letter', null, DEAD, ['close tw-1', 'archive']],
  ['letter', RED, {}, ['tell', TOLD, 'nudge red', 'archive']],
  ['letter', RED, DEAD, ['tell', 'reopen tw-1', 'archive']],
  ['intent', UNKNOWN, DEAD, ['stand check-unknown']],
  ['cleanup', { is: 'due' }, DEAD, ['check']],
])('by %s, pushed to main by itself, with the check %j, %j: %s', (how, check, more, acts) => {
  expect(by(how, { left: { ...LEFTS.merged, isOwnPush: true }, check, ...more })).toEqual(acts);
});

// Rules: R-5.
test('work of one that died without a word, which it pushed to main by itself, waits for its check as well', () => {
  const left = { ...LEFTS.merged, isOwnPush: true };
  const of = (check: CheckSeen | null) =>
    actsOf({
      polecats: [polecat({ ...DEAD, left, check })],
      rig: rig({ hasAgent: false, work: [hooked()], workers: [dead({ left })] }),
    });
  expect([of({ is: 'due' }), of({ is: 'running' }), of({ is: 'passed' })]).toEqual([['check'], [], ['close tw-1']]);
});

// Rules: R-5.
test('what passed the refinery by is told before its bead is closed, where a refinery merges; what others merged is not', () => {
  const of = (isOwnPush: boolean, hasCommand = true) =>
    actsOf({
      polecats: [polecat({ ...DEAD, doneIntentMs: 2 * MINUTE, left: { ...LEFTS.merged, isOwnPush } })],
      rig: rig({ hasAgent: false, work: [hooked()] }),
      refinery: { ...NO_REFINERY, hasCommand },
    });
  expect([of(true), of(false), of(true, false)]).toEqual([['tell', 'close tw-1'], ['close tw-1'], ['close tw-1']]);
});

// Rules: R-5, law 8.
test('each commit that came to main past the refinery, and each red one there, is told by itself, once', () => {
  const told = (commit: string) =>
    cycleOf({
      polecats: [
        polecat({
          doneIntentMs: 2 * MINUTE,
          left: { ...LEFTS.merged, isOwnPush: true, commit },
          check: { ...RED, commit },
        }),
      ],
      rig: rig({ hasAgent: false, work: [hooked()] }),
      refinery: { ...NO_REFINERY, hasCommand: true },
    }).flatMap((act) => (act.act === 'tell' ? [act.about] : []));
  for (const commit of ['d'.repeat(40), 'e'.repeat(40)])
    expect(told(commit).toSorted()).toEqual([`own-push/${commit}`, `red-main/${commit}`]);
});

// Rules: P-2, R-4.
test('a request names the bead that its polecat closed itself, or that was set aside; unwanted work is told with its commit', () => {
  const of = (is: FormerWork['is']) =>
    cycleOf({
      polecats: [polecat({ ...DEAD, ...former(is), left: LEFTS.work })],
      rig: rig({ hasAgent: false }),
      letters: [letter('POLECAT_DONE nux')],
    });
  const issue = expect.stringContaining('Issue: tw-1\n') as string;
  for (const is of ['done', 'aside'] as const)
    expect(of(is)[0]).toMatchObject({ act: 'nuke', bead: 'tw-1', ready: { body: issue } });
  const { commit } = LEFTS.work;
  expect(of('other').slice(0, 2)).toMatchObject([
    {
      act: 'tell',
      text: expect.stringMatching(
        `nothing of its work is merged. The commit ${commit} .* town bead reopen tw-1; .*: hand it over`,
      ) as string,
    },
    { act: 'nuke', ready: null, commit, keepsFor: 'tw-1' },
  ]);
});

test('the refinery gets the branch and the commit that were seen, and not what its name says', () => {
  const left = { is: 'work', branch: 'feature/parser', commit: 'e'.repeat(40) } as const;
  const acts = cycleOf({
    polecats: [polecat({ ...DEAD, left })],
    letters: [letter('POLECAT_DONE nux', { body: 'Branch: main' })],
  });
  expect(acts[0]).toMatchObject({
    act: 'nuke',
    branch: 'feature/parser',
    commit: 'e'.repeat(40),
    bead: 'tw-1',
    ready: {
      body: `Branch: feature/parser\nCommit: ${'e'.repeat(40)}\nIssue: tw-1\nPolecat: nux\nVerified: clean git state\n`,
    },
  });
});

test('a cleanup that waits for its merge goes on once main has the work, after any letter', () => {
  const waits = [wisp({ state: 'merge-requested' })];
  const of = (is: LeftSeen['is']) =>
    actsOf({ polecats: [polecat({ ...DEAD, hook: null, left: LEFTS[is] })], wisps: waits });
  expect([of('work'), of('merged')]).toEqual([[], ['nuke nux', 'close tw-wisp-1']]);
});
