/** Work on the hook of an agent that is not there: the table cell by cell, and over a ledger. */
import { expect, test } from 'vitest';
import { newBead } from '../../machines/ledger/bead.ts';
import { staleHooks, type HookSeen } from '../../machines/patrols/hooks.ts';
import { PATROL } from '../../machines/patrols/policy.ts';
import { freeHook, staleHooksIn } from '../../src/patrols/deacon/stale-hooks.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { MINUTE } from './seen.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const OLD = 60 * MINUTE + 1;

// Rules: P-9.
test.each<[what: string, seen: Partial<HookSeen>, isStale: boolean]>([
  ['of no agent, for an hour', { hookedMs: 60 * MINUTE }, false],
  ['of no agent, for longer', {}, true],
  ['of one whose session has ended', { session: 'ended' }, true],
  ['of one whose session lives', { session: 'lives' }, false],
  ['of one that cannot be seen', { session: 'unknown' }, false],
])('a hook %s', (_, more, isStale) => {
  const hook: HookSeen = { bead: 'tw-1', assignee: 'x', hookedMs: OLD, session: 'none', ...more };
  expect(staleHooks([hook], PATROL)).toHaveLength(isStale ? 1 : 0);
});

const HELD = ['builder', 'gone', 'shop/polecats/nux', 'shop/polecats/old'];

// Rules: P-9.
test('only what no agent is at is open again, without an attempt; a calm look asks for no session', async () => {
  const ledger = new MemoryLedger();
  for (const [at, assignee] of HELD.entries()) {
    const bead = { id: `tw-${at}`, title: 'x', createdBy: 'mayor', createdAt: new Date(NOW - OLD).toISOString() };
    await ledger.put(newBead({ ...bead, status: 'hooked', assignee }), { expects: 0, write: `w${at}` });
  }
  let looks = 0;
  const needs = {
    ledger,
    policy: PATROL,
    records: {
      polecats: () => Promise.resolve({ found: [], unreadable: [] }),
      polecat: ({ name }: { name: string }) => Promise.resolve(name === 'nux' ? ({} as never) : null),
    },
    standings: () => {
      looks += 1;
      return Promise.resolve((name: string) => (name === 'builder' ? ('lives' as const) : ('none' as const)));
    },
  };
  expect(await staleHooksIn(needs, NOW - MINUTE)).toEqual({ hooks: 4, stale: [] });
  expect(looks).toBe(0);
  const { stale } = await staleHooksIn(needs, NOW);
  expect(stale.map(({ assignee }) => assignee)).toEqual(['gone', 'shop/polecats/old']);
  expect(looks).toBe(1);
  for (const one of stale) expect(await freeHook(ledger, one, NOW)).toBe(true);
  expect((await staleHooksIn(needs, NOW)).hooks).toBe(2);
  expect(await ledger.beads(['tw-1'])).toMatchObject([{ status: 'open', assignee: '', attempts: 0 }]);
});

test.each([
  ['hooked', '', 'open'],
  ['blocked', 'shop/polecats/old', 'blocked'],
  ['deferred', 'shop/polecats/old', 'deferred'],
] as const)('%s work of "%s" is on no hook after an hour, and %s', async (status, assignee, then) => {
  const ledger = new MemoryLedger();
  const bead = { id: 'tw-1', title: 'x', createdBy: 'mayor', createdAt: new Date(NOW - OLD).toISOString() };
  await ledger.put(newBead({ ...bead, status, assignee }), { expects: 0, write: 'w' });
  const records = {
    polecats: () => Promise.resolve({ found: [], unreadable: [] }),
    polecat: () => Promise.resolve(null),
  };
  const standings = () => Promise.resolve(() => 'none' as const);
  const { stale } = await staleHooksIn({ ledger, policy: PATROL, records, standings }, NOW);
  expect(await Promise.all(stale.map((one) => freeHook(ledger, one, NOW)))).toEqual([true]);
  expect(await ledger.beads(['tw-1'])).toMatchObject([{ status: then, assignee: '' }]);
});

test('work that was begun is open again where its polecat is gone, and stays with a person and a refinery', async () => {
  const ledger = new MemoryLedger();
  for (const [at, assignee] of ['shop/polecats/old', 'alice', 'shop/refinery'].entries()) {
    const bead = { id: `tw-${at}`, title: 'x', createdBy: 'mayor', createdAt: new Date(NOW - OLD).toISOString() };
    await ledger.put(newBead({ ...bead, status: 'in_progress', assignee }), { expects: 0, write: `w${at}` });
  }
  const records = {
    polecats: () => Promise.resolve({ found: [], unreadable: [] }),
    polecat: () => Promise.resolve(null),
  };
  const standings = () => Promise.resolve(() => 'none' as const);
  const { hooks, stale } = await staleHooksIn({ ledger, policy: PATROL, records, standings }, NOW);
  expect([hooks, stale.map(({ assignee }) => assignee)]).toEqual([1, ['shop/polecats/old']]);
  for (const one of stale) expect(await freeHook(ledger, one, NOW)).toBe(true);
  expect(await ledger.beads(['tw-0'])).toMatchObject([{ status: 'open', assignee: '' }]);
});
