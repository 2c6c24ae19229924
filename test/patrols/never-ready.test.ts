/** Open work that can never become ready: what is at fault, and what stands for a person over rounds of the Deacon. */
import { expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import { changeBead, closeBead } from '../../src/ledger/change.ts';
import { failedIn } from '../../src/ledger/escalations.ts';
import { neverReady, neverReadyLines, waitOf } from '../../src/ledger/never-ready.ts';
import { squashWisps } from '../../src/ledger/squash.ts';
import { first, openBlockers, ready } from '../../src/ledger/walk.ts';
import { neverReadyRound } from '../../src/patrols/deacon/never-ready.ts';
import { tell } from '../../src/patrols/memory/escalations.ts';
import { PATROL_HANDS } from '../../src/patrols/policy.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';

const AT = '2026-01-01T12:00:00Z';
const waitsFor = (...ids: readonly string[]): Partial<Bead> => ({
  dependencies: ids.map((on) => ({ on, type: 'blocks', createdAt: '', createdBy: '', extra: {} })),
});

async function ledgerOf(...beads: readonly Bead[]): Promise<MemoryLedger> {
  const ledger = new MemoryLedger();
  for (const one of beads) await ledger.put(one, { expects: 0, write: one.id });
  return ledger;
}

/** Rounds over a ledger, each with what the one before kept. Gives what stands for a person after it. */
function rounds(ledger: MemoryLedger): () => Promise<string | null> {
  let memory: readonly string[] = [];
  return async () => {
    const found = await neverReadyRound({ ledger, doing: () => Promise.resolve(), memory }, 1);
    memory = found.memory ?? memory;
    return found.stands?.[''] ?? null;
  };
}

const FAILED = { status: 'blocked', labels: ['failed'] } as const;

test.each<[what: string, beads: readonly Bead[], line: string | null]>([
  ['for a bead that is there', [bead('a', waitsFor('b')), bead('b')], null],
  ['for one that is closed', [bead('a', waitsFor('b')), bead('b', { status: 'closed', closedAt: AT })], null],
  ['for an unknown id', [bead('a', waitsFor('b'))], 'a waits for b, which is not in the ledger.'],
  ['for an unknown wisp', [bead('a', waitsFor('x-wisp-1'))], 'a waits for x-wisp-1, which is not in the ledger.'],
  ['for itself', [bead('a', waitsFor('a'))], 'a waits for a: none of them can begin.'],
  ['in a circle', [bead('b', waitsFor('a')), bead('a', waitsFor('b'))], 'a waits for b waits for a: none of'],
  ['for one that failed', [bead('a', waitsFor('b')), bead('b', FAILED)], 'a waits for b, whose attempts are used up.'],
  ['for one that a person blocked', [bead('a', waitsFor('b')), bead('b', { status: 'blocked' })], null],
])('a bead that waits %s', async (_, beads, line) => {
  const lines = neverReadyLines(await neverReady(await ledgerOf(...beads), beads.map(waitOf), 9));
  expect(lines).toEqual(line === null ? [] : [expect.stringContaining(line)]);
});

// Rules: P-8.
test('one alert counts all, names five, changes with the set, and ends with its cause', async () => {
  const lost = Array.from({ length: 7 }, (_, n) => bead(`w${n}`, waitsFor(`gone-${n}`)));
  const ledger = await ledgerOf(...lost);
  const round = rounds(ledger);
  expect(await round()).toBeNull();
  const text = await round();
  expect(text).toMatch(/^7 beads wait for what can never be done\. w0 waits for gone-0, .*; and 2 more$/);
  expect(text?.split('town bead dep remove')).toHaveLength(6);
  expect(await round()).toBe(text);
  await closeBead(ledger, 'w0', 'not wanted', 4);
  expect(await round()).toMatch(/^6 beads wait/);
  for (const { id } of lost) await changeBead(ledger, id, (one) => ({ ...one, dependencies: [] }));
  expect(await round()).toBeNull();
});

// Rules: P-8.
test('of more links than the record keeps each counts', async () => {
  const most = PATROL_HANDS.maxNeverReady;
  const ledger = await ledgerOf(...Array.from({ length: most + 9 }, (_, n) => bead(`w${n}`, waitsFor(`gone-${n}`))));
  const round = rounds(ledger);
  await round();
  expect(await round()).toMatch(new RegExp(`^${String(most + 9)} beads wait`));
});

test('what an import wrote before the bead that it waits for is no news', async () => {
  const ledger = await ledgerOf(bead('a', waitsFor('b')));
  const round = rounds(ledger);
  await round();
  await ledger.put(bead('b'), { expects: 0, write: 'b' });
  expect(await round()).toBeNull();
});

test('a wisp that was removed is over, one that the ledger never had is not', async () => {
  const wisp = bead('tw-wisp-1', { isWisp: true, status: 'closed', closedAt: AT });
  const ledger = await ledgerOf(wisp, bead('a', waitsFor('tw-wisp-1')), bead('b', waitsFor('tw-wisp-2')));
  await squashWisps(ledger, ['tw-wisp-1'], { summary: undefined, by: 'deacon', at: AT });
  const [a, b] = await ledger.beads(['a', 'b']);
  expect(await openBlockers(ledger, a as Bead)).toEqual([]);
  expect(await openBlockers(ledger, b as Bead)).toEqual(['tw-wisp-2']);
  expect((await first(ready(ledger, {}), 9)).map(({ id }) => id)).toContain('a');
  expect((await first(ready(ledger, {}), 9)).map(({ id }) => id)).not.toContain('b');
});

// Rules: law 8.
test('what an earlier version escalated ends in the first round, and nothing else does', async () => {
  const ledger = await ledgerOf();
  const old = { rig: 'deacon', ledger, now: 1 };
  for (const about of ['undone/unhook/tw-1', 'many/undone', 'never-ready/abc', 'failed/tw-2'])
    await tell(old, { severity: 'medium', about, text: about });
  const round = async () =>
    (await neverReadyRound({ ledger, doing: () => Promise.resolve(), memory: [] }, 2)).acts.map(({ act }) => act);
  expect(await round()).toEqual(['close', 'close', 'close']);
  const { items } = await ledger.list({ labels: ['gt:escalation'] }, { limit: 9 });
  expect(items.map(({ description }) => description)).toEqual(['failed/tw-2']);
  expect(await round()).toEqual([]);
});

// Rules: P-8, A-4.
test('work behind a failure is no second question while the failure asks a person', async () => {
  const ledger = await ledgerOf(bead('a', { ...waitsFor('b'), rig: 'shop' }), bead('b', { ...FAILED, rig: 'shop' }));
  const told = await tell(
    { rig: 'shop', ledger, now: 1 },
    { severity: 'high', about: 'failed/b', text: 'b has failed: red', until: 'b' },
  );
  const round = rounds(ledger);
  await round();
  expect(await round()).toBeNull();
  expect(failedIn((await ledger.beads([told ?? '']))[0]!)).toBe('b');
  // A person put that question away, and left the work as it was.
  await closeBead(ledger, told ?? '', 'seen', 2);
  await round();
  expect(await round()).toMatch(/a waits for b, whose attempts are used up\..*town deacon redispatch b/);
});
