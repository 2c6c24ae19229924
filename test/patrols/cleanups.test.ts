/** The cleanup of a polecat, and who wished its end: official, by the life that said so with its own token. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Wish } from '../../machines/witness/observation.ts';
import { cleanup as cleanUp, wishingLife } from '../../src/patrols/witness/cleanups.ts';
import { wispsOf } from '../../src/patrols/witness/work.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { NUX } from './seen.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');

let ledger: MemoryLedger;
beforeEach(() => {
  ledger = new MemoryLedger();
});

const WISP = { act: 'wisp', title: 'cleanup:nux', labels: ['cleanup', 'polecat:nux', 'state:pending'] } as const;
const wished = (wish: Wish | null, more: { now?: number; bornAt?: () => number | null } = {}): Promise<string | null> =>
  cleanUp({ rig: 'shop', ledger, now: NOW, bornAt: () => null, ...more }, { ...WISP, wish });

describe('that a polecat wished its end', () => {
  const own = (life: string | null) => ({ by: NUX, via: 'agent', life }) as const;
  const seen = (life: string | null = null) => wispsOf(ledger, 'shop', NOW, () => Promise.resolve(life));

  test('is official: no label says it, of any writer', async () => {
    const cleanup = { isWisp: true, labels: ['cleanup', 'polecat:nux', 'state:pending', 'wish:end'] };
    await ledger.put(bead('tw-1', { rig: 'shop', ...cleanup, createdBy: 'shop/witness' }), {
      expects: 0,
      write: 'tw-1',
    });
    expect((await seen()).map(({ isVoluntary }) => isVoluntary)).toEqual([false]);
  });

  test.each<[string, string | null, string | null, boolean]>([
    ['the life that runs', 'life-1', 'life-1', true],
    ['an earlier life', 'life-1', 'life-2', false],
    ['a life whose session is on record no more', 'life-1', null, true],
    ['of an unknown life', null, 'life-2', true],
  ])('counts by the life that wished it: %s', async (_, life, runs, isVoluntary) => {
    await wished(own(life));
    expect(await seen(runs)).toMatchObject([{ isVoluntary, wishLife: life }]);
  });

  test('stands on the one cleanup that is open, by the last life that said it with its token', async () => {
    const bornAt = () => NOW - 1;
    const wishing = () => wishingLife({ ledger, rig: 'shop', bornAt }, 'nux');
    const said: (string | null)[] = [];
    for (const wish of [null, own(null), own('life-1'), own(null), own('life-2')]) {
      await wished(wish, { bornAt });
      said.push(await wishing());
    }
    expect(said).toEqual([null, null, 'life-1', 'life-1', 'life-2']);
    expect(await seen('life-2')).toMatchObject([{ isVoluntary: true }]);
    expect(await wished(own('life-2'), { bornAt })).toBe(null);
    // Of the next polecat of the name it says nothing.
    expect(await wishingLife({ ledger, rig: 'shop', bornAt: () => NOW + 1 }, 'nux')).toBe(null);
    await wished(null, { now: NOW + 2, bornAt: () => NOW + 1 });
    expect(await seen()).toHaveLength(2);
  });

  test('by the operator ends it without a hearing, and is no word of the life that runs', async () => {
    await wished({ by: 'overseer', via: 'operator', life: null });
    expect(await seen('life-1')).toMatchObject([{ isVoluntary: true, wishLife: null }]);
    expect(await wishingLife({ ledger, rig: 'shop', bornAt: () => null }, 'nux')).toBe(null);
  });
});
