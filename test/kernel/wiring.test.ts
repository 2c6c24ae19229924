/**
 * What the compiler does not see in a machine: targets, names of actions and guards, states that no event leads to. Every
 * machine in machines/ is found by importing the folder, so a new one is checked without being listed.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createActor, createMachine, StateMachine, type AnyStateMachine, type StateNode } from 'xstate';
import { describe, expect, test } from 'vitest';
import * as charts from '../../machines/charts.ts';
import { POLICY } from '../../machines/policy.ts';
import { townInput } from '../world/drive.ts';
import { danceAt, tools } from '../hearings/lone.ts';

const FOLDER = join(import.meta.dirname, '../../machines');
const isMachine = (value: unknown): value is AnyStateMachine => value instanceof StateMachine;
const machines = new Map<string, AnyStateMachine>();
for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
  const exported = (await import(join(FOLDER, file))) as Record<string, unknown>;
  for (const value of Object.values(exported)) if (isMachine(value)) machines.set(value.id, value);
}

/** What each machine is started with. */
const INPUTS: Readonly<Record<string, unknown>> = {
  alerts: { policy: POLICY.alerts, asks: () => null, kindOf: () => undefined },
  connection: { what: 'tmux', policy: POLICY.supervisor },
  dog: { ...tools(), dance: danceAt({}) },
  kennel: tools(),
  sessions: { policy: POLICY.sessions, entropy: 'test' },
  daemon: { policy: POLICY.watchdog, deacon: null, isProtected: () => false },
  boot: { policy: POLICY.watchdog, entropy: 'test', deacon: null },
  deacon: { policy: POLICY.watchdog.deacon },
  monitor: { policy: POLICY.monitor },
  'mail-watch': { policy: POLICY.monitor },
  sends: {},
  timers: { policy: POLICY.monitor },
  ledger: { policy: POLICY.ledger },
  patrol: { policy: { ...POLICY.rounds, activeMs: 1, idleMs: 2 }, of: 'shop' },
  tickle: { policy: POLICY.tickle },
  witnesses: { supervisor: POLICY.supervisor, entropy: 'test', policy: POLICY.rounds },
  health: { policy: POLICY.watchdog.deacon, entropy: 'test', command: townInput().command },
  town: townInput(),
};

const typeOf = (what: unknown): string | null =>
  typeof what === 'string'
    ? what
    : what !== null && typeof what === 'object' && 'type' in what
      ? String(what.type)
      : null;
const nodesOf = (machine: AnyStateMachine): StateNode[] => {
  const below = (node: StateNode): StateNode[] => [node, ...Object.values(node.states).flatMap((n) => below(n))];
  return below(machine.root as StateNode);
};
const transitionsOf = (node: StateNode) => [...[...node.transitions.values()].flat(), ...(node.always ?? [])];

/** Everything in a machine that names nothing. */
function danglingIn(machine: AnyStateMachine): string[] {
  const known = new Set(nodesOf(machine));
  const { actions, guards } = machine.implementations as { actions: object; guards: object };
  const unnamed = (list: readonly unknown[], names: object, kind: string, where: string): string[] =>
    list
      .map(typeOf)
      .filter((type): type is string => type !== null && !type.startsWith('xstate.') && !(type in names))
      .map((type) => `${where}: no ${kind} ${type}`);
  return nodesOf(machine).flatMap((node) => [
    ...unnamed([...node.entry, ...node.exit], actions, 'action', node.id),
    ...transitionsOf(node).flatMap((t) => [
      ...(t.target ?? [])
        .filter((target) => !known.has(target as StateNode))
        .map((x) => `${node.id}: no state ${x.id}`),
      ...unnamed(t.actions, actions, 'action', node.id),
      ...unnamed(t.guard === undefined ? [] : [t.guard], guards, 'guard', node.id),
    ]),
  ]);
}

/** States that no transition and no `initial` leads to. */
function lonelyIn(machine: AnyStateMachine): string[] {
  const reached = new Set<unknown>([machine.root]);
  for (let grew = true; grew;) {
    const before = reached.size;
    for (const node of nodesOf(machine).filter((n) => reached.has(n))) {
      for (const target of [...node.initial.target, ...transitionsOf(node).flatMap((t) => t.target ?? [])])
        for (let up: StateNode | undefined = target as StateNode; up; up = up.parent) reached.add(up);
    }
    grew = reached.size > before;
  }
  return nodesOf(machine)
    .filter((node) => !reached.has(node))
    .map((node) => node.id);
}

test('every machine was found, and there is an input for each', () => {
  expect([...machines.keys()].sort()).toEqual(Object.keys(INPUTS).sort());
});

test('programs get every machine but the connection and the root, which is a supervisor', () => {
  const given = Object.values(charts).filter(isMachine);
  expect(given.map(({ id }) => id).sort()).toEqual(
    [...machines.keys()].filter((id) => id !== 'connection' && id !== 'town').sort(),
  );
});

describe.each([...machines.keys()])('%s', (id) => {
  const machine = machines.get(id)!;

  test('names only states, actions and guards that there are', () => {
    expect(danglingIn(machine)).toEqual([]);
  });

  // Rules: D-1.
  test('has no state that no event leads to', () => {
    expect(lonelyIn(machine)).toEqual([]);
  });

  test('starts, and waits', () => {
    const actor = createActor(machine, { input: INPUTS[id] });
    const errors: unknown[] = [];
    actor.subscribe({ error: (error) => errors.push(error) });
    actor.start();
    expect([errors, actor.getSnapshot().status]).toEqual([[], 'active']);
    actor.stop();
  });
});

describe('the check finds what is planted', () => {
  test('a target that does not exist', () => {
    const broken = () => createMachine({ id: 'x', initial: 'a', states: { a: { on: { GO: 'nowhere' } } } });
    expect(() => danglingIn(broken())).toThrow(/nowhere/);
  });
  test('an action and a guard that do not exist', () => {
    const broken = createMachine({
      id: 'x',
      initial: 'a',
      states: { a: { entry: 'wave', on: { GO: { guard: 'open', target: 'b' } } }, b: {} },
    });
    expect(danglingIn(broken)).toEqual(['x.a: no action wave', 'x.a: no guard open']);
  });
  test('a state that no event leads to', () => {
    const broken = createMachine({ id: 'x', initial: 'a', states: { a: {}, island: {} } });
    expect(lonelyIn(broken)).toEqual(['x.island']);
  });
});
