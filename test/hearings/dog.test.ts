/** One dog through the real tree of actors: what a hearing wants, in order. */
import { expect, test } from 'vitest';
import type { OutcomeBody } from '../../machines/protocol.ts';
import { Drive, warrant } from '../world/drive.ts';
import { DEAF, seeing, type SimHands } from '../world/hands.ts';

const SILENT = seeing({ kind: 'silent' });
/** A hearing of an agent that shows this at each look, and is else deaf. */
function hearing(look: SimHands['look'], more: SimHands = {}): Drive {
  const drive = new Drive([more, { look }, DEAF]);
  drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1') });
  return drive;
}
const danceIn = (drive: Drive) => drive.dances[0];

// Rules: D-1.
test('a deaf agent is asked three times, given 420 s, looked at after the intent, rescued, and executed', () => {
  const drive = hearing(SILENT);
  drive.run(419_000);
  expect(drive.given('signal')).toEqual([]);
  drive.run(10_000);
  expect(danceIn(drive)).toMatchObject({ stage: 'closed', verdict: 'executed', attempt: 3 });
  const verbs = drive.orders
    .map((o) => o.type)
    .filter((t) => ['ask', 'listTree', 'rescue', 'signal', 'clear', 'sendVerdict'].includes(t));
  expect(verbs).toEqual(['ask', 'ask', 'ask', 'listTree', 'rescue', 'signal', 'clear', 'sendVerdict']);
  const afterIntent = drive.orders.slice(drive.orders.findIndex((o) => o.type === 'listTree')).map((o) => o.type);
  expect(afterIntent.slice(0, 5).filter((t) => t !== 'readWarrants')).toEqual(
    'listTree look rescue look signal'.split(' '),
  );
});

test('an answer in the second window pardons at once', () => {
  const answered = seeing({ kind: 'answered', by: 'code', quote: 'ALIVE K73F' });
  const drive = hearing(({ attempts }) => (attempts.length === 2 ? answered : SILENT));
  drive.run(62_000);
  expect(danceIn(drive)).toMatchObject({ stage: 'closed', verdict: 'pardoned', attempt: 2, reason: 'answered: code' });
});

test('a hearing that clears the pane of a gone agent has its exit and its last words on record first (C-6)', () => {
  const exit = { kind: 'code', code: 0 } as const;
  const clearedWith: unknown[] = [];
  const look: OutcomeBody = { type: 'LOOKED', observation: { kind: 'gone', paneStays: true, exit }, tail: 'after' };
  const drive: Drive = hearing(look, {
    clear: () => {
      clearedWith.push(danceIn(drive));
      return { type: 'CLEARED', survivors: [] };
    },
  });
  drive.run(60_000);
  expect(clearedWith).toMatchObject([{ verdict: 'already_dead', exit, tailAfter: 'after' }]);
});

test('the last words of a gone agent stand in the record though its pane went before the second look (C-6)', () => {
  const exit = { kind: 'code', code: 1 } as const;
  const gone: readonly OutcomeBody[] = [
    { type: 'LOOKED', observation: { kind: 'gone', paneStays: true, exit }, tail: 'its last words' },
    { type: 'LOOKED', observation: { kind: 'gone', paneStays: false }, tail: '' },
  ];
  let looks = 0;
  const drive = hearing(() => gone[looks++] ?? gone[1] ?? null);
  drive.run(60_000);
  expect(danceIn(drive)).toMatchObject({ verdict: 'already_dead', exit, tailAfter: 'its last words' });
});

test('an agent that seemed gone twice and lives after all is heard from the beginning, not killed', () => {
  let looks = 0;
  const drive = hearing(() => (++looks <= 2 ? seeing({ kind: 'gone', paneStays: true }) : SILENT));
  drive.run(400_000);
  expect(drive.given('rescue')).toHaveLength(1);
  expect(drive.given('signal')).toEqual([]);
  drive.run(60_000);
  expect(danceIn(drive)).toMatchObject({ verdict: 'executed', attempt: 3 });
});
