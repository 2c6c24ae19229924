/** By which test a refinery merges while town.toml changes under it, and is broken. */
import { join } from 'node:path';
import { rmSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { readsMerging } from '../../src/refinery/merging-now.ts';
import { tempFolder } from '../world/over.ts';

let root = '';
beforeEach(() => (root = tempFolder('town-merging')));
const toml = (text: string): void => writeFileSync(join(root, 'town.toml'), text);
const reads = (needsRefinery = true) =>
  readsMerging('shop', needsRefinery, () => Promise.resolve(loadSettings({ root, env: {} })));
const TESTED = `[rig.shop]\nrefinery = "town refinery"\ntest = ["npm", "test"]\n`;

// Rules: R-2, C-17.
test('a file that breaks changes nothing: the test stays the one that was read last', async () => {
  const merging = reads();
  toml('[rig.shop]\nrefinery = "town refinery"\n');
  expect(await merging()).toMatchObject({ test: null });
  toml(TESTED);
  expect(await merging()).toMatchObject({ test: ['npm', 'test'] });
  toml(`${TESTED}[patrols\n`);
  expect(await merging()).toMatchObject({ test: ['npm', 'test'] });
  toml('');
  expect(await merging()).toBeNull();
});

// Rules: R-2.
test.each([true, false])(
  'a refinery that begins while the file is broken merges nothing until it is mended',
  async (needs) => {
    const merging = reads(needs);
    toml(`${TESTED}tset = "npm test"\n`);
    expect(await merging()).toEqual({
      unread: expect.stringMatching(/tset.*; until then the refinery of shop merges nothing$/) as string,
    });
    toml(TESTED);
    expect(await merging()).toMatchObject({ test: ['npm', 'test'] });
  },
);

// Rules: R-2.
test('by hand it runs where the file names no refinery', async () => {
  rmSync(join(root, 'town.toml'), { force: true });
  expect(await reads(false)()).toMatchObject({ test: null });
  expect(await reads()()).toBeNull();
});
