/** The generic supervisor in OTP's words: who starts again, when, how often, and what happens when it gives up. */
import { setup, type AnyActorLogic } from 'xstate';
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { News } from '../../machines/protocol.ts';
import {
  affectedBy,
  createSupervisor,
  startsAgain,
  type ChildSpec,
  type Plan,
} from '../../machines/kernel/supervisor.ts';
import { backoffMs } from '../../machines/kernel/schedule.ts';
import { ActorTree } from '../../src/town/actor-tree.ts';

const IDS = ['a', 'b', 'c'];
const policy = { ...POLICY.supervisor, jitter: 0 };
const stamp = (at: number) => ({ at, wall: at });
/** News for one child: `a crashes`, `a ends`. */
const tell = (what: string, at: number): News & { type: 'LOST' } => ({ type: 'LOST', what, why: '', ...stamp(at) });

/** Children that throw, or end, when told by name; `began` lists every start and stop. */
function house(plan: Partial<Plan>, specs: Partial<ChildSpec> = {}, inner?: AnyActorLogic) {
  const began: string[] = [];
  const childOf = (id: string) =>
    setup({
      types: { events: tell('', 0) },
      actions: {
        began: () => {
          began.push(id);
        },
        crash: () => {
          throw new Error(`${id} has a bug`);
        },
      },
      guards: {
        crashes: ({ event }) => event.what === `${id} crashes`,
        ends: ({ event }) => event.what === `${id} ends`,
      },
    }).createMachine({
      entry: 'began',
      initial: 'up',
      states: {
        up: {
          on: {
            LOST: [
              { guard: 'crashes', actions: 'crash' },
              { guard: 'ends', target: 'over' },
            ],
          },
        },
        over: { type: 'final' },
      },
    });
  const actors = Object.fromEntries(IDS.map((id): [string, AnyActorLogic] => [id, childOf(id)]));
  const root = createSupervisor('house', { ...actors, ...(inner && { inner }) }, () => ({
    strategy: 'one_for_one',
    policy,
    entropy: 'test',
    children: [...IDS.map((id) => ({ id, src: id, ...specs })), ...(inner ? [{ id: 'inner', src: 'inner' }] : [])],
    ...plan,
  }));
  const tree = new ActorTree(root, {}, {});
  tree.start();
  return {
    tree,
    /** What begins when this is told, and in the time after it. */
    after: (what: string, at: number, waitMs = policy.backoffMs) => {
      began.length = 0;
      tree.step(stamp(at), [tell(what, at)]);
      const atOnce = [...began];
      tree.step(stamp(at + waitMs), []);
      return { atOnce, later: began.slice(atOnce.length) };
    },
    began,
    alive: () => tree.refs.map((ref) => ref.id).sort(),
  };
}

describe('strategies', () => {
  test.each([
    ['one_for_one', 'a', ['a']],
    ['one_for_one', 'b', ['b']],
    ['one_for_one', 'c', ['c']],
    ['rest_for_one', 'a', ['a', 'b', 'c']],
    ['rest_for_one', 'b', ['b', 'c']],
    ['rest_for_one', 'c', ['c']],
    ['one_for_all', 'a', ['a', 'b', 'c']],
    ['one_for_all', 'b', ['a', 'b', 'c']],
    ['one_for_all', 'c', ['a', 'b', 'c']],
  ] as const)('%s, %s crashes: %j start again, in order, after the backoff', (strategy, who, again) => {
    expect(affectedBy(strategy, IDS, who)).toEqual(again);
    const { after, began, alive } = house({ strategy });
    expect(began).toEqual(IDS);
    expect(after(`${who} crashes`, 5_000)).toEqual({ atOnce: [], later: again });
    expect(alive()).toEqual([...IDS, 'town'].sort());
  });
});

describe('restart types', () => {
  test.each([
    ['permanent', true, true],
    ['permanent', false, true],
    ['transient', true, true],
    ['transient', false, false],
    ['temporary', true, false],
    ['temporary', false, false],
  ] as const)('%s, crashed: %s -> starts again: %s', (restart, crashed, again) => {
    expect(startsAgain(restart, crashed)).toBe(again);
    const { after, alive } = house({}, { restart });
    expect(after(crashed ? 'b crashes' : 'b ends', 5_000).later).toEqual(again ? ['b'] : []);
    expect(alive()).toEqual(again ? ['a', 'b', 'c', 'town'] : ['a', 'c', 'town']);
  });
});

describe('backoff', () => {
  test('is doubled for each crash in a row, up to the most', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => backoffMs(n, policy.backoffMs, policy.maxBackoffMs));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  test('a child that crashed is down until its instant, not a millisecond earlier', () => {
    const { after, began, tree } = house({});
    after('b crashes', 5_000, policy.backoffMs - 1);
    expect([began, tree.nextWake]).toEqual([[], 6_000]);
    tree.step(stamp(6_000), []);
    expect(began).toEqual(['b']);
  });
});

describe('intensity', () => {
  test(`${policy.maxRestarts} restarts within its time are borne, one more is not: nothing is left running`, () => {
    const { after, tree } = house({});
    for (let n = 0; n < policy.maxRestarts; n++) {
      after('b crashes', n * 70_000, policy.maxBackoffMs);
      expect(tree.failure).toBe(null);
    }
    after('b crashes', policy.maxRestarts * 70_000);
    expect(tree.failure?.name).toBe('IntensityExceeded');
    expect(tree.failure?.message).toBe('house: b crashed too often; last: b has a bug');
    expect(tree.refs).toEqual([]);
  });

  test('crashes that are further apart never add up', () => {
    const { after, tree } = house({});
    for (let n = 0; n < 20; n++) after('b crashes', n * policy.withinMs, policy.maxBackoffMs);
    expect(tree.failure).toBe(null);
  });

  test('a supervisor that gives up crashes itself: its parent starts it again with all its children', () => {
    const inner = createSupervisor(
      'inner',
      {
        twig: setup({
          types: { events: tell('', 0) },
          guards: { bad: ({ event }) => event.what === 'twig crashes' },
          actions: {
            crash: () => {
              throw new Error('twig has a bug');
            },
          },
        }).createMachine({ on: { LOST: { guard: 'bad', actions: 'crash' } } }),
      },
      () => ({
        strategy: 'one_for_one',
        policy: { ...policy, maxRestarts: 1 },
        entropy: 'test',
        children: ['twig', 'leaf'].map((id) => ({ id, src: 'twig' })),
      }),
    );
    const { after, alive, tree } = house({}, {}, inner);
    const before = tree.refs.find((ref) => ref.id === 'inner');
    for (const at of [10_000, 20_000, 30_000]) after('twig crashes', at, 5_000);
    expect(tree.failure).toBe(null);
    expect(alive()).toEqual(['a', 'b', 'c', 'inner', 'leaf', 'town', 'twig']);
    expect(tree.refs.find((ref) => ref.id === 'inner')).not.toBe(before);
  });
});

test('the children of a child that crashed are reaped: XState leaves them running', () => {
  const parent = createSupervisor('inner', { leaf: setup({}).createMachine({}) }, () => ({
    strategy: 'one_for_one',
    policy: { ...policy, maxRestarts: 0 },
    entropy: 'test',
    children: [{ id: 'leaf', src: 'leaf' }],
  }));
  const fragile = parent.provide({
    actions: {
      tick: () => {
        throw new Error('the supervisor itself has a bug');
      },
    },
  });
  const { tree } = house({}, {}, fragile);
  const leaf = tree.refs.find((ref) => ref.id === 'leaf');
  const inner = tree.refs.find((ref) => ref.id === 'inner');
  inner?.send({ type: 'TICK', ...stamp(5_000) });
  tree.step(stamp(5_000), []);
  tree.step(stamp(7_000), []);
  expect(leaf?.getSnapshot()).toMatchObject({ status: 'stopped' });
  expect(tree.refs.filter((ref) => ref.id === 'leaf')).toHaveLength(1);
});
