/** What a witness's acts are carried out on: a ledger and a disk, each new for each test. */
import { beforeEach } from 'vitest';
import { type Bead } from '../../machines/ledger/bead.ts';
import { TRIAGE } from '../../machines/triage/policy.ts';
import type { OrderedAct } from '../../machines/witness/acting.ts';
import { type ActDeps } from '../../src/patrols/witness/acts.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import { realDisk } from '../../state/files/disk.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { NUX } from './seen.ts';
import { freshFolder } from '../world/over.ts';

export const NOW = Date.parse('2026-01-01T12:00:00Z');
export const TIP = 'c'.repeat(40);
export const BASE = 'b'.repeat(40);
export const ADA = 'shop/polecats/ada';
export const hooked = { status: 'hooked', assignee: NUX } as const;
export const nuke: Extract<OrderedAct, { act: 'nuke' }> = {
  act: 'nuke',
  polecat: 'nux',
  uuid: 'u',
  push: false,
  why: 'done',
  bead: 'tw-1',
  agent: NUX,
  ready: { to: 'shop/refinery', subject: 'MERGE_READY nux', body: 'Issue: tw-1', of: 'u' },
  branch: 'mend-it',
  commit: TIP,
  main: BASE,
};

function actWorld() {
  const disk = realDisk(freshFolder(), 0);
  const ledger = new MemoryLedger();
  const boxOf = (address: string) => boxAt({ disk, note: () => undefined }, address);
  const deps = (more: Partial<ActDeps> = {}): ActDeps => ({
    rig: 'shop',
    ledger,
    disk,
    now: NOW,
    triage: TRIAGE,
    own: boxOf('shop/witness'),
    boxOf: (address) => Promise.resolve(boxOf(address)),
    bornAt: () => null,
    startedFor: () => null,
    tellPerson: (box, letter) => box.send(letter),
    tailOf: () => Promise.resolve(''),
    filesOf: () => Promise.resolve(''),
    nudge: () => Promise.resolve(),
    obstacle: () => Promise.resolve(null),
    spawn: () => Promise.resolve('x'),
    end: () => Promise.resolve('x'),
    keepCommit: () => Promise.resolve(),
    lacks: () => Promise.resolve(true),
    nuke: async (_, { before }) => {
      await before?.(TIP);
      return [];
    },
    check: () => undefined,
    doneCheck: null,
    dropMerged: () => Promise.resolve([]),
    start: () => Promise.resolve(),
    asked: () => undefined,
    ...more,
  });
  const put = (id: string, more: Partial<Bead>) =>
    ledger.put(bead(id, { rig: 'shop', ...more }), { expects: 0, write: id });
  const shown = async (id: string): Promise<Bead> => (await ledger.beads([id]))[0]!;
  return { disk, ledger, boxOf, deps, put, shown };
}

type World = ReturnType<typeof actWorld>;

/** A world for each test of the file that calls this. What is returned is always that of the test that runs. */
export function actWorlds(): Readonly<World> {
  let world: World;
  beforeEach(() => void (world = actWorld()));
  return {
    get disk() {
      return world.disk;
    },
    get ledger() {
      return world.ledger;
    },
    boxOf: (address) => world.boxOf(address),
    deps: (more) => world.deps(more),
    put: (id, more) => world.put(id, more),
    shown: (id) => world.shown(id),
  };
}
