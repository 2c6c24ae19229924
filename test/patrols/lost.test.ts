/** How often a rig's remote is asked whether main still has what was merged, and for refs that mislead. */
import { expect, test } from 'vitest';
import { NOT_OFFICIAL } from '../../machines/ledger/bead.ts';
import { realDisk } from '../../state/files/disk.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { lostIn } from '../../src/patrols/witness/lost.ts';
import { shadowsLately } from '../../src/patrols/witness/survey.ts';
import { RIG_WORK } from '../../src/rigs/policy.ts';
import { bead } from '../ledger/beads.ts';
import { freshFolder } from '../world/over.ts';

const COMMIT = 'c'.repeat(40);
const CLOSED = '2026-01-02T07:30:00Z';
const merged = bead('tw-1', {
  rig: 'shop',
  title: 'mend it',
  status: 'closed',
  closedAt: CLOSED,
  metadata: { branch_commit: COMMIT },
  official: { ...NOT_OFFICIAL, merged: CLOSED },
});

const rigWith = (beads: readonly (typeof merged)[]) => {
  const list = () => Promise.resolve({ items: beads, next: null });
  const disk = realDisk(freshFolder(), 0);
  let fetches = 0;
  const trees = {
    fetchMain: () => Promise.resolve((fetches += 1)),
    lost: async (works: () => Promise<readonly { commit: string }[]>) => {
      const commits = (await works()).map(({ commit }) => commit);
      return [{ branch: 'main', before: 'b'.repeat(40), commits, line: 'git push' }];
    },
  };
  // With its ledger goes all that a thread remembers.
  const at = async (now: number, ledger = { list } as unknown as Ledger) => {
    const seen = await lostIn({ ledger, disk, rig: 'shop', now, trees, isAsked: false });
    return { seen, fetches };
  };
  return at;
};

// Rules: P-2, law 8.
test('at first, and every ten minutes, also where each cycle has a thread of its own', async () => {
  const at = rigWith([merged]);
  const start = 1_000_000;
  expect((await at(start)).fetches).toBe(1);
  expect((await at(start + RIG_WORK.mainEveryMs - 1)).fetches).toBe(1);
  const { seen, fetches } = await at(start + RIG_WORK.mainEveryMs);
  expect(fetches).toBe(2);
  expect(seen).toEqual([{ beads: ['tw-1'], text: expect.stringMatching(/tw-1 mend it.*git push/) as string }]);
  expect((await at(start + RIG_WORK.mainEveryMs + RIG_WORK.lostForMs)).fetches).toBe(2);
});

test('of a rig without merged work never', async () => {
  const at = rigWith([{ ...merged, official: NOT_OFFICIAL }]);
  await at(1_000_000);
  expect((await at(1_000_000 + 10 * RIG_WORK.mainEveryMs)).fetches).toBe(0);
});

// Rules: P-2, law 8, R-1.
test('for refs with misleading names every ten minutes, and every minute while one stands', async () => {
  const ledger = {} as Ledger;
  let asked = 0;
  const trees = { shadows: () => Promise.resolve([{ ref: `ref-${(asked += 1)}`, text: '' }]) };
  const at = async (now: number, stands: readonly string[] = [], isAsked = false) => {
    await shadowsLately({ ledger, rig: 'shop', now, isAsked, stands, trees });
    return asked;
  };
  expect(await at(1_000_000)).toBe(1);
  expect(await at(1_000_000 + RIG_WORK.mainEveryMs - 1)).toBe(1);
  expect(await at(1_000_000 + RIG_WORK.mainEveryMs)).toBe(2);
  expect(await at(1_000_000 + RIG_WORK.mainEveryMs + RIG_WORK.lostForMs, ['ref-shadows'])).toBe(3);
  expect(await at(1_000_001 + RIG_WORK.mainEveryMs + RIG_WORK.lostForMs, [], true)).toBe(4);
});
