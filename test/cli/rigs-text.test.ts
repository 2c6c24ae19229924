/** A rig in the words of the status: who works there, what no agent will do, what waits, and when it was patrolled. */
import { expect, test } from 'vitest';
import { rigLines } from '../../src/cli/rigs-text.ts';
import type { RigsView, RoundView } from '../../src/overview/rigs.ts';

const round = (more: Partial<RoundView> = {}): RoundView => ({
  cycle: 7,
  ended_at: new Date(Date.now() - 600_000).toISOString(),
  why: null,
  failures: 0,
  done: 0,
  undone: 0,
  observed: {},
  stranded: [],
  ...more,
});
const NUX = { name: 'nux', bead: 'tw-1', step: 'running' } as const;

const NO_POLECAT = 'rig shop: no polecats';
const ONE = 'rig shop: 1 polecat (nux on tw-1)';
const FAILS = round({ why: 'git hangs', failures: 2 });
const STRANDED = round({ stranded: ['tw-2'], undone: 2 });

test.each<readonly [string, RoundView | null, boolean, string]>([
  ['no patrol came by', null, false, `${NO_POLECAT}; not patrolled yet`],
  ['all is calm', round(), false, `${NO_POLECAT}; patrolled 10 min ago`],
  ['one works', round({ done: 1 }), true, `${ONE}; patrolled 10 min ago, 1 act`],
  ['more waits', round({ observed: { waiting: 3 } }), true, `${ONE}, 3 beads not given out yet; patrolled 10 min ago`],
  [
    'no agent will do it',
    STRANDED,
    false,
    `${NO_POLECAT}, 1 bead stranded: no agent; patrolled 10 min ago, 2 acts not done`,
  ],
  ['its patrol fails', FAILS, false, `${NO_POLECAT}; patrolled 10 min ago, which came to nothing 2 times: git hangs`],
])('%s', (_, patrol, isAtWork, text) => {
  const rigs = [{ name: 'shop', polecats: isAtWork ? [NUX] : [], patrol }];
  const view: RigsView = { rigs, deacon: null, model_calls: 0, cycles: 0, triage_cycles: 0, triage_share: null };
  expect(rigLines(view)).toEqual([text, 'the last round: 0 model calls']);
});

test('what each works on stands below its rig, where the ledger tells', () => {
  const polecats = [
    { ...NUX, title: 'mend the\u001b[31m parser' },
    { ...NUX, name: 'max', bead: 'tw-2' },
  ];
  const rigs = [{ name: 'shop', polecats, patrol: null }];
  const view: RigsView = { rigs, deacon: null, model_calls: 0, cycles: 0, triage_cycles: 0, triage_share: null };
  const [line, title, ...more] = rigLines(view);
  expect(line).toContain('nux on tw-1, max on tw-2');
  expect([title, ...more]).toEqual(['  nux: mend the parser', 'the last round: 0 model calls']);
});
