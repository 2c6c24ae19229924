/** What of a step becomes a line of the journal. */
import { expect, test } from 'vitest';
import type { Warrant } from '../../machines/protocol.ts';
import { Chronicle } from '../../src/journal/chronicle.ts';
import { session } from '../state/make.ts';
import { WALL, warrant } from '../world/drive.ts';

const linesOf = (filed: Warrant) =>
  new Chronicle().lines({
    facts: [{ type: 'WARRANT_FILED', warrant: filed, at: 0, wall: WALL }],
    records: [],
    orders: [],
    wall: WALL,
  });

test('a warrant is told with who filed it, where that is known', () => {
  const filed = warrant('w1', undefined, { requester: 'mayor', via: 'operator' });
  expect(linesOf(filed)).toMatchObject([{ kind: 'warrant.filed', requester: 'mayor', via: 'operator' }]);
  expect(linesOf(warrant('w1'))[0]).not.toHaveProperty('via');
});

test('of sessions whose names differ in a number alone each is told', () => {
  const wanted = (name: string) =>
    ({ type: 'SESSION_WANTED', spec: session(name).spec, uuid: null, why: 'configured', at: 0, wall: WALL }) as const;
  const facts = [wanted('worker-1'), wanted('worker-2'), wanted('worker-2')];
  const lines = new Chronicle().lines({ facts, records: [], orders: [], wall: WALL });
  expect(lines.map((line) => line['session'])).toEqual(['worker-1', 'worker-2']);
});

test('a deed that leads to the same is told once, and each close of a bead, which was opened in between', () => {
  const deed = (act: string, done: boolean) => ({ act, about: 'tw-1', done, text: 'merged' });
  const outcomes = [deed('close', true), deed('close', true), deed('tell', true), deed('tell', true)];
  const undone = [deed('close', false), deed('close', false)];
  const re = { giver: 'patrol', verb: 'act', rig: 'shop' } as const;
  const done = [...outcomes, ...undone];
  const facts = [{ type: 'ACTED', re, outcomes: done, hasNewCase: false, at: 0, wall: WALL } as const];
  const lines = new Chronicle().lines({ facts, records: [], orders: [], wall: WALL });
  expect(lines.map(({ kind, act }) => [kind, act])).toEqual([
    ['patrol.did', 'close'],
    ['patrol.did', 'close'],
    ['patrol.did', 'tell'],
    ['patrol.did_not', 'close'],
  ]);
});
