/** However large the beads are that an agent makes, the thread that serves all rigs has memory enough to look at them. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import { PATROL_HANDS } from '../../src/patrols/policy.ts';
import { openLedger } from '../../state/ledger/sqlite.ts';
import { freshFolder } from '../world/over.ts';
import { AT, bead } from './beads.ts';

const COUNT = 16;
/** As much memory as a bead can take: each of these is 60 bytes there. */
const VALUES = Array.from({ length: 300_000 }, () => ({}));
const heavy = (id: string, waitsFor: readonly string[] = []): Bead => {
  const link = (on: string) => ({ on, type: 'blocks', createdAt: AT, createdBy: 'other/polecats/nux', extra: {} });
  return bead(id, { rig: 'shop', extra: { VALUES }, dependencies: waitsFor.map(link) });
};

// Rules: P-8.
test('the look of a patrol at the largest beads stays within the memory of its thread', async () => {
  const root = freshFolder();
  const ledger = openLedger({ root, wall: Date.now });
  const ids = Array.from({ length: COUNT }, (_, nth) => `b-${nth}`);
  for (const id of ids) await ledger.put(heavy(id), { expects: 0, write: `w-${id}` });
  await ledger.put(heavy('b-last', ids), { expects: 0, write: 'w-last' });
  ledger.close();
  const program = join(import.meta.dirname, 'programs/look.ts');
  const thread = new Worker(program, { workerData: { root }, resourceLimits: PATROL_HANDS.threadHeap });
  expect(await once(thread, 'message')).toEqual([COUNT]);
  await thread.terminate();
});
