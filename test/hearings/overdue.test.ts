/** D-15: the alarm of a dance that outlives its time counts what earlier towns saw of it, and no time without a town. */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { Drive, warrant } from '../world/drive.ts';
import { ASKED, seeing } from '../world/hands.ts';
import { SIGHTS } from './lone.ts';

const MINUTE = 60_000;
const AFTER = 420_000 + POLICY.dance.overdueMs;

/** A town that never sees its target, and finds on the disk what it saved. */
function blindTown(): Drive {
  const unknown = { kind: 'unknown', why: 'tmux is silent' } as const;
  const drive = new Drive({ ask: { type: 'NOT_ASKED', obstacle: unknown }, look: seeing(unknown) });
  drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1') });
  return drive;
}
const overdue = (drive: Drive): number => drive.alerts.filter((episode) => episode.startsWith('dance-overdue/')).length;

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

// Rules: D-14, law 7.
test('its alarm says why the question could not be typed', () => {
  const drive = blindTown();
  drive.run(AFTER + MINUTE);
  expect(overdue(drive)).toBe(1);
  expect(drive.given('alert').map(({ alert }) => alert.text)).toContainEqual(
    expect.stringContaining('its question could not be typed: tmux is silent. See: town dog show '),
  );
});

test('its alarm says that the agent was stopped', () => {
  const drive = new Drive({ ask: ASKED, look: seeing(SIGHTS.stopped) });
  drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1') });
  drive.run(AFTER + MINUTE);
  expect(drive.given('alert').map(({ alert }) => alert.text)).toContainEqual(
    expect.stringContaining(
      'one of its processes was stopped or waited for a disk, so that it could not be heard. See: town dog show ',
    ),
  );
});

test('the count is saved at the pace of other durations, and not for ever', () => {
  const drive = blindTown();
  drive.run(60 * MINUTE);
  const [dance] = drive.dances;
  expect(dance?.lastedMs).toBeGreaterThan(AFTER);
  expect(dance?.lastedMs).toBeLessThanOrEqual(AFTER + 2 * POLICY.dance.saveEveryMs);
  expect((dance?.lastedMs ?? NaN) % POLICY.dance.saveEveryMs).toBe(0);
});
