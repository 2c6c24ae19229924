import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { systemClock } from '../src/ports/clock.ts';

test('the monotonic clock shares its base with other processes of this boot', () => {
  const before = systemClock.now();
  const other = Number(
    execFileSync(process.execPath, ['-p', 'Number(process.hrtime.bigint()) / 1e6'], { encoding: 'utf8' }),
  );
  expect(other).toBeGreaterThan(before);
  expect(other).toBeLessThan(systemClock.now());
});

test('a sleep ends after its time, or when it is called off', async () => {
  const before = systemClock.now();
  await systemClock.sleep(20);
  // Timers count whole milliseconds from the turn they were set in.
  expect(systemClock.now() - before).toBeGreaterThan(18);
  const off = new AbortController();
  const long = systemClock.sleep(Infinity, off.signal);
  const first = await Promise.race([long.then(() => 'long'), systemClock.sleep(20).then(() => 'short')]);
  off.abort();
  await long;
  await systemClock.sleep(Infinity, off.signal);
  expect(first).toBe('short');
});
