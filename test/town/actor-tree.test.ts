/** The tree by itself: who gets a fact, what a step names, what it never gives twice, and what ends it. */
import { assign, emit, enqueueActions, setup, type AnyActorLogic } from 'xstate';
import { describe, expect, test } from 'vitest';
import type { Fact, News, NewsBody, Order, OrderId, Outcome, OutcomeBody } from '../../machines/protocol.ts';
import { POLICY } from '../../machines/policy.ts';
import { createSupervisor } from '../../machines/kernel/supervisor.ts';
import { town } from '../../machines/town.ts';
import { LEVELS } from '../../machines/alert-kinds.ts';
import { ActorTree, stateText } from '../../src/town/actor-tree.ts';
import { Drive, incarnation, townInput, warrant } from '../world/drive.ts';
import { quiet } from '../world/hands.ts';

const stamp = (at: number) => ({ at, wall: at });
const outcome = (re: OrderId, body: OutcomeBody, at = 0): Outcome => ({ ...body, re, ...stamp(at) });
const news = (body: NewsBody, at = 0): News => ({ ...body, ...stamp(at) });
/** What a porter reads. */
const read = (name: string): OrderId => ({ name, verb: 'read' });
const wake = news({ type: 'CHANGED', what: 'warrants' });

/** XState takes the types of a machine from values that it never reads. */
const anyFact = (): Fact => ({ type: 'TICK', at: 0, wall: 0 });
const anyOrder = (): Order => ({ type: 'checkpoint', id: {} });
interface Porter {
  readonly id: string;
  readonly heard: readonly string[];
  readonly wakeAt: number | null;
}
const TYPES: { context: Porter; events: Fact; input: string; emitted: Order } = {
  context: { id: '', heard: [], wakeAt: null },
  events: anyFact(),
  input: '',
  emitted: anyOrder(),
};

/** Two children that give an order for each wake and remember what came back. */
const porter = setup({
  types: TYPES,
  actions: {
    give: emit(({ context }): Order => ({ type: 'readWarrants', id: read(context.id) })),
    hear: assign(({ context, event }) => ({ heard: [...context.heard, event.type] })),
  },
}).createMachine({
  id: 'porter',
  context: ({ input }) => ({ id: input, heard: [], wakeAt: null }),
  on: { CHANGED: { actions: ['hear', 'give'] }, WARRANTS_READ: { actions: 'hear' }, TICK: { actions: 'hear' } },
});
const portersOf = (actors: Record<string, AnyActorLogic> = { porter }) => {
  const root = createSupervisor('porters', actors, () => ({
    strategy: 'one_for_one',
    policy: POLICY.supervisor,
    entropy: 'test',
    children: ['a', 'b'].map((id) => ({ id, src: 'porter', input: id })),
  }));
  const tree = new ActorTree(root, {}, {});
  tree.start();
  const heardBy = (id: string) =>
    (tree.refs.find((ref) => ref.id === id)?.getSnapshot() as { context: { heard: string[] } }).context.heard;
  return { tree, heardBy };
};

describe('a fact finds its actor', () => {
  test('news goes to all who can take it, an outcome to its issuer alone, time to those alone that wait', () => {
    const { tree, heardBy } = portersOf();
    const { orders } = tree.step(stamp(5), [wake]);
    expect(orders.map((o) => o.id)).toEqual([read('a'), read('b')]);
    tree.step(stamp(6), [outcome(read('b'), { type: 'WARRANTS_READ', warrants: [] })]);
    expect([heardBy('a'), heardBy('b')]).toEqual([['CHANGED'], ['CHANGED', 'WARRANTS_READ']]);
  });

  test('a request waits for the actor that answers it: one that comes while records are read is answered after that', () => {
    const tree = new ActorTree(town, townInput(), LEVELS);
    const spec = { name: 'a', command: ['sleep'], dir: '/', tags: [], restart: 'permanent', process: null } as const;
    const asked = news({
      type: 'REQUESTED',
      rpc: 'r',
      by: 'overseer',
      via: 'operator',
      request: { verb: 'startSession', spec },
    });
    const given = [...tree.start().orders, ...tree.step(stamp(1), [asked]).orders];
    expect(given.map(({ type }) => type)).not.toContain('reply');
    const told = outcome(
      { issuer: 'sessions', verb: 'read' },
      { type: 'SESSIONS_READ', sessions: [], lost: [], serverDeaths: null },
      2,
    );
    expect(tree.step(stamp(2), [told]).orders).toContainEqual(
      expect.objectContaining({ type: 'startSession', spec: expect.objectContaining({ name: 'a' }) as object }),
    );
  });

  test('an outcome of an order that no actor gave, or that had its outcome, moves none', () => {
    const { tree, heardBy } = portersOf();
    tree.step(stamp(5), [wake]);
    const told = outcome(read('a'), { type: 'WARRANTS_READ', warrants: [] });
    tree.step(stamp(6), [told, told, outcome(read('c'), { type: 'WARRANTS_READ', warrants: [] })]);
    expect(heardBy('a')).toEqual(['CHANGED', 'WARRANTS_READ']);
  });
});

describe('an order', () => {
  test('in flight is not given twice; after its outcome it is', () => {
    const { tree } = portersOf();
    expect(tree.step(stamp(1), [wake, wake]).orders.map((o) => o.id)).toEqual([read('a'), read('b')]);
    expect(tree.step(stamp(2), [wake]).orders).toEqual([]);
    tree.step(stamp(3), [outcome(read('a'), { type: 'WARRANTS_READ', warrants: [] })]);
    expect(tree.step(stamp(4), [wake]).orders.map((o) => o.id)).toEqual([read('a')]);
  });

  test('of a transition that throws is not given', () => {
    const clumsy = porter.provide({
      actions: {
        give: enqueueActions(({ enqueue }) => {
          enqueue.emit({ type: 'readWarrants', id: { name: 'never' } });
          throw new Error('a bug after the order');
        }),
      },
    });
    const { tree } = portersOf({ porter: clumsy });
    expect(tree.step(stamp(1), [wake]).orders).toEqual([]);
  });

  test('that its issuer gave up within the step is not given', () => {
    const given = (...more: NewsBody[]): string[] => {
      const drive = new Drive({ ask: null, look: null });
      const facts: NewsBody[] = [{ type: 'WARRANT_FILED', warrant: warrant('w0') }, ...more];
      const { orders } = drive.tree.step(
        stamp(drive.now),
        facts.map((fact) => news(fact, drive.now)),
      );
      return orders.map(({ type }) => type);
    };
    const cancel = { type: 'REQUESTED', rpc: 'r', request: { verb: 'cancelWarrant', id: 'w0', by: 'mayor' } } as const;
    expect(given()).toEqual(['checkpoint']);
    expect(given(cancel)).toEqual(['sendVerdict', 'reply']);
  });

  test('that was held is wanted while its issuer waits for it; one of an issuer that waits for none always is', () => {
    const drive = new Drive({ ask: null });
    drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1') });
    drive.run(100);
    const ask = drive.given('ask')[0]!;
    expect(drive.tree.stillWanted(ask)).toBe(true);
    drive.tell({ type: 'REQUESTED', rpc: 'r', request: { verb: 'cancelWarrant', id: 'w1', by: 'mayor' } });
    expect(drive.tree.stillWanted(ask)).toBe(false);
    const clear = setup({ types: { events: anyFact(), emitted: anyOrder() } }).createMachine({
      on: {
        CHANGED: {
          actions: emit((): Order => ({ type: 'clear', id: { name: 'c' }, target: incarnation(1), tree: [] })),
        },
      },
    });
    const tree = new ActorTree(clear, {}, {});
    tree.start();
    const [order] = tree.step(stamp(1), [wake]).orders;
    expect(tree.stillWanted(order!)).toBe(true);
  });
});

describe('a step', () => {
  test('names a record when it changed, and only then', () => {
    const tree = new ActorTree(town, townInput(), LEVELS);
    const { orders } = tree.start();
    const told = orders.map((o): Outcome => {
      const answer = quiet(o, 0);
      if (answer === null || 'after' in answer) throw new Error(`no answer to ${o.type}`);
      return outcome(o.id, answer, 1);
    });
    tree.step(stamp(1), told);
    const filed = tree.step(stamp(2), [news({ type: 'WARRANT_FILED', warrant: warrant('w1') }, 2)]);
    expect(filed.records.map((r) => r.kind)).toEqual(['dance']);
    expect(tree.step(stamp(3), [wake]).records).toEqual([]);
  });

  test('in which a wake-up is not cleared fails with the name of the actor instead of spinning', () => {
    const restless = porter.provide({ actions: { hear: assign({ wakeAt: 0 }) } });
    const { tree } = portersOf({ porter: restless });
    expect(() => tree.step(stamp(1), [wake])).toThrow('a, b: wakes and wakes without clearing wakeAt');
  });

  test('tells the earliest wake-up of all actors; without one only a fact can move the town', () => {
    const { tree } = portersOf();
    expect(tree.nextWake).toBe(Infinity);
    const drive = new Drive();
    expect(drive.tree.nextWake).toBeGreaterThan(drive.now);
    expect(drive.tree.nextWake).toBeLessThanOrEqual(drive.now + POLICY.dance.readWarrantsEveryMs);
  });
});

test('a root supervisor that gives up is a failure, not an exception', () => {
  const clumsy = porter.provide({
    actions: {
      give: () => {
        throw new Error('a bug');
      },
    },
  });
  const { tree } = portersOf({ porter: clumsy });
  for (let at = 0; at < 600_000 && tree.failure === null; at += 10_000) tree.step(stamp(at), [wake]);
  expect(String(tree.failure)).toMatch(/IntensityExceeded: porters: [ab] crashed too often; last: a bug/);
  expect(tree.actors).toEqual([]);
});

test('actors are shown by their path, state and restarts', () => {
  const { tree } = portersOf();
  expect(tree.actors.map((a) => a.id).sort()).toEqual(['town', 'town/a', 'town/b']);
  expect(stateText({ interrogating: { suspended: 'waiting' } })).toBe('interrogating.suspended.waiting');
});
