/** Open work of which the town has a handover on record: a backup of the ledger brought it back, or a person wants it done again. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import { closeMerged, release, reopen, withStatus } from '../../machines/ledger/changes.ts';
import { dispatchActs, IN_MAIN } from '../../machines/patrols/dispatch.ts';
import { PATROL } from '../../machines/patrols/policy.ts';
import type { HandedSeen } from '../../machines/witness/observation.ts';
import { withBranch } from '../../src/ledger/branches.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { changeOf } from '../../src/patrols/witness/bead-acts.ts';
import { forgetHanded } from '../../src/patrols/witness/hand-over.ts';
import { withRestored } from '../../src/patrols/witness/restored-work.ts';
import { workOf } from '../../src/patrols/witness/work.ts';
import { hooksOf } from '../../src/rigs/hooks.ts';
import { noteBegun } from '../../src/rigs/spawn.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { keepWork } from '../../state/rigs/work.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { freshFolder } from '../world/over.ts';
import { MINUTE, NUX, rig } from './seen.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const TIP = 'c'.repeat(40);
const LATER_TIP = 'd'.repeat(40);
const BASE = 'b'.repeat(40);
const iso = (now: number): string => new Date(now).toISOString();

let disk: Disk;
let ledger: MemoryLedger;
let asked: string[];
beforeEach(async () => {
  disk = realDisk(freshFolder(), 0);
  ledger = new MemoryLedger();
  asked = [];
  await begin('u1');
  await handOver('u1', TIP);
});

const put = (id: string, more: Partial<Bead> = {}) =>
  ledger.put(bead(id, { rig: 'shop', ...more }), { expects: 0, write: id });
const shown = async (id: string): Promise<Bead> => (await ledger.beads([id]))[0]!;
const change = (decide: (bead: Bead) => Bead) => changeBead(ledger, 'tw-1', decide);

const hooks = hooksOf({
  bead: shown,
  change: async (id, decide) => (await changeBead(ledger, id, decide))!,
  heldBy: () => Promise.resolve([]),
  disk: () => Promise.resolve(disk),
});
/** As every start does, a sling too, and a cycle where a start was cut off. */
const begin = (uuid: string) => {
  const about = { rig: 'shop', name: 'nux', uuid, base: BASE, main: null, tip: null, bead: 'tw-1', command: ['cat'] };
  const yard = { hooks, records: new RigRecords({ disk }) };
  return noteBegun({ yard }, { ...about, step: 'hooked', at: NOW });
};
const handOver = (uuid: string, commit: string | null, of = 'tw-1') =>
  keepWork(
    disk,
    { rig: 'shop', of },
    { handed: [{ polecat: 'nux', uuid, branch: 'polecat/nux', commit, main: BASE, at: NOW }] },
  );

/** What dispatch does, where git says this of each commit. */
async function acts(is: HandedSeen['isMerged'] = 'yes', { now = NOW, maxPolecats = 1 } = {}) {
  const merged = (works: readonly { readonly commit: string }[]) => {
    asked.push(works.map(({ commit }) => commit).join(' '));
    return Promise.resolve(new Map(works.map(({ commit }) => [commit, is])));
  };
  const seen = await workOf(ledger, 'shop', now);
  const work = await withRestored({ ledger, disk, rig: 'shop', now, trees: { merged }, everyMs: MINUTE }, seen);
  return dispatchActs(rig({ work, maxPolecats }), PATROL);
}
const spawn = { act: 'spawn', rig: 'shop', bead: 'tw-1' };
const close = { act: 'close', bead: 'tw-1', reason: IN_MAIN, ifOpen: true } as const;

async function carryOut(act: typeof close): Promise<void> {
  const handed = await forgetHanded({ disk, rig: 'shop', keepCommit: () => Promise.resolve() }, act.bead);
  await change((one) => changeOf({ ...act, handed }, one, iso(NOW))[0]);
}

// Rules: P-8.
describe('a bead of a restored ledger, which knows of no handover', () => {
  beforeEach(() => put('tw-1'));

  test('is closed where main has the work, also without room; and is given out once a person opens it again', async () => {
    expect(await acts('yes', { maxPolecats: 0 })).toEqual([close]);
    await carryOut(close);
    expect((await shown('tw-1')).status).toBe('closed');
    await change((one) => reopen(one, iso(NOW + 1)));
    expect(await acts('yes')).toEqual([spawn]);
  });

  test('is not closed under an agent that has it by now', async () => {
    await change((one) => ({ ...withStatus(one, 'hooked', iso(NOW)), assignee: NUX }));
    await carryOut(close);
    expect(await shown('tw-1')).toMatchObject({ status: 'hooked', assignee: NUX });
  });

  test.each(['no', 'dropped'] as const)(
    'is given out where main lacks it (%s), and git is asked once a minute',
    async (is) => {
      for (const now of [NOW, NOW + MINUTE - 1, NOW + MINUTE]) expect(await acts(is, { now })).toEqual([spawn]);
      expect(asked).toEqual([TIP, TIP]);
    },
  );

  test('waits while git does not tell, and holds up no other work', async () => {
    await put('tw-2', { priority: 4 });
    expect(await acts('unknown')).toEqual([
      {
        act: 'stand',
        kind: 'work-restored',
        severity: 'medium',
        name: '',
        text: expect.stringMatching(/1 bead .*tw-1.*town bead close ID.*town sling ID shop/) as string,
      },
      { ...spawn, bead: 'tw-2' },
    ]);
  });

  test('waits where its commit is unknown', async () => {
    await handOver('u1', null);
    expect([await acts(), asked]).toMatchObject([[{ kind: 'work-restored' }], []]);
  });

  test('is given out again where the polecat that a person slung it to died', async () => {
    await begin('u2');
    expect([await acts('yes'), asked]).toEqual([[spawn], []]);
  });
});

// Rules: P-8.
describe('a bead that an earlier version handed over, and a person opened again', () => {
  beforeEach(async () => {
    await put('tw-1');
    await change((one) => withBranch(one, 'polecat/nux', TIP));
    await change((one) => reopen(closeMerged(one, 'merged', iso(NOW)), iso(NOW + 1)));
  });

  test('is given out', async () => {
    expect([await acts('yes'), asked]).toEqual([[spawn], []]);
  });

  test('is given out also after its next polecat died and left another commit', async () => {
    await begin('u2');
    await change((one) => withBranch(release(one, iso(NOW)), 'polecat/nux', LATER_TIP));
    expect([await acts('yes'), asked]).toEqual([[spawn], []]);
  });
});
