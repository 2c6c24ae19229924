/** What an earlier version escalated of what stands, and an alert says now: it is closed at the first round, and nothing else is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import { ESCALATION } from '../../src/ledger/escalations.ts';
import { olderOf } from '../../src/patrols/memory/escalations.ts';
import { PATROLS } from '../../state/patrols/records.ts';
import { MemoryLedger } from '../ledger/memory.ts';

/** As the last version without these levels wrote them, each with a text that names its subject. */
const GOLDEN = readFileSync(join(import.meta.dirname, 'golden', 'older-escalations.jsonl'), 'utf8');

// Rules: law 8.
test('what a step of an older town said to stand goes on standing', () => {
  const text = readFileSync(join(import.meta.dirname, 'golden', 'older-patrol.jsonl'), 'utf8');
  const decoded = PATROLS.decode(text, 'deacon.json');
  expect(decoded.ok && decoded.value.stands).toEqual({ waits: { '': 'text of never-ready' }, hooks: {} });
});

let ledger: MemoryLedger;
beforeEach(async () => {
  ledger = new MemoryLedger();
  for (const line of GOLDEN.trim().split('\n')) {
    const bead = JSON.parse(line) as Bead;
    await ledger.put(bead, { expects: 0, write: bead.id });
  }
});

async function textsOf(rig: string): Promise<string[]> {
  const ids = await olderOf({ rig, ledger });
  return (await ledger.beads(ids)).map(({ title }) => title.replace('text of ', '')).sort();
}

// Rules: law 8.
test('a rig closes those of its own, and the one that was told for all rigs', async () => {
  expect(await textsOf('shop')).toEqual([
    'asks/shop/polecats/nux',
    'breaker',
    'check/shop/polecats/nux',
    'cleanups',
    'deacon',
    'idle/shop/polecats/nux',
    'mail',
    'mail-budget',
    'many/tree',
    'merge/tw-1',
    'merged/m-1',
    'refinery',
    'remote',
    'returned/abc',
    'tree/shop/polecats/nux',
    'undone/nuke/nux',
  ]);
  expect(await textsOf('bank')).toEqual(['cleanups', 'deacon']);
  expect(await textsOf('deacon')).toEqual([
    'deacon',
    'many/undone',
    'never-ready/abc',
    'plugin/backup',
    'undone/unhook/tw-1',
  ]);
});

test('what happened once stays: a call for help, work that failed, a branch that was dropped', async () => {
  const { items } = await ledger.list({ labels: [ESCALATION] }, { limit: 100 });
  const older = new Set((await Promise.all(['shop', 'bank', 'deacon'].map((rig) => olderOf({ rig, ledger })))).flat());
  const left = items.filter(({ id }) => !older.has(id)).map(({ title }) => title.replace('text of ', ''));
  expect(left.sort()).toEqual(['dropped/polecat/nux', 'failed/tw-2', 'help/shop/polecats/nux']);
});
