/** One dog through the real street: what a hearing wants, in order. */
import { expect, test } from 'vitest';
import type { Mark, Order, OutcomeBody, Sight } from '../../machines/protocol.ts';
import { Drive, quiet, warrant, type Answer } from './drive.ts';

const MARK: Mark = { line: 0, width: 200, alternate: false, cpuRate: null };
const TREE = [{ pid: 1001, started: '7@boot' }];

/** A target that shows `sight` whenever it is looked at. */
const target =
  (sight: (order: Order & { type: 'look' }, now: number) => Sight, more: (order: Order) => Answer = () => null) =>
  (order: Order, now: number): Answer => {
    const special = more(order);
    if (special !== null) return special;
    switch (order.type) {
      case 'ask':
        return { type: 'ASKED', mark: MARK, tail: 'before' };
      case 'look':
        return { type: 'LOOKED', sight: sight(order, now), tail: 'after' };
      case 'listTree':
        return { type: 'TREE_LISTED', tree: TREE };
      case 'rescue':
        return { type: 'RESCUED', rescue: { folder: 'rescue/x', ref: null } };
      case 'signal':
        return { type: 'SIGNALLED', alive: [], newcomers: [] };
      case 'clear':
        return { type: 'CLEARED', survivors: [] };
      default:
        return quiet(order);
    }
  };
const danceIn = (drive: Drive) => {
  const record = [...drive.records.values()].find((r) => r.kind === 'dance');
  if (record?.kind !== 'dance') throw new Error('no dance was saved');
  return record.value;
};

test('a deaf agent is asked three times, given 420 s, looked at after the intent, rescued, and executed', () => {
  const drive = new Drive(target(() => ({ kind: 'silent' })));
  drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1') });
  drive.run(419_000);
  expect(drive.given('signal')).toEqual([]);
  drive.run(10_000);
  expect(danceIn(drive)).toMatchObject({ stage: 'closed', verdict: 'executed', attempt: 3 });
  const verbs = drive.orders
    .map((o) => o.type)
    .filter((t) => ['ask', 'listTree', 'rescue', 'signal', 'clear', 'tell'].includes(t));
  expect(verbs).toEqual(['ask', 'ask', 'ask', 'listTree', 'rescue', 'signal', 'clear', 'tell']);
  const afterIntent = drive.orders.slice(drive.orders.findIndex((o) => o.type === 'listTree')).map((o) => o.type);
  expect(afterIntent.slice(0, 5).filter((t) => t !== 'readWarrants')).toEqual([
    'listTree',
    'look',
    'rescue',
    'look',
    'signal',
  ]);
});

test('an answer in the second window pardons at once', () => {
  const drive = new Drive(
    target((order) =>
      order.attempts.length === 2 ? { kind: 'answered', by: 'code', quote: 'ALIVE K73F' } : { kind: 'silent' },
    ),
  );
  drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1') });
  drive.run(62_000);
  expect(danceIn(drive)).toMatchObject({ stage: 'closed', verdict: 'pardoned', attempt: 2, reason: 'answered: code' });
});

test('a hearing that clears the pane of a gone agent has its exit and its last words on record first (C-6)', () => {
  const exit = { kind: 'code', code: 0 } as const;
  const clearedWith: unknown[] = [];
  const drive: Drive = new Drive(
    target(
      () => ({ kind: 'gone', left: true, exit }),
      ({ type }) => {
        if (type === 'clear') clearedWith.push(danceIn(drive));
        return null;
      },
    ),
  );
  drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1') });
  drive.run(60_000);
  expect(clearedWith).toMatchObject([{ verdict: 'already_dead', exit, tailAfter: 'after' }]);
});

test('the last words of a gone agent stand in the record though its pane went before the second look (C-6)', () => {
  const exit = { kind: 'code', code: 1 } as const;
  const gone: readonly OutcomeBody[] = [
    { type: 'LOOKED', sight: { kind: 'gone', left: true, exit }, tail: 'its last words' },
    { type: 'LOOKED', sight: { kind: 'gone', left: false }, tail: '' },
  ];
  let looks = 0;
  const more = ({ type }: Order): Answer => (type === 'look' ? (gone[looks++] ?? gone[1] ?? null) : null);
  const drive = new Drive(target(() => ({ kind: 'silent' }), more));
  drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1') });
  drive.run(60_000);
  expect(danceIn(drive)).toMatchObject({ verdict: 'already_dead', exit, tailAfter: 'its last words' });
});

test('an agent that seemed gone twice and lives after all is heard from the beginning, not killed', () => {
  let looks = 0;
  const drive = new Drive(target(() => (++looks <= 2 ? { kind: 'gone', left: true } : { kind: 'silent' })));
  drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1') });
  drive.run(400_000);
  expect(drive.given('rescue')).toHaveLength(1);
  expect(drive.given('signal')).toEqual([]);
  drive.run(60_000);
  expect(danceIn(drive)).toMatchObject({ verdict: 'executed', attempt: 3 });
});
