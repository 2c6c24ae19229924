/** What counts as a polecat's own word, and for how long. */
import { expect, test } from 'vitest';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { wordsOfIt } from '../../src/patrols/witness/words.ts';
import { bead } from '../ledger/beads.ts';
import { MINUTE } from './seen.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const BORN = NOW - 10 * MINUTE;
const RECORD: PolecatRecord = {
  rig: 'shop',
  name: 'nux',
  uuid: 'u',
  bead: 'tw-1',
  command: ['x'],
  at: BORN,
  step: 'running',
  base: 'a'.repeat(40),
  main: null,
  tip: null,
};
const evidence = (kind: string, text: string, agoMs: number) => ({
  id: 'e',
  author: 'shop/polecats/nux',
  kind,
  text,
  at: NOW - agoMs,
});
const labelled = (agoMs: number, status: 'hooked' | 'closed' = 'hooked') =>
  bead('tw-1', { status, labels: [`done-intent:COMPLETED:${Math.floor((NOW - agoMs) / 1_000)}`] });
type Asked = Parameters<typeof wordsOfIt>;
const words = (newest: Asked[2]['newest'], beads: Asked[3], goesOnMs: number | null = null) => {
  const { doneIntentMs, isOwnIntent, isOver, report } = wordsOfIt(
    { now: NOW, policy: { doneIntentMs: MINUTE } },
    RECORD,
    { newest, goesOnAt: goesOnMs === null ? null : NOW - goesOnMs },
    beads,
  );
  return { doneIntentMs, isOwnIntent, isOver, report };
};
const NONE = { doneIntentMs: null, isOwnIntent: false, isOver: false, report: null };

test.each<[string, ReturnType<typeof words>, Partial<ReturnType<typeof words>>]>([
  ['nothing', words(null, []), NONE],
  ['a report', words(evidence('report', 'idle', 5), []), { report: 'idle', isOver: true }],
  ['a report of an unknown word', words(evidence('report', 'dead', 5), []), NONE],
  ['its own intent', words(evidence('done-intent', '', 5), []), { doneIntentMs: 5, isOwnIntent: true, isOver: false }],
  [
    'its own intent, of long ago',
    words(evidence('done-intent', '', 2 * MINUTE), []),
    { isOwnIntent: true, isOver: true },
  ],
  ['a label', words(null, [labelled(2 * MINUTE)]), { doneIntentMs: 2 * MINUTE, isOwnIntent: false, isOver: true }],
  ['a label of tomorrow', words(null, [labelled(-1_000 * MINUTE)]), NONE],
  ['a label of before its life', words(null, [labelled(11 * MINUTE)]), NONE],
  ['a label, and a word after that', words(evidence('heartbeat', '', MINUTE), [labelled(2 * MINUTE)]), NONE],
  ['a report, and a decision that it goes on after that', words(evidence('report', 'done', MINUTE), [], 5), NONE],
  [
    'a report since such a decision',
    words(evidence('report', 'done', 5), [], MINUTE),
    { report: 'done', isOver: true },
  ],
  ['its own intent, and such a decision', words(evidence('done-intent', '', MINUTE), [], 5), NONE],
  ['a label, and such a decision', words(null, [labelled(2 * MINUTE)], MINUTE), NONE],
  ['a label of work that is closed', words(null, [labelled(2 * MINUTE, 'closed'), undefined]), NONE],
])('%s', (_, said, expected) => {
  expect(said).toMatchObject(expected);
});
