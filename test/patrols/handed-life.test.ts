/** Whose work the refinery has: that of the one life which handed it over, whichever other polecat was begun for the same bead. */
import { expect, test } from 'vitest';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { NOTHING_SEEN, type WorktreeFacts } from '../../machines/rigs/worktree.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { withHanded } from '../../src/ledger/branches.ts';
import { polecatViews } from '../../src/patrols/witness/polecats.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { SimDisk } from '../world/disk.ts';
import { LEFTS, MINUTE } from './seen.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const recordOf = (uuid: string, step: PolecatRecord['step']): PolecatRecord => ({
  rig: 'shop',
  name: 'nux',
  uuid,
  bead: 'tw-1',
  command: ['x'],
  at: NOW - 60 * MINUTE,
  step,
  base: 'a'.repeat(40),
  main: null,
  tip: null,
});
const CLEAN: WorktreeFacts = { ...NOTHING_SEEN, place: 'there' };

/** What is on its hook. */
async function hookOf(uuid: string, step: PolecatRecord['step'], standing: 'ended' | 'lives', handed: string | null) {
  const [ledger, disk] = [new MemoryLedger(), new SimDisk().mount()];
  const at = new Date(NOW - 60 * MINUTE).toISOString();
  const merging = {
    status: 'in_progress',
    assignee: 'shop/refinery',
    rig: 'shop',
    createdAt: at,
    updatedAt: at,
  } as const;
  const moved = bead('tw-1', merging);
  await ledger.put(handed === null ? moved : withHanded(moved, handed), { expects: 0, write: 'w' });
  const trees = {
    look: () => Promise.resolve(CLEAN),
    isGone: () => Promise.resolve(false),
    movedAt: () => Promise.resolve(0),
    left: () => Promise.resolve(LEFTS.work),
  };
  const policies = { withinMs: 30 * MINUTE, stillMs: MINUTE, policy: WITNESS, doneCheck: null };
  const told = { lifeOf: () => Promise.resolve(null), reports: new Map<string, never>() };
  const seen = { standing: () => standing, mustJudge: new Set<string>(), ...told };
  const [view] = await polecatViews({ trees, ledger, disk, now: NOW, ...policies, ...seen }, [recordOf(uuid, step)]);
  return view!.polecat.hook;
}

// Rules: P-2, P-3, law 3.
test.each([
  ['that ended, of the life that handed it over', 'ace-life', 'running', 'ended', 'tw-1'],
  ['that was being taken away, of that life', 'ace-life', 'leaving', 'ended', 'tw-1'],
  ['that ended, of another life', 'nux-life', 'running', 'ended', null],
  ['that was being taken away, of another life', 'nux-life', 'leaving', 'ended', null],
  ['that lives, of that life', 'ace-life', 'running', 'lives', null],
] as const)('of a polecat %s', async (_, uuid, step, standing, hook) => {
  expect(await hookOf(uuid, step, standing, 'ace-life')).toBe(hook);
});

test('of a polecat that ended, where the bead does not say which life handed it over', async () => {
  expect(await hookOf('nux-life', 'running', 'ended', null)).toBe('tw-1');
});
