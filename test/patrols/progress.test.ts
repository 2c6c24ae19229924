/** P-4: what counts as progress of an agent: its own evidence, commits and changes of its bead; never what others do to that bead. */
import { expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { NOTHING_SEEN } from '../../machines/rigs/worktree.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { asAgent } from '../../src/ledger/doors.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { polecatViews } from '../../src/patrols/witness/polecats.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { SimDisk } from '../world/disk.ts';
import { MINUTE, NUX } from './seen.ts';

const BORN = Date.now() - 60 * MINUTE;
const RECORD: PolecatRecord = {
  rig: 'shop',
  name: 'nux',
  uuid: 'u',
  bead: 'tw-1',
  command: ['x'],
  at: BORN,
  step: 'running',
  base: 'a'.repeat(40),
  main: null,
  tip: null,
};

async function stillAfter(
  minutes: number,
  work: (ledger: MemoryLedger, at: (minute: number) => string) => Promise<unknown>,
  lives: { readonly since: number } | null = null,
) {
  const ledger = new MemoryLedger();
  const disk = new SimDisk().mount();
  const at = (minute: number): string => new Date(BORN + minute * MINUTE).toISOString();
  const hooked = { status: 'hooked', assignee: NUX, rig: 'shop', createdAt: at(-60), updatedAt: at(0) } as const;
  await ledger.put(bead('tw-1', hooked), { expects: 0, write: 'w' });
  const look = async (minute: number): Promise<number> => {
    const looking = {
      trees: {
        look: () => Promise.resolve(NOTHING_SEEN),
        isGone: () => Promise.resolve(false),
        movedAt: () => Promise.resolve(0),
        left: () => Promise.reject(new Error('nothing is left')),
      },
      ledger,
      disk,
      now: BORN + minute * MINUTE,
      withinMs: 30 * MINUTE,
      stillMs: MINUTE,
      policy: WITNESS,
      doneCheck: null,
      lifeOf: () => Promise.resolve(lives && { uuid: 'life-1', at: BORN + lives.since * MINUTE }),
      reports: new Map(),
      standing: () => 'lives' as const,
      mustJudge: new Set<string>(),
    };
    const [view] = await polecatViews(looking, [RECORD]);
    return Math.round(view!.polecat.stillMs / MINUTE);
  };
  await look(1);
  await work(ledger, at);
  return look(minutes);
}
const edit = (ledger: MemoryLedger, more: (bead: Bead) => Partial<Bead>) =>
  changeBead(ledger, 'tw-1', (one) => ({ ...one, ...more(one) }));

// Rules: P-4.
test('a person who edits the bead every minute holds no nudge back', async () => {
  const still = await stillAfter(59, async (ledger, at) => {
    for (let minute = 2; minute < 59; minute += 1)
      await edit(ledger, () => ({ description: `${minute}`, updatedAt: at(minute) }));
  });
  expect(still).toBe(59);
});

test.each<[string, (ledger: MemoryLedger, at: (minute: number) => string) => Promise<unknown>, number]>([
  ['nothing', () => Promise.resolve(), 60],
  [
    'a comment of a person',
    (ledger, at) => ledger.comment({ id: 'c', beadId: 'tw-1', author: 'overseer', text: 'x', createdAt: at(30) }),
    60,
  ],
  [
    'its own evidence',
    (ledger, at) => ledger.addEvidence({ id: 'e', author: NUX, kind: 'commit', text: 'x', at: Date.parse(at(30)) }),
    30,
  ],
  [
    'what it says that it is at, as its prompt asks',
    (ledger, at) => ledger.addEvidence({ id: 'e', author: NUX, kind: 'note', text: 'x', at: Date.parse(at(30)) }),
    30,
  ],
  [
    'a sign of mere life',
    (ledger, at) => ledger.addEvidence({ id: 'e', author: NUX, kind: 'heartbeat', text: '', at: Date.parse(at(30)) }),
    60,
  ],
])('%s', async (_, work, still) => {
  expect(await stillAfter(60, work)).toBe(still);
});

test('its own change of the bead, through the door', async () => {
  const self = { address: NUX, session: 'gt-shop-nux', life: 'u' };
  const still = await stillAfter(60, async (memory) => {
    const ledger = asAgent(memory, () => Promise.resolve(self));
    await changeBead(ledger, 'tw-1', (one) => ({
      ...one,
      description: 'half done',
      updatedAt: new Date().toISOString(),
    }));
  });
  expect(still).toBe(0);
});

// Rules: P-4, law 3.
test('the start of its present life, where its work is older', async () => {
  const wrote = (ledger: MemoryLedger, at: (minute: number) => string) =>
    ledger.addEvidence({ id: 'e', author: NUX, kind: 'note', text: 'x', at: Date.parse(at(30)) });
  expect(await stillAfter(480, wrote, { since: 479 })).toBe(1);
  expect(await stillAfter(60, wrote, { since: 0 })).toBe(30);
});
