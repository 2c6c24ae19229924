/** The shape of a decision: what comes after another builds on what that left, and a time is due once a TICK has reached it. */
import { expect, test } from 'vitest';
import { inOrder, isDue, NOTHING, order, applyDecision, type Decision } from '../../machines/kernel/decision.ts';
import { orderName, type Order } from '../../machines/protocol.ts';

interface Counter {
  readonly n: number;
  readonly label: string;
}
const counter: Counter = { n: 1, label: 'kept' };
const counted = ({ n }: Counter): Decision<Counter> => ({
  changes: { n: n + 1 },
  orders: [order({ name: 'read', turn: n }, { type: 'readSessions' })],
});

test('one decision after another: each sees what those before it left; their orders come in their order', () => {
  const turn = inOrder(counter, counted, () => NOTHING, counted);
  expect(turn.changes).toEqual({ n: 3 });
  expect(turn.orders.map(({ id }) => orderName(id))).toEqual(['read/1', 'read/2']);
  expect(inOrder(counter)).toEqual(NOTHING);
});

test('carrying one out gives its orders and changes what it names', () => {
  const given: (Order | Partial<Counter>)[] = [];
  applyDecision<Counter>(
    { emit: (one) => given.push(one), assign: (changes) => given.push(changes) },
    counted(counter),
  );
  expect(given).toEqual([{ type: 'readSessions', id: { name: 'read', turn: 1 } }, { n: 2 }]);
});

test.each([
  ['TICK', 10, 10, true],
  ['TICK', 9, 10, false],
  ['TICK', 10, null, false],
  ['CHANGED', 10, 10, false],
])('%s at %i, due at %s: %s', (type, at, wakeAt, due) => {
  expect(isDue({ context: { wakeAt }, event: { type, at } })).toBe(due);
});
