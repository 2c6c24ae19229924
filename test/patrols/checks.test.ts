/** What a witness sees of a `done_check` that has no result yet. */
import { expect, test } from 'vitest';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { beginCheck, checkSeen, noteBegan, noteCheck } from '../../src/patrols/witness/checks.ts';
import type { Disk } from '../../state/files/disk.ts';
import { SimDisk, systemError } from '../world/disk.ts';
import { LEFTS } from './seen.ts';

const MINUTE = 60_000;
const LIMIT_MS = 30 * MINUTE;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const RECORD = { rig: 'shop', name: 'nux', at: NOW - MINUTE } as PolecatRecord;
const LEFT = LEFTS.work;
const PROCESS = { pid: 4711, started: 'boot:1' };

/** `lives`: as the system tells; throws where it does not. */
function checkOf(lives: () => boolean) {
  const sim = new SimDisk();
  const disk = sim.mount();
  const of = { agent: 'shop/polecats/nux', commit: LEFT.commit };
  const began: string[] = [];
  const check = (polecat: string): void => void began.push(polecat);
  const all = {
    sim,
    began,
    /** Once, after the next look has read the note. */
    onRead: () => Promise.resolve(),
    asks: (now: number) =>
      beginCheck(
        { disk, now, check, bornAt: () => RECORD.at, doneCheck: { limitMs: LIMIT_MS, lives } },
        { ...of, polecat: 'nux' },
      ),
    begins: (now: number) => noteBegan({ disk, now }, of, PROCESS),
    writes: (kind: 'began' | 'passed' | 'failed', now: number) => noteCheck({ disk, now }, { ...of, kind, text: '' }),
    seen: (now: number) => {
      const read: Disk['read'] = async (...words) => {
        const text = await disk.read(...words);
        const then = all.onRead;
        all.onRead = () => Promise.resolve();
        await then();
        return text;
      };
      const seeing = { disk: { ...disk, read }, now, doneCheck: { limitMs: LIMIT_MS, lives } };
      return checkSeen(seeing, RECORD, LEFT, {});
    },
  };
  return all;
}

// Rules: R-5.
test('a check that was asked for and never begins is asked for again after a minute, and then has no result', async () => {
  const check = checkOf(() => true);
  await check.asks(NOW);
  expect(await check.seen(NOW + MINUTE - 1)).toEqual({ is: 'running' });
  expect(await check.seen(NOW + MINUTE)).toEqual({ is: 'due' });
  await check.asks(NOW + MINUTE);
  expect(await check.seen(NOW + 2 * MINUTE)).toEqual({
    is: 'unknown',
    text: 'its process did not begin, 2 times in a row',
    agoMs: 0,
  });
  expect(check.began).toEqual(['nux', 'nux']);
});

// Rules: R-5.
test('a check is running as long as its process lives, and due at once when that has ended', async () => {
  let lives = true;
  const check = checkOf(() => lives);
  await check.asks(NOW);
  await check.begins(NOW);
  expect(await check.seen(NOW + LIMIT_MS)).toEqual({ is: 'running' });
  lives = false;
  expect(await check.seen(NOW + 1)).toEqual({ is: 'due' });
  await check.asks(NOW + 1);
  await check.begins(NOW + 1);
  const text = 'its process ended before it wrote a result, 2 times in a row';
  // However long it ran, its loss counts from when it was seen: it is not begun again in that very cycle.
  expect(await check.seen(NOW + 12 * MINUTE)).toEqual({ is: 'unknown', text, agoMs: 0 });
  expect(await check.seen(NOW + 15 * MINUTE)).toEqual({ is: 'unknown', text, agoMs: 3 * MINUTE });
  await check.writes('passed', NOW + 16 * MINUTE);
  expect(await check.seen(NOW + 17 * MINUTE)).toEqual({ is: 'passed' });
});

// Rules: R-5.
test('a check that began after it was given up on, as on a laptop that slept, has no other beside it', async () => {
  const check = checkOf(() => true);
  await check.asks(NOW);
  expect(await check.seen(NOW + 60 * MINUTE)).toEqual({ is: 'due' });
  await check.begins(NOW + 60 * MINUTE);
  await check.asks(NOW + 60 * MINUTE + 1);
  expect(check.began).toEqual(['nux']);
  expect(await check.seen(NOW + 61 * MINUTE)).toEqual({ is: 'running' });
  // One that is past its time may hang for ever.
  await check.asks(NOW + 61 * MINUTE + LIMIT_MS);
  expect(check.began).toEqual(['nux', 'nux']);
});

// Rules: R-5.
test.each(['passed', 'failed'] as const)(
  'a check that %s after it was seen to be due is not asked for again, unless that was in another life',
  async (result) => {
    const check = checkOf(() => true);
    await check.asks(NOW);
    await check.writes(result, NOW + MINUTE);
    await check.asks(NOW + MINUTE + 1);
    expect(check.began).toEqual(['nux']);
    expect(await check.seen(NOW + 2 * MINUTE)).toMatchObject({ is: result });
    await check.writes(result, RECORD.at - 1);
    await check.asks(NOW + 3 * MINUTE);
    expect(check.began).toEqual(['nux', 'nux']);
  },
);

/** Its process has ended for the second time. */
async function lostTwice() {
  const check = checkOf(() => false);
  await check.asks(NOW);
  await check.begins(NOW);
  await check.asks(NOW + 1);
  await check.begins(NOW + 1);
  return check;
}

// Rules: R-5, law 1.
test('a result that is written after its note was read, and before its process is looked for, counts', async () => {
  const check = await lostTwice();
  check.onRead = () => check.writes('passed', NOW + MINUTE);
  expect(await check.seen(NOW + MINUTE)).toEqual({ is: 'passed' });
  expect(await check.seen(NOW + 2 * MINUTE)).toEqual({ is: 'passed' });
});

// Rules: law 7.
test('a lost check is seen on a disk that takes no note of it', async () => {
  const check = await lostTwice();
  check.sim.fault = (operation) => (operation === 'write' ? systemError('ENOSPC') : undefined);
  expect(await check.seen(NOW + MINUTE)).toMatchObject({ is: 'unknown' });
});

// Rules: R-5, law 1.
test.each([
  ['is unknown', false],
  ['an older town did not write down', true],
])('a check whose process %s has no result when its time is over', async (_, isOlder) => {
  const check = checkOf(() => {
    throw new Error('the list of processes cannot be read');
  });
  await (isOlder ? check.writes('began', NOW) : check.begins(NOW));
  expect(await check.seen(NOW + LIMIT_MS)).toEqual({ is: 'running' });
  expect(await check.seen(NOW + LIMIT_MS + MINUTE)).toMatchObject({ is: 'unknown' });
});
