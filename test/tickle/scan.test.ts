/** The table of one look: who is silent, whose silence counts, and who is paged. */
import { describe, expect, test } from 'vitest';
import type { AgentSeen, Page, Signals } from '../../machines/protocol/tickle.ts';
import { TICKLE } from '../../machines/tickle/policy.ts';
import { livenessOf, scaleOf, whyNotPaged } from '../../machines/tickle/scan.ts';
import { MINUTE, SECOND } from './town.ts';

const agent = (more: Partial<AgentSeen> = {}): AgentSeen => ({
  name: 'builder',
  life: null,
  bornMs: null,
  lastAt: 1,
  silentMs: 10 * MINUTE,
  sign: 'note',
  hook: null,
  signals: null,
  spared: null,
  owner: null,
  ...more,
});
const signals = (fatigue: number | null, confidence: number | null): Signals => ({ fatigue, confidence });

// Rules: T-1, T-5.
test.each([
  ['a sign of this moment', {}, 0, 'fresh'],
  ['silence as long as the threshold', {}, 300 * SECOND, 'fresh'],
  ['silence longer than it', {}, 300 * SECOND + 1, 'stale'],
  ['no sign at all', {}, null, 'stale'],
  ['an empty hook of an agent bead', { hook: 'empty' }, 10 * MINUTE, 'resting'],
  ['an empty hook, and no sign at all', { hook: 'empty' }, null, 'resting'],
  ['work on the hook', { hook: 'held' }, 10 * MINUTE, 'stale'],
  ['a tired agent at half the threshold', { signals: signals(1, null) }, 150 * SECOND, 'fresh'],
  ['a tired agent beyond it', { signals: signals(1, null) }, 151 * SECOND, 'stale'],
  ['a confident agent at twice the threshold', { signals: signals(null, 1) }, 600 * SECOND, 'fresh'],
  ['a confident agent beyond it', { signals: signals(null, 1) }, 601 * SECOND, 'stale'],
] as const)('%s', (_, more, silentMs, is) => {
  expect(livenessOf({ ...agent(more), silentMs }, TICKLE)).toBe(is);
});

// Rules: T-5.
test.each([
  [null, 1],
  [signals(null, null), 1],
  [signals(0, 0), 1],
  [signals(1, 0), 0.5],
  [signals(0.5, null), 0.75],
  [signals(0, 1), 2],
  [signals(1, 1), 1],
  [signals(5, -3), 0.5],
  [signals(-1, 9), 2],
] as const)('signals %j scale the threshold by %d', (said, by) => {
  expect(scaleOf(said)).toBe(by);
});

const page = (step: Page['step']): Page => ({
  number: 1,
  uuid: null,
  step,
  lastAt: 1,
  silentMs: 1,
  forMs: MINUTE,
  leftMs: 0,
  coolMs: MINUTE,
  tried: [],
  method: 'pane',
});

// Rules: T-1, T-2.
describe('a silent agent', () => {
  const long = { sinceMs: 10 * MINUTE, policy: TICKLE };
  test.each([
    ['is paged', agent(), undefined, long, null],
    ['with a long life is paged', agent({ bornMs: 6 * MINUTE }), undefined, long, null],
    ['that another part looks after is not', agent({ owner: 'Boot' }), undefined, long, 'Boot looks after it'],
    ['that asks a person is not', agent({ spared: 'it asks a person' }), undefined, long, 'it asks a person'],
    ['is not while a page of it is under way', agent(), page('waiting'), long, 'it was paged 1 min ago'],
    ['is not while it cools', agent(), page('over'), long, 'it was paged 1 min ago'],
    ['is not once a person was alerted', agent(), page('told'), long, 'a person was alerted of it'],
    [
      'is not by a town that just started',
      agent(),
      undefined,
      { ...long, sinceMs: MINUTE },
      'the town started a moment ago',
    ],
    ['that just started is not', agent({ bornMs: MINUTE }), undefined, long, 'it was started a moment ago'],
  ] as const)('%s', (_, seen, before, now, why) => {
    expect(whyNotPaged(seen, before, now)).toBe(why);
  });
});
