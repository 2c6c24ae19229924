/** What of a polecat's own words still counts, by what its witness noted since (P-3, law 3). */
import { expect, test } from 'vitest';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { NOTHING_SEEN, type WorktreeFacts } from '../../machines/rigs/worktree.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { polecatViews } from '../../src/patrols/witness/polecats.ts';
import { remember, UNTYPED } from '../../src/patrols/memory/notes.ts';
import type { Noted } from '../../state/patrols/notes.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { SimDisk } from '../world/disk.ts';
import { LEFTS, MINUTE, NUX } from './seen.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const RECORD: PolecatRecord = {
  rig: 'shop',
  name: 'nux',
  uuid: 'u',
  bead: 'tw-1',
  command: ['x'],
  at: NOW - 60 * MINUTE,
  step: 'running',
  base: 'a'.repeat(40),
  main: null,
  tip: null,
};
const CLEAN: WorktreeFacts = { ...NOTHING_SEEN, place: 'there' };

/** It began to finish ten minutes ago, and this was noted then. */
async function seenAfter(
  noted: readonly (readonly [what: Noted, agoMinutes: number, kind?: string])[],
  lifeMinutes = 60,
) {
  const [ledger, disk] = [new MemoryLedger(), new SimDisk().mount()];
  const updatedAt = new Date(RECORD.at).toISOString();
  const hooked = { status: 'hooked', assignee: NUX, rig: 'shop', createdAt: updatedAt, updatedAt } as const;
  await ledger.put(bead('tw-1', hooked), { expects: 0, write: 'w' });
  await ledger.addEvidence({ id: 'e', author: NUX, kind: 'done-intent', text: '', at: NOW - 10 * MINUTE });
  for (const [what, ago, kind = what] of noted) await remember({ disk, now: NOW - ago * MINUTE }, NUX, what, kind, '');
  let looks = 0;
  const trees = {
    look: () => Promise.resolve((looks++, CLEAN)),
    isGone: () => Promise.resolve(false),
    movedAt: () => Promise.resolve(0),
    left: () => Promise.resolve(LEFTS.work),
  };
  const policies = { withinMs: 30 * MINUTE, stillMs: MINUTE, policy: WITNESS, doneCheck: null };
  const life = { uuid: 'life-1', at: NOW - lifeMinutes * MINUTE };
  const told = { lifeOf: () => Promise.resolve(life), reports: new Map<string, never>() };
  const seen = { standing: () => 'lives' as const, mustJudge: new Set<string>(), ...told };
  const [view] = await polecatViews({ trees, ledger, disk, now: NOW, ...policies, ...seen }, [RECORD]);
  const { doneIntentMs, dirtyToldMs, left } = view!.polecat;
  return { intent: doneIntentMs, list: dirtyToldMs, looks, left: left.is };
}

const at = (minutes: number): number => minutes * MINUTE;

// Rules: P-3, law 3.
test.each<[string, Parameters<typeof seenAfter>[0], Omit<Awaited<ReturnType<typeof seenAfter>>, 'left'>]>([
  ['nothing', [], { intent: at(10), list: null, looks: 1 }],
  ['a list of what it left, before that', [['dirty', 20]], { intent: at(10), list: at(20), looks: 1 }],
  ['a list of what it left', [['dirty', 5]], { intent: null, list: at(5), looks: 1 }],
  ['that it left nothing to merge', [['empty', 5]], { intent: null, list: null, looks: 0 }],
  ['that its check fails', [['red', 5]], { intent: null, list: null, looks: 0 }],
  ['that a person lets it go on', [['hook-goes-on', 5]], { intent: null, list: null, looks: 0 }],
  [
    'a list, and a later decision that it goes on',
    [
      ['dirty', 8],
      ['hook-goes-on', 5],
    ],
    { intent: null, list: null, looks: 0 },
  ],
  ['a nudge', [['nudge', 5]], { intent: at(10), list: null, looks: 1 }],
])('of one that began to finish, after %s', async (_, noted, expected) => {
  const { intent, list, looks } = await seenAfter(noted);
  expect({ intent, list, looks }).toEqual(expected);
});

// Rules: P-3, W-4.
test.each(['dirty', 'red', 'empty'] as const)('a text that its pane did not take voids no wish: %s', async (what) => {
  expect(await seenAfter([[what, 5, UNTYPED]])).toMatchObject({ intent: at(10), list: null });
});

// Rules: P-2, P-3.
test('where the commits of one that got a list stand is asked once its time is over', async () => {
  expect(await seenAfter([['dirty', 9]])).toMatchObject({ intent: null, left: 'unknown' });
  expect(await seenAfter([['dirty', 10]], 9)).toMatchObject({ intent: null, left: 'work' });
});

// Rules: law 3.
test('that it began to finish is the word of the life that said so', async () => {
  expect(await seenAfter([], 11)).toMatchObject({ intent: at(10) });
  expect(await seenAfter([], 9)).toMatchObject({ intent: null });
});
