/** What waits for other beads, in a file that an older town wrote: found by its index, and given out as before. */
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Bead } from '../../../machines/ledger/bead.ts';
import { first, ready } from '../../../src/ledger/walk.ts';
import { neverReadyRound } from '../../../src/patrols/deacon/never-ready.ts';
import { beadText } from '../../../state/ledger/schema.ts';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { STEPS } from '../../../state/ledger/tables.ts';
import { freshFolder } from '../../world/over.ts';
import { bead } from '../beads.ts';

/** The tables before they had a column for what waits. */
const OLDER = STEPS.slice(0, 4);
const waits = (type: string, on: string): Partial<Bead> => ({
  dependencies: [{ on, type, createdAt: '', createdBy: '', extra: {} }],
});

function olderTown(root: string, beads: readonly Bead[]): void {
  openLedger({ root, wall: Date.now, steps: OLDER }).close();
  const database = new DatabaseSync(join(root, 'ledger/town.db'));
  const columns = 'id, version, writes, body, status, is_closed, type, priority, assignee, rig, is_wisp, newest';
  const put = database.prepare(
    `INSERT INTO beads (${columns}) VALUES (?, 1, '["made"]', ?, 'open', 0, 'task', 2, '', '', 0, ?)`,
  );
  for (const one of beads) {
    put.run(one.id, beadText(one), -Date.parse(one.createdAt));
    for (const { on } of one.dependencies) database.prepare('INSERT INTO links VALUES (?, ?)').run(on, one.id);
  }
  database.close();
}

// Rules: P-8.
test('the ledger of an older town: unknown beads are told, a wisp that went in its time is over', async () => {
  const root = freshFolder();
  olderTown(root, [
    bead('a', waits('blocks', 'nowhere')),
    bead('b', waits('blocks', 'tw-wisp-gone')),
    bead('c', waits('tracks', 'nowhere')),
    ...Array.from({ length: 50 }, (_, n) => bead(`plain-${n}`)),
  ]);
  const ledger = openLedger({ root, wall: Date.now });
  const round = (memory: readonly string[]) => neverReadyRound({ ledger, doing: () => Promise.resolve(), memory }, 1);
  const before = await round([]);
  expect(before).toMatchObject({ seen: 2, acts: [], stands: {} });
  const { stands } = await round(before.memory ?? []);
  expect(stands?.['']).toContain(
    '1 bead waits for what can never be done. a waits for nowhere, which is not in the ledger',
  );
  const free = (await first(ready(ledger, {}), 99)).map(({ id }) => id).filter((id) => !id.startsWith('plain'));
  expect(free.sort()).toEqual(['b', 'c']);
  ledger.close();
});
