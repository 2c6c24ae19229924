/** The tables of a witness, cell by cell, and what no cycle may do whatever it sees. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PATROL } from '../../machines/patrols/policy.ts';
import { witnessCycle, type CycleAct } from '../../machines/witness/cycle.ts';
import { isStalled } from '../../machines/witness/hook.ts';
import type {
  HookMemory,
  PolecatSeen,
  RefinerySeen,
  WispSeen,
  WitnessSeen,
} from '../../machines/witness/observation.ts';
import { NO_REFINERY } from '../../machines/witness/refinery.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { hooked, letter, MINUTE, polecat, rig, seen, wisp, work, worker } from '../patrols/seen.ts';

const short = (act: CycleAct): string => {
  switch (act.act) {
    case 'nuke':
      return `nuke ${act.polecat}${act.push ? ' pushed' : ''}${act.ready === null ? '' : `, ${act.ready.subject}`}`;
    case 'send':
      return `send ${act.to}: ${act.subject}`;
    case 'wisp':
      return `wisp ${act.title}`;
    case 'triage':
      return `triage ${act.type}`;
    case 'close':
    case 'reopen':
      return `${act.act} ${act.bead}`;
    case 'nudge':
      return `nudge ${act.kind}`;
    case 'end':
      return act.isOwnWish ? 'end, its own wish' : 'end, heard first';
    default:
      return act.act;
  }
};
const actsOf = (more: Partial<WitnessSeen>): string[] =>
  witnessCycle(seen(more), { witness: WITNESS, patrol: PATROL })
    .flatMap(({ acts }) => acts)
    .map(short);

const WISH = 'end, its own wish';
type Row = readonly [what: string, seen: Partial<WitnessSeen>, acts: readonly string[]];

describe('mail', () => {
  const READY = 'nuke nux, MERGE_READY nux';
  const DECISION = 'send mayor: Escalation: nux needs a decision';
  const gone = polecat({ session: 'dead' });
  test.each<Row>([
    ['started', { letters: [letter('POLECAT_STARTED nux')] }, ['archive']],
    ['done and clean', { polecats: [gone], letters: [letter('POLECAT_DONE nux')] }, [READY, 'archive']],
    ['done and clean, and it lives', { polecats: [polecat()], letters: [letter('POLECAT_DONE nux')] }, [WISH]],
    [
      'how the end of one came out',
      { letters: [letter('VERDICT: gt-shop-nux executed', { from: 'town' })] },
      ['archive'],
    ],
    [
      'a shutdown is the same',
      { polecats: [gone], letters: [letter('LIFECYCLE:Shutdown nux', { body: 'Polecat: nux' })] },
      [READY, 'archive'],
    ],
    [
      'done and dirty',
      { polecats: [polecat({ tree: 'dirty' })], letters: [letter('POLECAT_DONE nux')] },
      ['wisp cleanup:nux', 'archive'],
    ],
    [
      '… and a cleanup is open',
      {
        polecats: [polecat({ tree: 'dirty' })],
        wisps: [wisp({ wasTold: true })],
        letters: [letter('POLECAT_DONE nux')],
      },
      ['archive'],
    ],
    [
      'done, and git does not answer',
      { polecats: [polecat({ tree: 'unknown' })], letters: [letter('POLECAT_DONE nux')] },
      [],
    ],
    ['done by nobody', { letters: [letter('POLECAT_DONE nux')] }, ['archive']],
    [
      'done by an earlier life',
      { polecats: [polecat()], letters: [letter('POLECAT_DONE nux', { isStale: true })] },
      ['archive'],
    ],
    [
      'merged',
      {
        wisps: [wisp()],
        letters: [letter('MERGED nux', { isMerged: 'yes' })],
        polecats: [polecat({ tree: 'unknown' })],
      },
      ['close tw-wisp-1', 'archive'],
    ],
    [
      'merged, it says',
      { letters: [letter('MERGED nux', { isMerged: 'no' })] },
      ['send mayor: RECOVERY_NEEDED shop/nux', 'archive'],
    ],
    ['merged, and the remote does not answer', { letters: [letter('MERGED nux')] }, []],
    [
      'merge failed, its polecat lives',
      { polecats: [polecat()], letters: [letter('MERGE_FAILED nux')] },
      ['send shop/polecats/nux: Rework: your branch polecat/nux could not be merged', 'archive'],
    ],
    [
      'merge failed, nobody is there',
      { letters: [letter('MERGE_FAILED nux', { body: 'Issue: tw-1' })] },
      ['reopen tw-1', 'archive'],
    ],
    [
      'merge failed, and it was the last attempt',
      {
        rig: rig({ work: [work({ id: 'tw-1', status: 'in_progress', assignee: 'shop/refinery', attempts: 2 })] }),
        letters: [letter('MERGE_FAILED nux', { body: 'Issue: tw-1' })],
      },
      ['fail', 'archive'],
    ],
    [
      'done, and its end was cut off',
      { polecats: [polecat({ session: 'dead', tree: 'going' })], letters: [letter('POLECAT_DONE nux')] },
      [READY, 'archive'],
    ],
    [
      'two decisions of one polecat',
      { letters: [letter('HELP: which of both?'), letter('HELP: which now?', { id: 'm2' })] },
      [DECISION, 'archive', DECISION, 'archive'],
    ],
    ['a lifecycle that nobody knows', { letters: [letter('LIFECYCLE: restart')] }, ['tell']],
    [
      'merge failed of nobody knows what',
      { letters: [letter('MERGE_FAILED nux')] },
      ['triage help_request', 'archive'],
    ],
    [
      'merge failed, nobody knows whether it lives',
      { polecats: [polecat({ session: 'unknown' })], letters: [letter('MERGE_FAILED nux')] },
      [],
    ],
    ['help', { letters: [letter('HELP: tests fail')] }, ['triage help_request', 'archive']],
    ['an emergency', { letters: [letter('HELP: emergency, data loss')] }, ['tell', 'archive']],
    [
      'a decision',
      { letters: [letter('HELP: which of both?')] },
      ['send mayor: Escalation: nux needs a decision', 'archive'],
    ],
    ['a handoff', { letters: [letter('HANDOFF')] }, ['archive']],
    ['a swarm', { letters: [letter('SWARM_START', { body: 'SwarmID: b\nBeads: tw-1' })] }, ['wisp swarm:b', 'archive']],
    [
      'a swarm that is tracked',
      {
        wisps: [wisp({ kind: 'swarm', polecat: null, state: null, swarm: { id: 'b', total: 1, closed: 0 } })],
        letters: [letter('SWARM_START', { body: 'SwarmID: b' })],
      },
      ['archive'],
    ],
    ['a swarm without a name', { letters: [letter('SWARM_START')] }, ['tell', 'archive']],
    ['anything else stays, and is told', { letters: [letter('lunch?')] }, ['tell']],
    ['… once', { letters: [letter('lunch?', { wasTold: true })] }, []],
    ['what informs stays', { letters: [letter('ALERT: x')] }, []],
  ])('%s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });
});

test('a letter is put away, and a cleanup closed, only after all that it led to', () => {
  const cycle = (more: Partial<WitnessSeen>) =>
    witnessCycle(seen(more), { witness: WITNESS, patrol: PATROL }).flatMap(({ acts }) => acts);
  const rests = (more: Partial<WitnessSeen>) => {
    const acts = cycle(more);
    const last = acts.at(-1);
    return last !== undefined && 'rests' in last && last.rests.every((one, at) => one === acts[at]);
  };
  const gone = polecat({ session: 'dead' });
  expect(rests({ letters: [letter('HELP: tests fail')] })).toBe(true);
  expect(rests({ polecats: [gone], letters: [letter('POLECAT_DONE nux')] })).toBe(true);
  expect(rests({ polecats: [gone], wisps: [wisp()] })).toBe(true);
  expect(rests({ polecats: [polecat({ ...gone, tree: 'dirty' })], wisps: [wisp()] })).toBe(true);
});

describe('cleanups', () => {
  const of = (tree: PolecatSeen['tree'], more: Partial<WispSeen> = {}): Partial<WitnessSeen> => ({
    polecats: [polecat({ tree, session: 'dead' })],
    wisps: [wisp(more)],
  });
  const living = (more: Partial<PolecatSeen>, of: Partial<WispSeen> = {}): Partial<WitnessSeen> => ({
    polecats: [polecat({ hook: null, ...more })],
    wisps: [wisp(of)],
  });
  const HARD = ['triage dirty_polecat', 'send mayor: RECOVERY_NEEDED shop/nux', 'label'];
  test.each<Row>([
    ['clean', of('clean'), ['nuke nux, MERGE_READY nux', 'close tw-wisp-1']],
    ['that was being taken away', of('going'), ['nuke nux, MERGE_READY nux', 'close tw-wisp-1']],
    ['unpushed', of('unpushed'), ['nuke nux pushed, MERGE_READY nux', 'close tw-wisp-1']],
    ['clean, and it lives', living({}), ['end, heard first']],
    ['… and said that it is done', living({}, { isOwnWish: true }), [WISH]],
    ['… and says so', living({ report: 'done', tree: 'unpushed' }), [WISH]],
    ['dirty', of('dirty'), HARD],
    ['dirty, and told', of('dirty', { wasTold: true }), []],
    ['nobody knows', of('unknown'), []],
    ['gone', { wisps: [wisp()] }, ['close tw-wisp-1']],
    ['waits for its merge', of('clean', { state: 'merge-requested' }), []],
    [
      '… for more than a day',
      {
        polecats: [polecat({ session: 'dead', ageMs: 26 * 60 * MINUTE })],
        wisps: [wisp({ state: 'merge-requested', ageMs: 25 * 60 * MINUTE })],
      },
      HARD,
    ],
    ['older than its polecat', living({}, { isOwnWish: true, ageMs: 61 * MINUTE }), ['close tw-wisp-1']],
  ])('%s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });

  test('more than five are told', () => {
    const wisps = Array.from({ length: 6 }, (_, n) => wisp({ id: `w${n}`, polecat: `p${n}`, wasTold: true }));
    const polecats = wisps.map(({ polecat: name }) => polecat({ name: name ?? '', tree: 'dirty' }));
    expect(actsOf({ wisps, polecats })).toEqual(['tell']);
  });
});

describe('polecats', () => {
  const idle = (minutes: number, more: Partial<PolecatSeen> = {}): Partial<WitnessSeen> => ({
    polecats: [polecat({ idleMs: minutes * MINUTE, ...more })],
  });
  test.each<Row>([
    ['works', idle(4), []],
    ['is idle for five minutes', idle(5), ['nudge gentle']],
    ['… and was nudged', idle(6, { nudged: 'gently' }), []],
    ['is idle for fifteen', idle(15, { nudged: 'gently' }), ['nudge deadline']],
    ['has a deadline', idle(20, { nudged: 'with deadline', deadlineMs: 5 * MINUTE }), []],
    ['let it pass', idle(26, { nudged: 'with deadline', deadlineMs: 10 * MINUTE }), ['triage stuck_agent']],
    ['is busy', idle(20, { isBusy: true }), []],
    ['waits for a person', idle(20, { isBlocked: true }), []],
    ['just began', idle(20, { ageMs: MINUTE }), []],
    ['says it is stuck', { polecats: [polecat({ report: 'stuck' })] }, ['triage stuck_agent']],
    ['says it is done, and is clean', { polecats: [polecat({ report: 'done' })] }, [WISH]],
    ['… and has ended', { polecats: [polecat({ report: 'done', session: 'dead' })] }, ['nuke nux, MERGE_READY nux']],
    [
      '… as seen once, a minute after it began',
      { polecats: [polecat({ report: 'done', session: 'dead', isConfirmed: false, ageMs: MINUTE })] },
      ['nuke nux, MERGE_READY nux'],
    ],
    [
      'says it is done, and is not',
      { polecats: [polecat({ report: 'done', tree: 'unpushed' })] },
      ['wisp cleanup:nux'],
    ],
    ['began to finish a minute ago', { polecats: [polecat({ doneIntentMs: MINUTE })] }, []],
    ['… and more than that', { polecats: [polecat({ doneIntentMs: MINUTE + 1 })] }, [WISH]],
    [
      '… and has ended',
      { polecats: [polecat({ doneIntentMs: 2 * MINUTE, session: 'dead' })] },
      ['nuke nux, MERGE_READY nux'],
    ],
    ['has closed its work', { polecats: [polecat({ hook: null, isHookClosed: true })] }, ['end, heard first']],
    ['… and says it is idle', { polecats: [polecat({ hook: null, isHookClosed: true, report: 'idle' })] }, [WISH]],
    [
      '… and is dirty',
      { polecats: [polecat({ hook: null, isHookClosed: true, tree: 'dirty' })] },
      ['wisp cleanup:nux'],
    ],
    ['has nothing to do, and is clean', { polecats: [polecat({ report: 'idle', hook: null })] }, [WISH]],
    [
      'has nothing to do, and is dirty',
      { polecats: [polecat({ report: 'idle', hook: null, tree: 'dirty' })] },
      ['send mayor: IDLE_DIRTY: nux has uncommitted work'],
    ],
    ['is dead without work', { polecats: [polecat({ session: 'dead', hook: null })] }, ['nuke nux']],
    ['seems dead', { polecats: [polecat({ session: 'dead', hook: null, isConfirmed: false })] }, []],
    [
      'is dead, and was heard of since',
      { polecats: [polecat({ session: 'dead', isDisputed: true })] },
      ['triage zombie_confirm'],
    ],
    ['cannot be seen', { polecats: [polecat({ session: 'unknown', report: 'stuck' })] }, []],
    ['is done, and git does not answer', { polecats: [polecat({ report: 'done', tree: 'unknown' })] }, []],
  ])('one that %s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });
});

describe('nothing of any kind is seen of one', () => {
  const silent = (more: Partial<PolecatSeen> & { nudgedMs?: number | null; askedMs?: number; exemptMs?: number }) => {
    const { nudgedMs = 10 * MINUTE, askedMs = null, exemptMs = null, ...rest } = more;
    const for40 = { stillMs: 40 * MINUTE, idleMs: 40 * MINUTE, nudged: 'with deadline', deadlineMs: 0 } as const;
    return { polecats: [polecat({ ...for40, hookMemory: { nudgedMs, askedMs, exemptMs }, ...rest })] };
  };
  test.each<Row>([
    ['and a nudge did not wake it', silent({}), ['triage stuck_agent']],
    ['and it never said a word', silent({ idleMs: null }), ['triage stuck_agent']],
    ['and it was nudged a moment ago', silent({ nudgedMs: 9 * MINUTE }), []],
    ['and somebody was asked', silent({ askedMs: MINUTE }), []],
    ['… before it was seen last', silent({ askedMs: 50 * MINUTE }), ['triage stuck_agent']],
    ['and its screen says why', silent({ exemptMs: MINUTE }), []],
    ['and it works visibly', silent({ isBusy: true }), []],
    ['and it waits for a person', silent({ isBlocked: true }), []],
    ['but its heartbeat', silent({ idleMs: MINUTE }), []],
  ])('%s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });
});

test.each<Row>([
  [
    'is done, and git does not answer',
    { polecats: [polecat({ session: 'dead', report: 'done', tree: 'unknown' })] },
    [],
  ],
  [
    'was heard of since it died',
    { polecats: [polecat({ session: 'dead', isDisputed: true })] },
    ['triage zombie_confirm'],
  ],
  ['is dead', { polecats: [polecat({ session: 'dead' })] }, ['reopen tw-1']],
])('the work of one that %s is taken back by nobody but dispatch', (_, more, acts) => {
  const workers = [worker({ session: 'dead', deadMs: MINUTE })];
  expect(actsOf({ ...more, rig: rig({ hasAgent: false, workers, work: [hooked()] }) })).toEqual(acts);
});

describe('work on a hook that does not move', () => {
  const still = (minutes: number, memory: Partial<HookMemory> = {}, more: Partial<PolecatSeen> = {}) => {
    const hookMemory = { nudgedMs: null, askedMs: null, exemptMs: null, ...memory };
    return { polecats: [polecat({ stillMs: minutes * MINUTE, hookMemory, ...more })] };
  };
  const [NUDGE, CASE] = ['nudge hook', 'triage stuck_agent'];
  test.each<Row>([
    ['for 29 minutes', still(29), []],
    ['for half an hour', still(30), [NUDGE]],
    ['… and was nudged', still(40, { nudgedMs: 10 * MINUTE }), []],
    ['… and was nudged before it last moved', still(40, { nudgedMs: 50 * MINUTE }), [NUDGE]],
    ['… and its agent says that it works', still(40, {}, { report: 'working' }), [NUDGE]],
    ['… and its agent works visibly', still(40, {}, { isBusy: true }), []],
    ['… and its agent waits for a person', still(40, {}, { isBlocked: true }), []],
    ['… and its agent just began', still(40, {}, { ageMs: MINUTE }), []],
    ['… and nothing can be typed', still(45), [NUDGE]],
    ['for an hour', still(60, { nudgedMs: 29 * MINUTE + 1 }), [NUDGE]],
    ['… and was nudged for that', still(61, { nudgedMs: MINUTE }), [CASE]],
    ['… and somebody was asked', still(70, { nudgedMs: 9 * MINUTE, askedMs: 8 * MINUTE }), []],
    ['… and nothing can be typed for a while', still(70), [NUDGE, CASE]],
    ['… since it works', still(70, { exemptMs: MINUTE }), [NUDGE]],
    ['… since it worked, long ago', still(80, { exemptMs: 15 * MINUTE }), [NUDGE, CASE]],
    ['for two hours', still(120, { nudgedMs: 59 * MINUTE, askedMs: 58 * MINUTE }), [NUDGE]],
    ['… and was nudged for that', still(121, { nudgedMs: MINUTE, askedMs: 58 * MINUTE }), [CASE]],
    ['… and all was done', still(300, { nudgedMs: 170 * MINUTE, askedMs: 170 * MINUTE }), []],
    ['for two hours, and is closed', still(121, {}, { hook: null }), []],
  ])('%s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });

  test.each<[what: string, isStalled: boolean, minutes: number, exemptMs: number | null]>([
    ['for less than two hours', false, 119, null],
    ['for two hours', true, 120, null],
    ['for two hours, since it works', false, 120, MINUTE],
  ])('%s: stalled %s', (_, stalled, minutes, exemptMs) => {
    const [one] = still(minutes, { exemptMs }).polecats;
    expect(isStalled(one!, WITNESS)).toBe(stalled);
  });
});

test.each<Row>([
  ['open work', { wisps: [wisp({ kind: 'swarm', polecat: null, swarm: { id: 'b', total: 2, closed: 1 } })] }, []],
  [
    'none any more',
    { wisps: [wisp({ kind: 'swarm', polecat: null, swarm: { id: 'b', total: 2, closed: 2 } })] },
    ['send mayor: SWARM_COMPLETE: b', 'close tw-wisp-1'],
  ],
  ['none at all', { wisps: [wisp({ kind: 'swarm', polecat: null, swarm: { id: 'b', total: 0, closed: 0 } })] }, []],
])('a swarm with %s', (_, more, acts) => {
  expect(actsOf(more)).toEqual(acts);
});

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
  const attemptAgesMs = Array.from({ length: 20 }, (_, n) => n);
  test.each<[what: string, about: string, seen: Partial<WitnessSeen>, isOver: boolean]>([
    ['a Deacon that beats again', 'deacon', {}, true],
    ['a Deacon that is silent still', 'deacon', { deaconLateMs: 6 * MINUTE }, false],
    ['no cleanups any more', 'cleanups', {}, true],
    ['dispatch rests no more', 'breaker', {}, true],
    ['dispatch rests still', 'breaker', { rig: rig({ attemptAgesMs }) }, false],
    [
      'dispatch may try once',
      'breaker',
      { rig: rig({ attemptAgesMs: attemptAgesMs.map((n) => n + 30 * MINUTE) }) },
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

  test('too many cleanups are told as long as there are too many', () => {
    const polecats = CLEANUPS.map(({ polecat: name }) => polecat({ name: name ?? '', tree: 'unknown' }));
    expect(actsOf({ wisps: CLEANUPS, polecats, told: [{ id: 'tw-told', about: 'cleanups' }] })).toEqual(['tell']);
  });
});

test('two letters and a report about one polecat nuke it once', () => {
  const letters = [letter('POLECAT_DONE nux'), letter('POLECAT_DONE nux', { id: 'm2' })];
  const nukes = actsOf({ polecats: [polecat({ report: 'done', session: 'dead' })], letters }).filter((act) =>
    act.startsWith('nuke nux'),
  );
  expect(nukes).toHaveLength(1);
});

const anyPolecat = fc.record({
  uuid: fc.constant('u-nux'),
  name: fc.constantFrom('nux', 'ada'),
  agent: fc.constant('shop/polecats/nux'),
  session: fc.constantFrom('alive', 'dead', 'unknown'),
  tree: fc.constantFrom('clean', 'unpushed', 'dirty', 'unknown', 'missing'),
  treeText: fc.string(),
  branch: fc.constant('polecat/nux'),
  hook: fc.constantFrom(null, 'tw-1'),
  isHookClosed: fc.boolean(),
  report: fc.constantFrom(null, 'working', 'idle', 'stuck', 'done'),
  ageMs: fc.option(fc.nat(60 * MINUTE)),
  idleMs: fc.option(fc.nat(60 * MINUTE)),
  stillMs: fc.nat(180 * MINUTE),
  hookMemory: fc.record({
    nudgedMs: fc.option(fc.nat(180 * MINUTE)),
    askedMs: fc.option(fc.nat(180 * MINUTE)),
    exemptMs: fc.option(fc.nat(180 * MINUTE)),
  }),
  isBusy: fc.boolean(),
  isBlocked: fc.boolean(),
  nudged: fc.constantFrom('never', 'gently', 'with deadline'),
  deadlineMs: fc.option(fc.nat(60 * MINUTE)),
  isConfirmed: fc.boolean(),
  isDisputed: fc.boolean(),
  doneIntentMs: fc.option(fc.nat(10 * MINUTE)),
}) satisfies fc.Arbitrary<PolecatSeen>;
const anyLetter = fc
  .constantFrom('POLECAT_DONE nux', 'MERGED ada', 'MERGE_FAILED nux', 'LIFECYCLE: shutdown', 'HELP: x', 'hello')
  .chain((subject) =>
    fc
      .record({ isStale: fc.boolean(), isMerged: fc.constantFrom('yes', 'no', 'unknown') })
      .map((more) => letter(subject, more)),
  );
const anyWisp = fc
  .record({
    polecat: fc.constantFrom('nux', 'ada', null),
    state: fc.constantFrom('pending', 'merge-requested'),
    ageMs: fc.nat(48 * 60 * MINUTE),
    wasTold: fc.boolean(),
  })
  .map(wisp);

test('property: only a clean polecat, or an unpushed one that is pushed first, is ever nuked, each once', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyPolecat, { selector: ({ name }) => name }),
      fc.array(anyLetter, { maxLength: 4 }),
      fc.array(anyWisp, { maxLength: 3 }),
      (polecats, letters, wisps) => {
        const acts = witnessCycle(seen({ polecats, letters, wisps }), { witness: WITNESS, patrol: PATROL }).flatMap(
          (one) => one.acts,
        );
        const nukes = acts.filter((act) => act.act === 'nuke');
        expect(new Set(nukes.map((act) => act.polecat)).size).toBe(nukes.length);
        for (const { polecat: name, push } of nukes) {
          const { tree, session } = polecats.find((one) => one.name === name)!;
          expect(session).not.toBe('alive');
          expect(tree).toBe(push ? 'unpushed' : 'clean');
        }
        for (const act of acts)
          if (act.act === 'nudge') expect(polecats.some((one) => !one.isBusy && !one.isBlocked)).toBe(true);
      },
    ),
  );
});
