/** Gates of work that a plugin opens: by a run that began after they were shut, and by nothing that stands in a bead. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import { gateFields } from '../../src/ledger/gates.ts';
import { townRound } from '../patrols/town-round.ts';
import { noteBegun, noteCame, type Came } from '../../src/plugins/record.ts';
import { bead } from '../ledger/beads.ts';
import { COOLDOWN, Place } from './place.ts';

const SHUT = 1_000_000;
const LATER = SHUT + 60_000;
const CONDITION = '[gate]\ntype = "condition"\ncheck = "false"\n';

let place: Place;
beforeEach(() => (place = new Place()));

const ran = async (name: string, began: number, came: Came | null = 'done'): Promise<void> => {
  const note = { id: `${name}-${String(began)}`, text: '', deadlineAt: began + 1 };
  await noteBegun(place.disk, name, note, began);
  if (came !== null) await noteCame(place.disk, name, came, note, began + 1);
};

const shut = async (awaits: string, name: string | undefined): Promise<void> => {
  const at = new Date(SHUT).toISOString();
  const one = bead('tw-gate', { type: 'gate', createdAt: at, updatedAt: at, extra: gateFields(awaits, null, name) });
  await place.ledger.put(one, { expects: 0, write: 'shut' });
};

/** What a cycle does about the gate. */
async function patrolled() {
  return (await townRound(place.townNeeds(), LATER)).deeds.filter(({ about }) => about === 'tw-gate');
}
const gate = async (): Promise<Bead | undefined> => (await place.ledger.beads(['tw-gate']))[0];

describe('a gate that waits for a plugin', () => {
  beforeEach(() => {
    place.plugin('build', `command = ["true"]\n${COOLDOWN}`);
    place.plugin('quiet', `command = ["true"]\n${CONDITION}`);
  });

  // Rules: P-7.
  test.each<[what: string, awaits: string, name: string, run: () => Promise<void>, isOpen: boolean]>([
    ['opens once it ran well', 'plugin', 'build', () => ran('build', SHUT + 1), true],
    ['waits for one that never ran', 'plugin', 'build', () => Promise.resolve(), false],
    ['waits where it ran before the gate was shut', 'plugin', 'build', () => ran('build', SHUT - 1), false],
    ['waits where it failed', 'plugin', 'build', () => ran('build', SHUT + 1, 'failed'), false],
    ['waits while it runs', 'plugin', 'build', () => ran('build', SHUT + 1, null), false],
    ['waits for its own one', 'plugin', 'build', () => ran('quiet', SHUT + 1), false],
    ['opens once its condition said yes', 'condition', 'quiet', () => ran('quiet', SHUT + 1, null), true],
    ['opens after any outcome of what it began', 'condition', 'quiet', () => ran('quiet', SHUT + 1, 'failed'), true],
    [
      'waits while its condition says no',
      'condition',
      'quiet',
      () => noteCame(place.disk, 'quiet', 'unmet', { id: 'x', text: '' }, SHUT + 1).then(() => undefined),
      false,
    ],
    [
      'opens by a run before the last ones',
      'plugin',
      'build',
      () => ran('build', SHUT + 1).then(() => ran('build', SHUT + 9, 'failed')),
      true,
    ],
  ])('%s', async (_, awaits, name, run, isOpen) => {
    await shut(awaits, name);
    await run();
    expect(await patrolled()).toEqual(isOpen ? [expect.objectContaining({ act: 'open', done: true })] : []);
    expect((await gate())?.status).toBe(isOpen ? 'closed' : 'open');
    expect(await patrolled()).toEqual([]);
  });

  // Rules: P-7.
  test.each<[what: string, awaits: string, name: string | undefined, why: RegExp]>([
    ['of no name', 'plugin', undefined, /names no plugin/],
    ['of one that is not there', 'plugin', 'gone', /there is no plugin gone/],
    ['of a path', 'plugin', '../../bin/sh', /no name for a plugin/],
    ['of one without a condition', 'condition', 'build', /the plugin build has no condition/],
  ])('that can never open, %s, is told once', async (_, awaits, name, why) => {
    await shut(awaits, name);
    expect(await patrolled()).toMatchObject([{ act: 'escalate', done: true }]);
    const [told] = await place.ledger.beads(['tw-gate-overdue']);
    expect(JSON.stringify(told)).toMatch(why);
    expect(await patrolled()).toEqual([]);
    expect((await gate())?.status).toBe('open');
  });

  // Rules: P-7.
  test('runs nothing that a bead says', async () => {
    const victim = join(place.root, 'ran');
    await shut('condition', `touch ${victim}`);
    await patrolled();
    expect(existsSync(victim)).toBe(false);
  });
});
