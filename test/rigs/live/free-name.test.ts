/** The name of the polecat that gets a piece of work: words of its title that are nowhere taken. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { freeName } from '../../../src/patrols/witness/free-name.ts';
import { realDisk, type Disk } from '../../../state/files/disk.ts';
import { keepNote } from '../../../state/patrols/notes.ts';
import { bead } from '../../ledger/beads.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
let disk: Disk;
beforeEach(() => {
  it = new RigOn();
  disk = realDisk(it.town, 0);
});
afterEach(() => {
  it.end();
});

const WORK = bead('gt-1', { title: 'mend the parser' });
const lives: readonly string[] = ['gt-shop-mend-the-parser'];
const record = (more: Partial<PolecatRecord>): PolecatRecord => ({
  rig: 'shop',
  name: 'mend-the-parser',
  uuid: '11111111-2222-4333-8444-555555555555',
  step: 'running',
  base: 'a'.repeat(40),
  main: null,
  tip: null,
  bead: null,
  command: ['sleep', '1'],
  at: 1,
  ...more,
});

// Rules: P-8.
test.each<[taken: string, take: () => unknown, name: string, standing: readonly string[]]>([
  ['nothing', () => undefined, 'mend-the-parser', []],
  ['a branch here', () => it.git('branch', 'polecat/mend-the-parser'), 'mend-the-parser-2', []],
  [
    'a branch at the remote',
    () => it.git('push', '-q', 'origin', 'main:polecat/mend-the-parser'),
    'mend-the-parser-2',
    [],
  ],
  ['a branch that only begins so', () => it.git('branch', 'polecat/mend-the-parsers'), 'mend-the-parser', []],
  ['a polecat', () => it.records.savePolecat(record({})), 'mend-the-parser-2', []],
  [
    'a polecat half made for other work',
    () => it.records.savePolecat(record({ step: 'placed', bead: 'gt-2' })),
    'mend-the-parser-2',
    [],
  ],
  [
    'a polecat half made for this work',
    () => it.records.savePolecat(record({ name: 'ada', step: 'placed', bead: 'gt-1' })),
    'ada',
    [],
  ],
  [
    'a worktree left for this work',
    () => it.records.savePolecat(record({ name: 'ada', step: 'left', bead: 'gt-1' })),
    'ada',
    [],
  ],
  ['a session', () => undefined, 'mend-the-parser-2', lives],
  [
    'a session of another rig',
    () => it.records.savePolecat(record({ rig: 'shop-mend', name: 'the-parser' })),
    'mend-the-parser-2',
    [],
  ],
  [
    'a note of an earlier one',
    () => keepNote(disk, 'shop/polecats/mend-the-parser', 'session', { kind: 'session', text: 'u dead', at: 1 }),
    'mend-the-parser-2',
    [],
  ],
])('where %s has it or a name like it', async (_, take, name, standing) => {
  await take();
  const sessions = {
    start: () => Promise.resolve(),
    standing: (one: string) => Promise.resolve(standing.includes(one) ? ('lives' as const) : ('none' as const)),
    forget: () => Promise.resolve(),
  };
  expect(await freeName(it.at({ sessions }), WORK, disk)).toBe(name);
});
