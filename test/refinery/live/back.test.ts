/** A red branch through a whole town: its work goes to the next polecat, who reads why, and main gets what that one made of it. */
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { killHard, until } from '../../cli/town.ts';
import { PACE, rigTable, Shop } from '../../patrols/shop.ts';

vi.setConfig({ testTimeout: 300_000 });

const OWN = ['work of mend-the-shop', 'work of mend-the-shop-2'];

// Rules: R-2, P-2, P-5, P-8, law 4.
test.each([
  { way: 'merge', subjects: ['Merge polecat/mend-the-shop-2: mend the shop', 'first'], own: OWN },
  { way: 'squash', subjects: ['mend the shop', 'first'], own: OWN },
  { way: 'rebase', subjects: [...OWN.toReversed(), 'first'], own: OWN },
])(
  'a red branch goes back with the words of its test; the next agent goes on with it, and main has both once: $way',
  async ({ way, subjects: wanted, own }) => {
    const mends = join(import.meta.dirname, '../programs/mends');
    const test = `merge = "${way}"\ntest = 'test ! -e red || { echo "ok 0 - it runs"; echo "not ok 1 - the shop is red"; exit 1; }'\n`;
    const town = new Shop(`${PACE}${rigTable(mends, test)}`);
    await town.open();
    const bead = await town.bead('mend the shop');
    await until(async () => (await town.shown(bead)).attempts === 1);
    killHard((await town.status()).pid);
    await until(async () => (await town.shown(bead)).status === 'closed');
    expect(await town.shown(bead)).toMatchObject({ attempts: 1 });
    const log = (...words: string[]): string[] => town.git(town.remote, 'log', ...words, 'main').split('\n');
    expect(log('--first-parent', '--format=%s')).toEqual(wanted);
    const said = log('--no-merges', '--format=%B').filter((line) => line.includes('work of '));
    expect(said.map((line) => line.replace('* ', '')).toSorted()).toEqual(own);
    expect(town.git(town.remote, 'ls-tree', '--name-only', 'main').split('\n')).toEqual(['README', 'fixed']);
    // The branch that was merged is gone there, and so is its polecat.
    await until(async () => (await town.data<unknown[]>('polecat', 'list', 'shop')).length === 0);
    expect(await town.subjects('shop/witness', '--all')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^MERGE_FAILED /), expect.stringMatching(/^MERGED /)]),
    );
    // With its rig goes the worktree of the refinery.
    expect(town.git(town.repo, 'worktree', 'list')).toContain('shop/refinery');
    expect((await town.run('rig', 'remove', 'shop')).code).toBe(0);
    expect(town.git(town.repo, 'worktree', 'list')).not.toContain('shop/refinery');
  },
);
