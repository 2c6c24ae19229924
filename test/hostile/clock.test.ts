/** A wall clock that steps by an hour either way under a running watchdog chain: no part acts, no person is told (C-4, law 8). */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LiveTown, SHORT, until } from '../crash/live.ts';
import { faulty, setFaults } from './machine.ts';

/** Ticks and beats so fast that a silence which only the clock makes is acted upon within the test. */
const FAST = `${SHORT}
[daemon]
heartbeat = "150ms"
[boot]
stale = "4s"
very_stale = "6s"
start_grace = "50ms"
[deacon]
beat = "100ms"
`;
const TICKS = 12;

async function ticks(town: LiveTown, count: number): Promise<void> {
  const seen = new Set<string>();
  await until(async () => {
    const { last } = await town.cli.data<{ last: { timestamp: string } | null }>('boot', 'status');
    if (last !== null) seen.add(last.timestamp);
    return seen.size >= count;
  });
}

// Rules: C-4.
test('the Deacon as an actor is neither woken nor thrown down, and no alert is told', async () => {
  await using town = new LiveTown(FAST);
  await town.up(faulty);
  await town.agent('worker', ['sleep', '100000']);
  await ticks(town, TICKS / 2);
  for (const step of ['earlier', 'later', 'earlier'] as const) {
    setFaults(town, step);
    await ticks(town, TICKS);
    setFaults(town);
    await pause(100); // the step back is one of its own
  }
  await ticks(town, TICKS);
  const boot = town
    .journal()
    .split('\n')
    .filter((line) => line.includes('"kind":"boot"'))
    .map((line) => (JSON.parse(line) as { action: string }).action);
  expect([...new Set(boot)]).toEqual(['NOTHING']);
  expect(await town.cli.data('alerts', 'list')).toEqual([]);
  expect(town.journal()).not.toContain('"kind":"alert"');
  const { actors } = await town.statusWhen(() => true);
  expect(actors.filter(({ restarts }) => restarts > 0)).toEqual([]);
});
