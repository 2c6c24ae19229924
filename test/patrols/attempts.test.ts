/** What the breaker of dispatch goes by: attempts of a rig since its last success. */
import { expect, test } from 'vitest';
import { restLeft } from '../../src/ledger/attempts.ts';
import { attemptsOf } from '../../src/patrols/witness/work.ts';
import { MemoryLedger } from '../ledger/memory.ts';

const DAY = 24 * 60 * 60_000;
const NOW = 10 * DAY;
const AUTHOR = 'shop/witness';

async function seen(
  ...lines: readonly (readonly [kind: 'attempt' | 'refused' | 'success', bead: string, agoMs: number])[]
) {
  const ledger = new MemoryLedger();
  for (const [kind, text, agoMs] of lines)
    await ledger.addEvidence({ id: `${kind}-${text}-${agoMs}`, author: AUTHOR, kind, text, at: NOW - agoMs });
  return attemptsOf(ledger, AUTHOR, NOW);
}

test('the youngest first, and none from before a success', async () => {
  const lines = [
    ['attempt', 'tw-1', 50],
    ['success', 'tw-1', 40],
    ['attempt', 'tw-2', 30],
    ['attempt', 'tw-3', 20],
  ] as const;
  expect(await seen(...lines)).toEqual([
    { bead: 'tw-3', agoMs: 20 },
    { bead: 'tw-2', agoMs: 30 },
  ]);
});

test('none that was refused, before and after one that was not', async () => {
  const tries = [
    ['attempt', 'tw-1', 30],
    ['refused', 'tw-1', 30],
    ['attempt', 'tw-2', 30],
    ['attempt', 'tw-1', 20],
    ['attempt', 'tw-1', 10],
    ['refused', 'tw-1', 10],
  ] as const;
  expect(await seen(...tries)).toEqual([
    { bead: 'tw-1', agoMs: 20 },
    { bead: 'tw-2', agoMs: 30 },
  ]);
});

test('none of the day before, and a clock that went back makes none negative', async () => {
  expect(await seen(['attempt', 'tw-1', DAY + 1], ['attempt', 'tw-2', DAY], ['attempt', 'tw-3', -5])).toEqual([
    { bead: 'tw-3', agoMs: 0 },
    { bead: 'tw-2', agoMs: DAY },
  ]);
});

const iso = (agoMs: number): string => new Date(NOW - agoMs).toISOString();
const COOLDOWN = 300_000;
test.each<[string, Readonly<Record<string, string>>, number | null]>([
  ['was never tried', {}, null],
  ['failed a minute ago', { last_attempt_at: iso(60_000) }, COOLDOWN - 60_000],
  ['failed an hour ago', { last_attempt_at: iso(12 * COOLDOWN) }, 0],
  ['rests for an hour more', { last_attempt_at: iso(60_000), rest_until: iso(-3_600_000) }, 3_600_000],
  ['rested for less than the pause', { last_attempt_at: iso(60_000), rest_until: iso(0) }, COOLDOWN - 60_000],
  ['failed at a time to come, by a clock that was set back', { last_attempt_at: iso(-DAY) }, COOLDOWN],
  ['has no readable time', { last_attempt_at: 'yesterday' }, null],
])('work that %s: how long it rests still', (_, metadata, restMs) => {
  expect(restLeft({ metadata }, NOW, COOLDOWN)).toBe(restMs);
});
