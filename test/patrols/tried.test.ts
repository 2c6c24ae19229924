/** Acts of a patrol that come to nothing cycle after cycle: when a person is alerted, in which words, and what is forgotten. */
import { expect, test } from 'vitest';
import { MAX_TRIED, PATROL } from '../../machines/patrols/policy.ts';
import { lastingText, triedAfter } from '../../machines/patrols/tried.ts';
import type { Deed, Tried } from '../../machines/protocol/patrols.ts';
import { MINUTE } from './seen.ts';

const deed = (more: Partial<Deed> = {}): Deed => ({
  step: 'survey-workers',
  act: 'spawn',
  about: 'tw-1',
  done: false,
  text: 'no such program',
  ...more,
});

/** What is remembered after such cycles, each so long after the one before. */
function after(cycles: readonly (readonly Deed[])[], everyMs: number): Readonly<Record<string, Tried>> {
  return cycles.reduce<Readonly<Record<string, Tried>>>(
    (tried, deeds) => triedAfter(tried, deeds, everyMs, PATROL),
    {},
  );
}

// Rules: law 7.
test.each<[what: string, cycles: readonly Deed[][], everyMs: number, isTold: boolean]>([
  ['for the first time', [[deed()]], 20 * MINUTE, false],
  ['for the third time within a minute', [[deed()], [deed()], [deed()]], 1_000, false],
  ['for the second time in an hour', [[deed()], [deed()]], 60 * MINUTE, false],
  ['for the third time in a quarter of an hour', [[deed()], [deed()], [deed()]], 7.5 * MINUTE, true],
  ['for the first time, where only a person helps', [[deed({ needsPerson: true })]], 1_000, true],
  ['for hours, and a case asks about it', [1, 2, 3, 4].map(() => [deed({ isAsked: true })]), 60 * MINUTE, false],
  ['and was done at last', [[deed()], [deed()], [deed()], [deed({ done: true })]], 7.5 * MINUTE, false],
  ['and is wanted no more', [[deed()], [deed()], [deed()], []], 7.5 * MINUTE, false],
  [
    'and is a nudge, which is refused while an agent works',
    [1, 2, 3].map(() => [deed({ act: 'nudge' })]),
    60 * MINUTE,
    false,
  ],
])('an act that is not done %s', (_, cycles, everyMs, isTold) => {
  const text = lastingText(after(cycles, everyMs), PATROL);
  expect(text).toBe(isTold ? 'could not give tw-1 to a new polecat: no such program.' : null);
});

test('its words stay while it lasts, though the reason names another minute each time', () => {
  const cycles = Array.from({ length: 6 }, (_, nth) => [deed({ text: `busy since ${String(nth)}` })]);
  expect(lastingText(after(cycles, 8 * MINUTE), PATROL)).toContain('busy since 2');
});

test('of ten thousand acts some are remembered, the same ones in any order of a cycle, and one is named', () => {
  const flood = Array.from({ length: 10_000 }, (_, nth) => deed({ act: 'nuke', about: `p${String(nth)}` }));
  const tried = after([flood, flood.toReversed(), flood, flood.toReversed()], 8 * MINUTE);
  expect(Object.keys(tried)).toHaveLength(MAX_TRIED);
  expect(lastingText(tried, PATROL)).toBe(
    `could not remove the worktree of p0: no such program. The same holds for ${String(MAX_TRIED - 1)} more of its acts.`,
  );
});
