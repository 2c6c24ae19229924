/** One record that does not count leaves one polecat, one bead or one refinery unknown: the rest of the rig is patrolled as before. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { NOTHING_SEEN } from '../../machines/rigs/worktree.ts';
import { PATROL } from '../../machines/patrols/policy.ts';
import { witnessCycle } from '../../machines/witness/cycle.ts';
import type { CycleAct } from '../../machines/witness/cycle-step.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { survey } from '../../src/patrols/witness/survey.ts';
import type { Trees } from '../../src/patrols/witness/trees.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import { keepNote } from '../../state/patrols/notes.ts';
import { keepWork } from '../../state/rigs/work.ts';
import type { Disk } from '../../state/files/disk.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { SimDisk, systemError } from '../world/disk.ts';
import { MINUTE } from './seen.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const HOUR_AGO = NOW - 60 * MINUTE;
const policies = { witness: WITNESS, patrol: PATROL };
const commitOf = (name: string): string => Buffer.from(name).toString('hex').padEnd(40, '0');

const record = (name: string): PolecatRecord => ({
  rig: 'shop',
  name,
  uuid: `u-${name}`,
  bead: `tw-${name}`,
  command: ['x'],
  at: HOUR_AGO,
  step: 'running',
  base: 'a'.repeat(40),
  main: null,
  tip: null,
});

let sim: SimDisk;
let disk: Disk;
let ledger: MemoryLedger;
/** Paths that fail to be read, and how. */
let faults: Map<string, string>;
beforeEach(() => {
  faults = new Map();
  sim = new SimDisk({
    fault: (operation, path) => {
      const code = operation === 'read' ? faults.get(path) : undefined;
      return code === undefined ? undefined : systemError(code);
    },
  });
  disk = sim.mount();
  ledger = new MemoryLedger();
});

const put = (id: string, status: 'open' | 'hooked' | 'in_progress', assignee = ''): Promise<unknown> => {
  const at = new Date(HOUR_AGO).toISOString();
  return ledger.put(bead(id, { rig: 'shop', status, assignee, createdAt: at, updatedAt: at }), {
    expects: 0,
    write: id,
  });
};

const trees = {
  look: () => Promise.resolve(NOTHING_SEEN),
  isGone: () => Promise.resolve(false),
  movedAt: () => Promise.resolve(0),
  left: ({ name }: PolecatRecord) => Promise.resolve({ is: 'work', branch: `polecat/${name}`, commit: commitOf(name) }),
  merged: (works: readonly { commit: string }[]) =>
    Promise.resolve(new Map(works.map(({ commit }) => [commit, 'yes' as const]))),
  broughtBack: () => Promise.resolve(new Map()),
  gone: () => Promise.resolve(new Map()),
  returned: () => Promise.resolve([]),
  shadows: () => Promise.resolve([]),
  lost: () => Promise.resolve([]),
  later: () => Promise.resolve([]),
  trouble: () => Promise.resolve(null),
  away: () => Promise.resolve(null),
} as unknown as Trees;

const box = (address: string) => boxAt({ disk, note: () => undefined }, address);
type Sent = Parameters<ReturnType<typeof box>['send']>[0];
const sent = (to: string, mail: Pick<Sent, 'id' | 'from' | 'via' | 'subject' | 'body'>): Promise<unknown> =>
  box(to).send({ ...mail, urgent: false, needs_response: false, sentAt: HOUR_AGO });
const OF_REFINERY = { from: 'shop/refinery', via: 'agent' } as const;

/** One cycle, of a rig whose sessions have all ended: what it sees, and what it would do. */
async function cycle(names: readonly string[], more: { readonly maxPolecats?: number } = {}) {
  const seen = await survey({
    rig: 'shop',
    repo: '/nowhere',
    ledger,
    disk,
    now: NOW,
    own: box('shop/witness'),
    handled: {},
    isAsked: true,
    stands: [],
    polecats: names.map(record),
    trees,
    policies,
    agent: ['x'],
    maxPolecats: 5,
    begun: () => Promise.resolve(),
    doneCheck: null,
    refinery: { command: ['x'], missing: () => Promise.resolve(null), box: box('shop/refinery') },
    lifeOf: () => Promise.resolve(null),
    reports: { of: () => Promise.resolve(new Map()) },
    standings: () => Promise.resolve(() => 'ended' as const),
    deaconLateMs: null,
    ...more,
  });
  return { seen, acts: witnessCycle(seen, policies).flatMap(({ acts }) => acts) };
}
const about = (acts: readonly CycleAct[], word: string): string[] =>
  acts.filter((act) => act.act !== 'stand' && JSON.stringify(act).includes(word)).map(({ act }) => act);
const standing = (acts: readonly CycleAct[]): string[] =>
  acts.flatMap((act) => (act.act === 'stand' && act.kind === 'record-unread' ? [act.text] : []));

/** The ways in which a record may not count. */
const DAMAGES: [what: string, damage: (path: string) => Promise<void>][] = [
  ['torn', (path) => overwrite(path, '{"schema":')],
  ['of a newer version', (path) => overwrite(path, '{"schema":"work/99","work":"of the night"}\n')],
  ['closed', (path) => Promise.resolve(void faults.set(path, 'EACCES'))],
  ['on a bad sector', (path) => Promise.resolve(void faults.set(path, 'EIO'))],
];
async function overwrite(path: string, text: string): Promise<void> {
  await disk.remove(path);
  await disk.write(path, text);
}

describe.each(DAMAGES)('a record that is %s', (_, damage) => {
  // Rules: law 1, P-3.
  test('of one polecat leaves that one alone, and its work is not given out', async () => {
    for (const name of ['ada', 'nux']) {
      await put(`tw-${name}`, 'hooked', `shop/polecats/${name}`);
      const dead = { kind: 'session', text: `u-${name} dead`, at: NOW - MINUTE };
      await keepNote(disk, `shop/polecats/${name}`, 'session', dead);
    }
    const path = 'patrols/notes/gt-shop-nux.json';
    await damage(path);
    const before = sim.files().get(path);
    const { seen, acts } = await cycle(['ada', 'nux']);
    expect(seen.polecats.map(({ name, session }) => [name, session])).toEqual([
      ['ada', 'dead'],
      ['nux', 'unknown'],
    ]);
    expect([about(acts, 'tw-ada'), about(acts, 'nux')]).toEqual([['reopen'], []]);
    expect(standing(acts)).toEqual([expect.stringContaining(path)]);
    expect(sim.files().get(path)).toBe(before);
  });

  // Rules: P-2.
  test('of one piece of handed work leaves that one with the refinery, and its letters wait', async () => {
    for (const name of ['ada', 'nux']) {
      await put(`tw-${name}`, 'in_progress', 'shop/refinery');
      const handed = [{ polecat: name, uuid: 'u', branch: 'b', commit: commitOf(name), main: null, at: HOUR_AGO }];
      await keepWork(disk, { rig: 'shop', of: `tw-${name}` }, { handed });
    }
    await sent('shop/witness', { ...OF_REFINERY, id: 'm-1', subject: 'MERGE_FAILED nux', body: 'Issue: tw-nux\n' });
    await sent('shop/witness', { ...OF_REFINERY, id: 'm-2', subject: 'MERGED nux', body: 'Polecat: nux\n' });
    const path = 'patrols/work/shop.tw-nux.json';
    await damage(path);
    const before = sim.files().get(path);
    const { seen, acts } = await cycle([]);
    expect(seen.letters).toHaveLength(2);
    expect([about(acts, 'tw-ada'), about(acts, 'nux'), about(acts, 'archive')]).toEqual([['close'], [], []]);
    expect(standing(acts)).toEqual([expect.stringContaining(path)]);
    expect(sim.files().get(path)).toBe(before);
  });

  // Rules: P-8.
  test('of work that waits takes the room of no other', async () => {
    await put('tw-1', 'open');
    await put('tw-2', 'open');
    const path = 'patrols/work/shop.tw-1.json';
    await keepWork(disk, { rig: 'shop', of: 'tw-1' }, {});
    await damage(path);
    const { acts } = await cycle([], { maxPolecats: 1 });
    expect([about(acts, 'tw-1'), about(acts, 'tw-2')]).toEqual([[], ['spawn']]);
    expect(standing(acts)).toEqual([expect.stringContaining(path)]);
  });

  test('of a refinery leaves its session alone', async () => {
    await put('tw-ada', 'hooked', 'shop/polecats/ada');
    const request = { from: 'overseer', via: 'operator', subject: 'MERGE_READY x', body: 'Branch: x\n' } as const;
    await sent('shop/refinery', { ...request, id: 'm-1' });
    const path = 'patrols/notes/gt-shop-refinery.json';
    await keepNote(disk, 'shop/refinery', 'start', { kind: 'start', text: '', at: HOUR_AGO });
    expect(about((await cycle(['ada'])).acts, 'shop/refinery')).toEqual(['start']);
    await damage(path);
    const { seen, acts } = await cycle(['ada']);
    expect([seen.refinery.waiting, about(acts, 'shop/refinery')]).toEqual([1, []]);
    expect(standing(acts)).toEqual([expect.stringContaining(path)]);
  });
});
