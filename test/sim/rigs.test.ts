/**
 * The work of rigs in virtual time: polecats that finish, die, hang, ask and leave dirt, a refinery that merges, fails, lies and
 * forgets, a reasoner that chooses by chance, a disk that is full and a ledger that is busy, with a town that is killed anywhere.
 */
import { describe, expect, test, vi } from 'vitest';
import { FIRST_RIGS as FIRST, playDayOfRigs, RIG_RUNS, testScene } from './oracle-tests.ts';
import { playRigs as play } from './scenes.ts';
import { someOf } from './seeds.ts';

vi.setConfig({ testTimeout: 300_000 });

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('random histories of a rig', () => {
  // Rules: P-2, P-6.
  test('lose nothing, handle each letter once, and end all work', async () => {
    expect(await playDayOfRigs()).toBeGreaterThan(RIG_RUNS);
  });

  test('also where the ledger is put back to an older backup', async () => {
    // What was asked within that time is in the mailbox alone.
    await playDayOfRigs(
      { backupMs: 2 * HOUR },
      { isFinding: (one) => !one.startsWith('no person ever heard'), share: [0, 2] },
    );
  });

  /** Of all durable steps of one history, so many are its last. */
  const KILLS = 6;
  // Rules: P-2, W-5.
  test('also where the town is killed at any durable step', async () => {
    const scene = { work: 6, withinMs: HOUR, untilMs: 30 * HOUR, kills: 0 } as const;
    const { steps } = await play(FIRST, scene);
    const all = Array.from({ length: steps }, (_, n) => n + 1);
    for (const killAt of someOf(all, KILLS)) {
      const { findings } = await play(FIRST, { ...scene, killAt });
      expect(findings, `seed ${FIRST}, killed at step ${killAt} of ${steps}`).toEqual([]);
    }
  });
});

// Rules: P-5.
test.each([
  [69, 'between the start of a session and the record of it'],
  [114, 'with one that hangs, by each decision about it'],
])('the town is killed at step %d of a history: %s', async (killAt) => {
  const scene = { work: 6, withinMs: HOUR, untilMs: 30 * HOUR, idleMs: 5 * MINUTE, kills: 0, killAt } as const;
  expect((await play(124_692, scene)).findings).toEqual([]);
});

// Rules: P-18.
test('a healthy day: no model is asked, and a person hears only that swarms are complete', async () => {
  const { world, findings } = await play(FIRST, { calm: true, kills: 0 });
  expect([findings, world.modelCalls]).toEqual([[], 0]);
  const letters = [...(await world.boxOf('mayor').inbox()), ...(await world.boxOf('overseer').inbox())];
  // Convoys are the same news: the mayor lives here, and hears of both.
  expect(letters.filter(({ subject }) => !/^(?:SWARM_COMPLETE|Convoy landed): /.test(subject))).toEqual([]);
});

// Rules: P-5.
test('a day of fifty agents with random failures: all work ends, and a model is asked within its budget', async () => {
  const rigs = ['shop', 'bank', 'farm', 'mill', 'dock'];
  const times = { withinMs: 24 * HOUR, untilMs: 60 * HOUR, activeMs: 120_000, kills: 20 } as const;
  const scene = { rigs, maxPolecats: 10, work: 10, ...times };
  const { world, findings } = await play(FIRST, scene);
  expect(findings).toEqual([]);
  expect(world.kills).toBeGreaterThan(10);
  expect(world.modelCalls).toBeLessThanOrEqual(3 * 24);
});

testScene('rigs', FIRST);
