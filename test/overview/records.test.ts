/** What commands read of the records: also those that grew larger than anything that another program may write. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readWarrants } from '../../src/overview/records.ts';
import { realDisk } from '../../state/files/disk.ts';
import { STATE } from '../../state/files/policy.ts';
import { danceFileOf } from '../../state/hearings/dances.ts';
import { closed, warrant } from '../state/make.ts';
import { tempFolder } from '../world/over.ts';

test('a hearing that many warrants joined shows all of them', async () => {
  const root = tempFolder('town-records');
  const reason = 'x'.repeat(STATE.maxChars);
  const warrants = Array.from({ length: 300 }, (_, n) => warrant(`w-${String(n)}`, { reason }));
  const { path, text } = danceFileOf(closed(undefined, { warrants }));
  expect(text.length).toBeGreaterThan(STATE.maxRecordBytes);
  for (const folder of ['warrants', 'active', 'completed'])
    mkdirSync(join(root, 'deacon/dogs', folder), { recursive: true });
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  const found = await readWarrants(realDisk(root, 1));
  expect(found.unreadable).toEqual([]);
  expect(found.warrants).toHaveLength(warrants.length);
});
