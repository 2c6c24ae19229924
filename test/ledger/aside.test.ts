/** Work that is set aside waits for the one who said so: its agent, or a person. */
import { expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import { hook, leave, withStatus } from '../../machines/ledger/changes.ts';
import type { AgentCaller } from '../../src/ledger/authority.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { asAgent, asOperator } from '../../src/ledger/doors.ts';
import { bead } from './beads.ts';
import { MemoryLedger } from './memory.ts';

const NUX: AgentCaller = { address: 'shop/polecats/nux', session: 'gt-shop-nux', life: 'one' };
const at = (): string => new Date().toISOString();
type Step = readonly [by: 'operator' | 'agent', status: Bead['status'], more?: Partial<Bead>];

// Rules: P-5.
test.each<[what: string, steps: readonly Step[], then: Bead['status']]>([
  ['by its agent', [['agent', 'blocked']], 'open'],
  [
    'by its agent, and its priority changed by a person',
    [
      ['agent', 'blocked'],
      ['operator', 'blocked', { priority: 0 }],
    ],
    'open',
  ],
  ['by a person', [['operator', 'deferred']], 'deferred'],
  [
    'by a person, and noted on by its agent',
    [
      ['operator', 'pinned'],
      ['agent', 'pinned', { description: 'more' }],
    ],
    'pinned',
  ],
  [
    'by its agent, then otherwise by a person',
    [
      ['agent', 'blocked'],
      ['operator', 'deferred'],
    ],
    'deferred',
  ],
  [
    'by its agent, then begun and set aside again by a person',
    [
      ['agent', 'blocked'],
      ['operator', 'in_progress'],
      ['operator', 'blocked'],
    ],
    'blocked',
  ],
])('what was set aside %s once its agent is gone', async (_, steps, then) => {
  const ledger = new MemoryLedger();
  const doors = { operator: asOperator(ledger), agent: asAgent(ledger, () => Promise.resolve(NUX)) };
  const free = bead('tw-1', { rig: 'shop' });
  const hooked = hook(free, NUX.address, at());
  await ledger.put(hooked.ok ? hooked.bead : free, { expects: 0, write: 'w' });
  for (const [by, status, more] of steps)
    await changeBead(doors[by], 'tw-1', (one) => ({ ...withStatus(one, status, at()), ...more }));
  const left = await changeBead(ledger, 'tw-1', (one) => leave(one, NUX.address, at()));
  expect(left).toMatchObject({ status: then, assignee: '', attempts: 0 });
});

test('an agent that goes leaves the work of others alone', () => {
  for (const other of [bead('b', { status: 'hooked', assignee: 'ace' }), bead('b', { assignee: NUX.address })])
    expect(leave(other, NUX.address, at())).toBe(other);
});
