/** What a glance at the rigs opens: a page of polecats, however many are on record. */
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Onlooker } from '../../src/overview/onlooker.ts';
import { OVERVIEW } from '../../src/overview/policy.ts';
import { rigsView } from '../../src/overview/rigs.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { POLECATS, RIGS } from '../../state/rigs/schemas.ts';
import { tempFolder } from '../world/over.ts';

const MANY = 10_000;
const NAMES = Array.from({ length: MANY }, (_, nth) => `p${String(nth).padStart(5, '0')}`);

/** A root with a rig of so many polecats, and the names of the files that are opened there. */
function full(): { readonly disk: Disk; readonly opened: string[] } {
  const root = tempFolder('rigs');
  for (const folder of ['rigs', 'polecats']) mkdirSync(join(root, folder), { mode: 0o700 });
  const put = ({ path, text }: { path: string; text: string }): void =>
    writeFileSync(join(root, path), text, { mode: 0o600 });
  const where = { repo: '/src', commonDir: '/src/.git', agent: null, base: null, addedAt: 0 };
  put(RIGS.fileOf({ name: 'shop', ...where }));
  const commit = '0'.repeat(40);
  const work = { step: 'running', base: commit, main: null, tip: null, bead: null, command: ['true'], at: 0 } as const;
  const shown = NAMES.slice(0, OVERVIEW.polecats);
  for (const name of shown) put(POLECATS.fileOf({ rig: 'shop', name, uuid: name, ...work }));
  // Of all others only the names are read.
  for (const name of NAMES.slice(OVERVIEW.polecats))
    linkSync(join(root, 'polecats', `shop.${shown[0]}.json`), join(root, 'polecats', `shop.${name}.json`));
  const real = realDisk(root, 0);
  const opened: string[] = [];
  const read: Disk['read'] = (path, maxBytes) => {
    opened.push(path);
    return real.read(path, maxBytes);
  };
  return { disk: { ...real, read }, opened };
}

// Rules: law 8.
test('ten thousand polecats: a page of them is opened, and all are counted', async () => {
  const { disk, opened } = full();
  const view = await rigsView({ disk, quarantine: new Onlooker(disk, () => undefined) });
  expect(view?.rigs).toMatchObject([{ name: 'shop', polecat_count: MANY }]);
  expect(view?.rigs[0]?.polecats.map(({ name }) => name)).toEqual(NAMES.slice(0, OVERVIEW.polecats));
  expect(opened.length).toBe(OVERVIEW.polecats + 1);
});

// Rules: law 8, C-16.
test('who can be written to is known by the names of files', async () => {
  const { disk, opened } = full();
  const { polecats } = await new RigRecords({ disk }).agents();
  expect(polecats).toHaveLength(MANY);
  expect(polecats).toContainEqual({ rig: 'shop', name: 'p00007' });
  expect(opened).toEqual(['rigs/shop.json']);
});
