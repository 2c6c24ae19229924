/** D-15: the alarm of a dance that outlives its time counts what earlier towns saw of it, and no time without a town. */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { Dance, OutcomeBody } from '../../machines/protocol.ts';
import { Drive, quiet, warrant } from './drive.ts';

const MINUTE = 60_000;
const AFTER = 420_000 + POLICY.dance.overdueMs;

/** A town that never sees its target, and finds on the disk what it saved. */
function blindTown(): Drive {
  let drive: Drive | null = null;
  const read = (): OutcomeBody => {
    const record = drive?.records.get([...drive.records.keys()].find((key) => key.startsWith('dance/')) ?? '');
    const dances = record?.kind === 'dance' ? [record.value] : [];
    return { type: 'RECORDS_READ', dances, warrants: [], heard: [], lastDanceMs: 1 };
  };
  drive = new Drive((order) =>
    order.type === 'readRecords'
      ? read()
      : order.type === 'ask'
        ? { type: 'NOT_ASKED', obstacle: { kind: 'unknown', why: 'tmux is silent' } }
        : order.type === 'look'
          ? { type: 'LOOKED', sight: { kind: 'unknown', why: 'tmux is silent' }, tail: '' }
          : quiet(order),
  );
  drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1') });
  return drive;
}
const overdue = (drive: Drive): number =>
  drive.given('alert').filter(({ alert }) => alert.episode.startsWith('dance-overdue/')).length;
const saved = (drive: Drive): Dance[] =>
  [...drive.records.values()].flatMap((r) => (r.kind === 'dance' ? [r.value] : []));

test('a town that is restarted every few minutes tells it as early as one that runs through', () => {
  const drive = blindTown();
  for (let minutes = 0; minutes < 10; minutes += 2) {
    drive.run(2 * MINUTE);
    drive.restart(20 * MINUTE);
    expect(overdue(drive)).toBe(0);
  }
  drive.run(AFTER - 10 * MINUTE + MINUTE);
  expect(overdue(drive)).toBe(1);
});

test('the count is saved at the pace of other durations, and not for ever', () => {
  const drive = blindTown();
  drive.run(60 * MINUTE);
  const [dance] = saved(drive);
  expect(dance?.lastedMs).toBeGreaterThan(AFTER);
  expect(dance?.lastedMs).toBeLessThanOrEqual(AFTER + 2 * POLICY.dance.saveEveryMs);
  expect((dance?.lastedMs ?? NaN) % POLICY.dance.saveEveryMs).toBe(0);
});
