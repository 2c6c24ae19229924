/** The order of evidence over steps of the wall clock: what was written last is the newest, with any time on it. */
import { expect, test } from 'vitest';
import { TRIAGE } from '../../machines/triage/policy.ts';
import { closeCase, requestTriage } from '../../src/triage/requests.ts';
import { evidenceOf, newestOf } from '../../src/ledger/walk.ts';
import { latest, order, withSteps } from '../../src/ports/age.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { SimDisk } from '../world/disk.ts';
import { MemoryLedger } from './memory.ts';

const WALL = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function world() {
  const disk = new SimDisk({ wall: () => WALL }).mount();
  const quarantine = new Quarantine({ disk, wall: () => WALL, onRefused: () => undefined });
  return { ledger: new MemoryLedger(), options: { disk, quarantine, note: () => undefined } };
}

/** One piece of evidence a minute; after every third one the clock is set. What was written, in its order, with what a round reads of it. */
async function played(steps: readonly number[]) {
  const { ledger, options } = world();
  const written: { readonly id: string; readonly at: number }[] = [];
  const read: { readonly newest: string | undefined; readonly all: string[]; readonly isInOrder: boolean }[] = [];
  for (let minute = 0; minute < 3 * (steps.length + 1); minute += 1) {
    const set = steps.slice(0, Math.floor(minute / 3)).reduce((sum, one) => sum + one, 0);
    const now = { at: minute * MINUTE, wall: WALL + minute * MINUTE + set };
    await withSteps(options, now, async () => {
      const one = { id: `e-${minute}`, at: now.wall + 2_000 };
      written.push(one);
      await ledger.addEvidence({ ...one, author: 'nux', kind: 'note', text: '' });
      const all = await Array.fromAsync(evidenceOf(ledger, 'nux', 2), ({ id }) => id);
      const times = written.map(({ at }) => order(at));
      const isInOrder = times.every((time, n) => n === 0 || time > times[n - 1]!);
      expect(latest(written[0]!.at, ...written.map(({ at }) => at))).toBe(one.at);
      read.push({ newest: (await newestOf(ledger, 'nux'))?.id, all, isInOrder });
    });
  }
  return { written: written.map(({ id }) => id), read };
}

test.each([
  ['none', []],
  ['ten days forward', [10 * DAY]],
  ['ten days back', [-10 * DAY]],
  ['ten days back, twice', [-10 * DAY, -10 * DAY]],
  ['ten days back, and right again', [-10 * DAY, 10 * DAY]],
  ['ten days forward, and right again', [10 * DAY, -10 * DAY]],
  ['an hour back, three times', [-HOUR, -HOUR, -HOUR]],
])('steps of the clock: %s', async (_, steps) => {
  const { written, read } = await played(steps);
  expect(read).toEqual(
    written.map((id, n) => ({ newest: id, all: written.slice(0, n + 1).toReversed(), isInOrder: true })),
  );
});

test('what was written before a step back is no newest again when the clock shows its time again', async () => {
  const { ledger, options } = world();
  const read: (string | undefined)[] = [];
  // As a patrol does: what is remembered is read, and only then what is new is written.
  const round = (at: number, set: number, writes: string | null) =>
    withSteps(options, { at, wall: WALL + at + set }, async () => {
      read.push((await newestOf(ledger, 'nux'))?.id);
      if (writes !== null)
        await ledger.addEvidence({ id: writes, at: WALL + at + set, author: 'nux', kind: 'note', text: '' });
    });
  await round(5 * HOUR, 0, 'old');
  await round(6 * HOUR, -4 * HOUR, 'new');
  await round(7 * HOUR, -4 * HOUR, null);
  await round(12 * HOUR, -4 * HOUR, null);
  expect(read).toEqual([undefined, 'old', 'new', 'new']);
});

test('evidence with a time to come is the newest, as without a step', async () => {
  const { ledger, options } = world();
  await ledger.addEvidence({ id: 'e-1', at: WALL + 5 * DAY, author: 'nux', kind: 'note', text: '' });
  await ledger.addEvidence({ id: 'e-2', at: WALL, author: 'nux', kind: 'note', text: '' });
  await withSteps(options, { at: 0, wall: WALL }, () => Promise.resolve());
  await withSteps(options, { at: MINUTE, wall: WALL + MINUTE - DAY }, async () => {
    expect(await Array.fromAsync(evidenceOf(ledger, 'nux'), ({ id }) => id)).toEqual(['e-1', 'e-2']);
    expect((await newestOf(ledger, 'nux'))?.id).toBe('e-1');
  });
});

test('each case of an agent is new, also where the clock was set back since the one before it', async () => {
  const { ledger, options } = world();
  const asked = { type: 'stuck_agent', agent: 'shop/polecats/nux', rig: 'shop', why: 'no progress' } as const;
  const ids = new Set<string>();
  for (const [n, days] of [0, -10, -10, -20, -20].entries()) {
    const passed = n * 2 * TRIAGE.againAfterMs;
    const now = { at: passed, wall: WALL + passed + days * DAY };
    const { id, isNew } = await withSteps(options, now, () =>
      requestTriage(ledger, { ...asked, by: 'shop/witness', now: now.wall, policy: TRIAGE }),
    );
    expect([n, isNew]).toEqual([n, true]);
    await closeCase(ledger, id, 'done', now.wall);
    ids.add(id);
  }
  expect(ids.size).toBe(5);
});
