/** What of a step becomes a line of the journal. */
import { expect, test } from 'vitest';
import type { Warrant } from '../../machines/protocol.ts';
import { order } from './step-seen.ts';
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

test('an end that a start only reads is no new line, and the next change of it is one', () => {
  const chronicle = new Chronicle();
  const over = session('over', { state: 'ended' });
  const stamp = { at: 0, wall: WALL };
  const re = { issuer: 'sessions', verb: 'read' } as const;
  const read = (value: typeof over) => ({ type: 'SESSIONS_READ', sessions: [value], re, ...stamp }) as const;
  const step = (value: typeof over, ...facts: Parameters<Chronicle['lines']>[0]['facts']) =>
    chronicle
      .lines({ facts, records: [{ kind: 'session', id: value.spec.name, value }], orders: [], wall: WALL })
      .map(({ kind }) => kind);
  expect(step({ ...over, note: 'read' }, read(over))).toEqual([]);
  expect(step({ ...over, state: 'backing_off' })).toEqual(['session.backing_off']);
  // A later reading, as by a health check, may be older than what was seen.
  expect(step({ ...over, state: 'backing_off' }, read(over))).toEqual([]);
  expect(step(over)).toEqual(['session.ended']);
  const on = session('on', { state: 'running' });
  expect(step(on, read(on))).toEqual(['session.running']);
});

test('a deed that leads to the same is told once, and each close of a bead, which was opened in between', () => {
  const deed = (act: string, done: boolean) => ({ act, about: 'tw-1', done, text: 'merged' });
  const outcomes = [deed('close', true), deed('close', true), deed('tell', true), deed('tell', true)];
  const undone = [deed('close', false), deed('close', false)];
  const re = { issuer: 'patrol', verb: 'act', rig: 'shop' } as const;
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

test('work that waits is told with its session, once for each obstacle and request, though it is tried every few seconds', () => {
  const chronicle = new Chronicle();
  const request = { verb: 'send', name: 'builder', send: 's-1', text: 'mend it', from: 'overseer' } as const;
  const id = (round: number) => ({ issuer: 'sends', verb: 'type', round, name: 's-1' }) as const;
  const stamp = { at: 0, wall: WALL };
  const unknown = { kind: 'unknown', why: 'no pack knows it' } as const;
  const recent = { kind: 'recent', what: 'a moment ago', waitMs: 5 } as const;
  const told = [unknown, unknown, recent, null, unknown].flatMap((obstacle, round) => {
    const re = id(round);
    const outcome =
      obstacle === null
        ? ({ type: 'NUDGED', re, ...stamp } as const)
        : ({ type: 'NOT_NUDGED', re, obstacle, ...stamp } as const);
    const asked = { type: 'REQUESTED', rpc: `r${round}`, request, ...stamp } as const;
    const typing = order(re, { type: 'remind', session: 'builder', text: 'mend it', isTask: true });
    const typed = chronicle.lines({ facts: [asked], records: [], orders: [typing], wall: WALL });
    return [...typed, ...chronicle.lines({ facts: [outcome], records: [], orders: [], wall: WALL })];
  });
  expect(told.map(({ kind, session: name }) => [kind, name])).toEqual([
    ['requested', 'builder'],
    ['nudge.not_typed', 'builder'],
    ['nudge.not_typed', 'builder'],
    ['nudge.typed', 'builder'],
    ['nudge.not_typed', 'builder'],
  ]);
});
