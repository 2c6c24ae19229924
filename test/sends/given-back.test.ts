/** Work that its program gives back, in virtual time. */
import { createActor } from 'xstate';
import { expect, test } from 'vitest';
import type { NudgeObstacle, OrderId } from '../../machines/protocol.ts';
import { sends } from '../../machines/sends/machine.ts';
import { SENDS } from '../../machines/sends/policy.ts';
import { ASKS } from './town.ts';

/** Work a, b and c for one session, of which a piece is tried each quarter of an hour; `obstacle`: what stands in its way then. */
function tried(forMs: number, obstacle: (id: string, at: number) => NudgeObstacle | null) {
  const actor = createActor(sends);
  const orders: OrderId[] = [];
  actor.on('*', (order) => {
    if (order.type === 'remind') orders.push(order.id);
  });
  actor.start();
  const all = ['a', 'b', 'c'].map((id) => ({ id, session: 'w1', text: id, from: 'overseer', sentAt: 0 }));
  const re: OrderId = { issuer: 'sends', verb: 'read' };
  actor.send({ type: 'NOTE_READ', note: 'sends', value: { sends: all, ended: [] }, re, at: 0, wall: 0 });
  for (let at = 0; at <= forMs; at += SENDS.lateMs) {
    actor.send({ type: 'TICK', at, wall: at });
    const last = orders.at(-1) ?? {};
    const found = obstacle(last.name ?? '', at);
    const outcome = found === null ? { type: 'NUDGED' as const } : { type: 'NOT_NUDGED' as const, obstacle: found };
    actor.send({ ...outcome, re: last, at, wall: at });
  }
  const { sends: left, ended } = actor.getSnapshot().context;
  return { left, ended: ended.map(({ id, end }) => `${id}: ${end}`) };
}
const REFUSED: NudgeObstacle = { kind: 'refused', what: 'its program gave our text back' };

// Rules: law 7.
test('what its program gives back for a day is given up: it stays on record, and keeps nothing behind it', () => {
  const ofA = (id: string) => (id === 'a' ? REFUSED : null);
  expect(tried(SENDS.giveUpMs - SENDS.lateMs, ofA).left.map(({ undone }) => undone)).toEqual(Array(3).fill(undefined));
  const { left, ended } = tried(SENDS.giveUpMs + 2 * SENDS.lateMs, ofA);
  expect(left).toMatchObject([{ id: 'a', undone: 'its program gave it back for 1 d' }]);
  expect(ended).toEqual(['b: typed', 'c: typed']);
});

test('work that waited for a day for another reason is not given up once its program gives it back', () => {
  const backAt = SENDS.giveUpMs + SENDS.lateMs;
  const firstTries = new Set<string>();
  const { left, ended } = tried(2 * SENDS.giveUpMs, (id, at) => {
    if (at < backAt) return { kind: 'gone', paneStays: false };
    if (firstTries.has(id)) return null;
    firstTries.add(id);
    return REFUSED;
  });
  expect([left, ended]).toEqual([[], ['a: typed', 'b: typed', 'c: typed']]);
});

test('a day of which its program gave the work back only now and then gives nothing up', () => {
  const { left } = tried(2 * SENDS.giveUpMs, (_, at) => (at % (4 * SENDS.lateMs) === 0 ? ASKS : REFUSED));
  expect(left.map(({ undone }) => undone)).toEqual(Array(3).fill(undefined));
});
