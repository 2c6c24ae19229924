import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { breakerOf, dispatchActs, landings } from '../../machines/patrols/dispatch.ts';
import type { AttemptSeen, RigSeen, WorkerSeen, WorkSeen } from '../../machines/patrols/observation.ts';
import { PATROL } from '../../machines/patrols/policy.ts';
import { dead, hooked, LEFTS, MINUTE, NUX, rig, work, worker } from './seen.ts';

const acts = (more: Partial<RigSeen>): string[] =>
  dispatchActs(rig(more), PATROL).map((one) => {
    const left = 'left' in one && one.left !== null ? ` on ${one.left.branch}` : '';
    return 'bead' in one ? `${one.act} ${one.bead}${left}` : one.act;
  });

/** With it a ledger that is older than its start: a backup. */
const GIVEN = worker({ startedFor: { bead: 'tw-1', agoMs: 2 * MINUTE } });

const ADA = 'shop/polecats/ada';

/** Work on the hook of this one. */
const held = (by: WorkerSeen, more: Partial<WorkSeen> = {}) => ({ workers: [by], work: [hooked(more)] });

// Rules: P-8, law 11.
test('what agents made comes after all that others made, and what waits for a yes is one question that counts it', () => {
  const made = (id: string, isAsked: boolean, more: Partial<WorkSeen> = {}) =>
    work({ id, ofAgent: { by: ADA, isAsked }, priority: 0, ...more });
  const planned = [work({ id: 'tw-2', priority: 4 }), work({ id: 'tw-3' })];
  expect(acts({ maxPolecats: 3, work: [made('tw-1', false), ...planned] })).toEqual([
    'spawn tw-3',
    'spawn tw-2',
    'spawn tw-1',
  ]);
  const asked = Array.from({ length: 7 }, (_, nth) => made(`tw-${nth}`, true));
  expect(dispatchActs(rig({ work: asked }), PATROL)).toEqual([
    {
      act: 'stand',
      kind: 'work-asked',
      severity: 'medium',
      name: '',
      text: `7 beads wait for your yes, since no person made them: tw-0, tw-1, tw-2, tw-3, tw-4, 2 more, by ${ADA}`,
    },
  ]);
});

describe('what becomes of a piece of work', () => {
  // Rules: P-5, P-12.
  test.each<[what: string, seen: Partial<RigSeen>, acts: readonly string[]]>([
    ['open and ready: a polecat', { work: [work()] }, ['spawn tw-1']],
    ['staged', { work: [work({ isStaged: true })] }, []],
    [
      'made by an agent, which has room for it',
      { work: [work({ ofAgent: { by: ADA, isAsked: false } })] },
      ['spawn tw-1'],
    ],
    ['made by an agent, to be asked for', { work: [work({ ofAgent: { by: ADA, isAsked: true } })] }, ['stand']],
    ['… and on a hook by now', held(worker(), { ofAgent: { by: ADA, isAsked: true } }), []],
    ['deferred', { work: [work({ status: 'deferred' })] }, []],
    ['of another agent, though open', { work: [work({ assignee: 'mayor' })] }, []],
    ['no agent in this rig', { hasAgent: false, work: [work()] }, ['strand tw-1']],
    [
      'something is in the way',
      { trouble: { is: 'remote-changed', text: 'its remote is another' }, work: [work()] },
      [],
    ],
    ['no room', { maxPolecats: 1, workers: [worker()], work: [work()] }, []],
    [
      'a worker that cannot be seen takes its room',
      { maxPolecats: 1, workers: [worker({ session: 'unknown' })], work: [work()] },
      [],
    ],
    [
      'a dead one leaves its room',
      { maxPolecats: 1, workers: [dead({ agent: 'shop/polecats/old' })], work: [work()] },
      ['spawn tw-1'],
    ],
    ['tried four minutes ago', { work: [work({ attempts: 1, lastAttemptMs: 4 * MINUTE })] }, []],
    ['tried five minutes ago', { work: [work({ attempts: 1, lastAttemptMs: 5 * MINUTE })] }, ['spawn tw-1']],
    ['held by one that lives', held(worker()), []],
    ['held by one that cannot be seen', held(worker({ session: 'unknown' })), []],
    ['held by a dead one', held(dead()), ['reopen tw-1']],
    ['in progress at a dead one', held(dead(), { status: 'in_progress' }), ['reopen tw-1']],
    ['set aside by one that died then', held(dead(), { status: 'blocked' }), ['reopen tw-1']],
    ['set aside by one that lives', held(worker(), { status: 'deferred' }), []],
    ['its making was cut off', held(dead({ isUnbegun: true })), ['spawn tw-1']],
    [
      '… and no polecat may be started',
      { hasAgent: false, workers: [dead({ isUnbegun: true })], work: [hooked()] },
      ['reopen tw-1'],
    ],
    ['held by a dead one, and main has its work', held(dead({ left: LEFTS.merged }), { attempts: 2 }), ['close tw-1']],
    ['held by a dead one that left commits', held(dead({ left: LEFTS.work })), ['reopen tw-1 on polecat/nux']],
    ['held by a dead one whose commits are on several branches', held(dead({ left: LEFTS.scattered })), []],
    ['its third attempt', held(dead(), { attempts: 2 }), ['fail tw-1']],
    ['three failures of its worker', held(dead({ failureAgesMs: [1, 29 * MINUTE] })), ['triage tw-1']],
    ['three failures long ago', held(dead({ failureAgesMs: [1, 30 * MINUTE, 31 * MINUTE] })), ['reopen tw-1']],
    [
      'unassigned since before one was started for it, which lives',
      { workers: [GIVEN], work: [work({ restedMs: 60 * MINUTE })] },
      ['hook tw-1'],
    ],
    [
      '… who is dead',
      { workers: [dead({ startedFor: GIVEN.startedFor })], work: [work({ restedMs: 60 * MINUTE })] },
      ['spawn tw-1'],
    ],
    [
      'held by a dead one since before another was started for it, who lives',
      { workers: [dead(), { ...GIVEN, agent: ADA }], work: [hooked({ restedMs: 60 * MINUTE })] },
      ['hook tw-1'],
    ],
    [
      '… and main has what the dead one did',
      { workers: [dead({ left: LEFTS.merged }), { ...GIVEN, agent: ADA }], work: [hooked({ restedMs: 60 * MINUTE })] },
      ['close tw-1'],
    ],
    [
      'held by a dead one since after another was started for it',
      { workers: [dead(), { ...GIVEN, agent: ADA }], work: [hooked({ restedMs: MINUTE })] },
      ['reopen tw-1'],
    ],
    ['taken from one that lives', { workers: [GIVEN], work: [work({ restedMs: MINUTE })] }, ['spawn tw-1']],
    ['hooked by an agent that is no worker of the rig', { work: [hooked()] }, []],
    ['in progress at a stranger', { work: [hooked({ status: 'in_progress' })] }, []],
  ])('%s', (_, seen, expected) => {
    expect(acts(seen)).toEqual(expected);
  });

  // Rules: P-8.
  test('the most urgent goes first, of those the oldest', () => {
    const all = [
      work({ id: 'young', ageMs: 1 }),
      work({ id: 'old', ageMs: 2 }),
      work({ id: 'urgent', ageMs: 0, priority: 0 }),
    ];
    expect(acts({ maxPolecats: 2, work: all })).toEqual(['spawn urgent', 'spawn old']);
  });

  test('what is taken back is given to no polecat in the same cycle', () => {
    expect(acts({ workers: [dead()], work: [hooked(), work({ id: 'tw-2' })] })).toEqual(['reopen tw-1', 'spawn tw-2']);
  });
});

describe('dispatch rests', () => {
  const ago = (agoMs: number): AttemptSeen => ({ bead: `tw-${agoMs}`, agoMs });
  const many = (count: number, youngest: number): AttemptSeen[] =>
    Array.from({ length: count }, (_, n) => ago(youngest + n));
  const HALF_HOUR = 30 * MINUTE;
  const tried = (hours: number): AttemptSeen[] => [ago(5 * MINUTE), ...many(20, hours * 60 * MINUTE)];
  // Rules: P-8.
  test.each<[what: string, attempts: AttemptSeen[], breaker: ReturnType<typeof breakerOf>]>([
    ['after nineteen attempts', many(19, 0), 'closed'],
    ['after twenty without a success', many(20, 0), 'open'],
    ['they were spread over more than the window', many(20, 0).map(({ agoMs }) => ago(agoMs * 2 * MINUTE)), 'closed'],
    ['half an hour later one may try', many(20, HALF_HOUR), 'half-open'],
    ['which came to nothing too', tried(1), 'open'],
    ['a whole night later one may try', many(20, 8 * 60 * MINUTE), 'half-open'],
    ['… and no other beside it', tried(8), 'open'],
  ])('%s', (_, attempts, breaker) => {
    expect(breakerOf({ attempts, workers: [] }, PATROL)).toBe(breaker);
  });

  test('not for those that are there, however many were begun at once', () => {
    const attempts = many(40, 0);
    const workers = (count: number): WorkerSeen[] =>
      attempts
        .slice(0, count)
        .map(({ bead, agoMs }) => worker({ agent: `shop/polecats/${bead}`, startedFor: { bead, agoMs } }));
    expect(breakerOf({ attempts, workers: workers(21) }, PATROL)).toBe('closed');
    expect(breakerOf({ attempts, workers: workers(20) }, PATROL)).toBe('open');
    // An earlier attempt at work that an agent is at came to nothing.
    const again = attempts.map(({ agoMs }) => ({ bead: 'tw-0', agoMs }));
    expect(breakerOf({ attempts: again, workers: workers(1) }, PATROL)).toBe('open');
  });

  test('and is told, as long as there is work for it', () => {
    expect(acts({ attempts: many(20, 0), work: [work()] })).toEqual(['stand']);
    expect(acts({ attempts: many(20, 0) })).toEqual([]);
    expect(acts({ attempts: many(20, HALF_HOUR), work: [work(), work({ id: 'tw-2' })] })).toEqual(['spawn tw-1']);
  });
});

// Rules: P-10.
test('a convoy lands when all of its work is closed, an empty or a closed one does not', () => {
  const tracked = (...closed: boolean[]) => closed.map((isClosed, n) => ({ id: `tw-${n}`, isClosed }));
  const convoy = (id: string, ...closed: boolean[]) => ({ id, title: id, tracked: tracked(...closed) });
  const all = [convoy('a', true, true), convoy('b', true, false), convoy('c')];
  expect(landings(all)).toEqual([{ convoy: 'a', summary: 'a: all 2 of its beads are closed' }]);
});

const age = fc.nat(120 * MINUTE);
const anyWork = fc.record({
  id: fc.string({ minLength: 1, maxLength: 3 }),
  title: fc.constant('x'),
  status: fc.constantFrom('open', 'in_progress', 'blocked', 'deferred', 'hooked', 'pinned', 'closed'),
  assignee: fc.constantFrom(null, NUX, 'shop/polecats/ada', 'stranger'),
  priority: fc.nat(4),
  restedMs: age,
  ageMs: age,
  isStaged: fc.boolean(),
  attempts: fc.nat(4),
  lastAttemptMs: fc.option(age),
}) satisfies fc.Arbitrary<WorkSeen>;
const anyWorker = (agent: string) =>
  fc.record({
    agent: fc.constant(agent),
    session: fc.constantFrom('alive', 'dead', 'unknown'),
    startedFor: fc.option(fc.record({ bead: fc.constantFrom('tw-1', 'tw-2'), agoMs: age })),
    failureAgesMs: fc.array(age, { maxLength: 5 }),
    left: fc.constantFrom(...Object.values(LEFTS)),
    isUnbegun: fc.boolean(),
  }) satisfies fc.Arbitrary<WorkerSeen>;
const anyRig = fc.record({
  name: fc.constant('shop'),
  hasAgent: fc.boolean(),
  maxPolecats: fc.nat(4),
  trouble: fc.constant(null),
  workers: fc.tuple(anyWorker(NUX), anyWorker('shop/polecats/ada')),
  work: fc.uniqueArray(anyWork, { selector: ({ id }) => id, maxLength: 8 }),
  attempts: fc.array(fc.record({ bead: fc.constantFrom('tw-1', 'tw-2', 'tw-3'), agoMs: age }), { maxLength: 40 }),
}) satisfies fc.Arbitrary<RigSeen>;

describe('property', () => {
  // Rules: P-8.
  test('one act for a bead, none for what is closed or held by a living worker, never more polecats than there is room for', () => {
    fc.assert(
      fc.property(anyRig, (seen) => {
        const given = dispatchActs(seen, PATROL);
        const beads = given.flatMap((one) => ('bead' in one ? [one.bead] : []));
        expect(new Set(beads).size).toBe(beads.length);
        for (const bead of beads) {
          const { status, assignee } = seen.work.find(({ id }) => id === bead)!;
          expect(status).not.toBe('closed');
          const holder = seen.workers.find(({ agent }) => agent === assignee);
          expect(holder === undefined || holder.isUnbegun || holder.session === 'dead').toBe(true);
        }
        // One whose making goes on has its room already.
        const living = seen.workers.filter(({ session, isUnbegun }) => session !== 'dead' || isUnbegun).length;
        const isFree = (bead: string): boolean =>
          seen.work.some(({ id, assignee }) => id === bead && assignee === null);
        const spawns = given.filter((one) => one.act === 'spawn' && isFree(one.bead)).length;
        expect(spawns).toBeLessThanOrEqual(Math.max(0, seen.maxPolecats - living));
      }),
    );
  });
});
