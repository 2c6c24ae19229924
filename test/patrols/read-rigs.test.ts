/** When patrols need their ledger: with a rig, or with work in it. A real folder; no thread is started. */
import { writeFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { patrolHands } from '../../src/patrols/thread/hands.ts';
import { realDisk } from '../../state/files/disk.ts';
import { FILES } from '../../state/files/layout.ts';
import { freshFolder } from '../world/over.ts';

test.each([
  ['no ledger', { isThere: false, work: true }, false],
  ['a ledger of evidence alone', { isThere: true, work: false }, false],
  ['a ledger with work', { isThere: true, work: true }, true],
])('%s', async (_, { isThere, work }, hasLedger) => {
  const root = freshFolder();
  mkdirSync(dirname(join(root, FILES.ledger)), { recursive: true });
  if (isThere) writeFileSync(join(root, FILES.ledger), '');
  const notes = { disk: realDisk(root, 0) } as Parameters<typeof patrolHands>[0]['notes'];
  const unused = () => undefined;
  const { perform, close } = patrolHands({
    settings: loadSettings({ root }),
    notes,
    log: unused,
    damaged: unused,
    town: { ask: () => Promise.reject(new Error('not asked')), overview: () => Promise.reject(new Error('not asked')) },
    holdsWork: () => Promise.resolve(work),
  });
  const order = { type: 'readRigs', id: { issuer: 'ledger', verb: 'rigs', step: 'read' } } as const;
  const read = await perform.readRigs(order, new AbortController().signal);
  expect(read).toEqual({ type: 'RIGS_READ', rigs: [], hasLedger });
  await close();
});
