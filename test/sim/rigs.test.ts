/**
 * The work of rigs in virtual time: polecats that finish, die, hang, ask and leave dirt, a refinery that merges, fails, lies and
 * forgets, a reasoner that chooses by chance, a disk that is full and a ledger that is busy, with a town that is killed anywhere.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { DAY, seedsFrom } from './day.ts';
import type { RigsPlant } from './plants.ts';
import { FIRST, HOUR, MINUTE, play, playAll, RUNS } from './rigs-play.ts';

vi.setConfig({ testTimeout: 300_000 });
afterEach(() => vi.restoreAllMocks());

describe('random histories of a rig', () => {
  // Rules: P-2, P-6.
  test('lose nothing, handle each letter once, and end all work', async () => {
    expect(await playAll()).toBeGreaterThan(RUNS);
  });

  test('also where the ledger is put back to an older backup', async () => {
    // What was asked within that time is in the mailbox alone.
    await playAll({ backupMs: 2 * HOUR }, { isFinding: (one) => !one.startsWith('nobody ever heard'), share: [0, 2] });
  });

  test('a seed tells the same story twice', async () => {
    const story = ({ sim, found }: Awaited<ReturnType<typeof play>>) => [sim.steps, sim.cycles, sim.modelCalls, found];
    expect(story(await play(FIRST))).toEqual(story(await play(FIRST)));
  });

  /** Of all durable steps of one history, so many are its last. */
  const KILLS = process.env['SIM_KILLS'] === 'all' ? Infinity : 12;
  // Rules: P-2, W-5.
  test('also where the town is killed at any durable step', async () => {
    const scene = { work: 6, withinMs: HOUR, untilMs: 30 * HOUR, kills: 0 } as const;
    const { sim } = await play(FIRST, scene);
    const stride = Math.max(1, Math.floor(sim.steps / KILLS));
    for (let killAt = 1 + (DAY % stride); killAt <= sim.steps; killAt += stride) {
      const { found } = await play(FIRST, { ...scene, killAt });
      expect(found, `seed ${FIRST}, killed at step ${killAt} of ${sim.steps}`).toEqual([]);
    }
  });
});

// Rules: P-5.
test.each([
  [69, 'between the start of a session and the record of it'],
  [114, 'with one that hangs, whatever is decided about it'],
])('the town is killed at step %d of a history: %s', async (killAt) => {
  const scene = { work: 6, withinMs: HOUR, untilMs: 30 * HOUR, idleMs: 5 * MINUTE, kills: 0, killAt } as const;
  expect((await play(124_692, scene)).found).toEqual([]);
});

// Rules: P-18.
test('a healthy day: no model is asked, and a person hears only that swarms are complete', async () => {
  const { sim, found } = await play(FIRST, { calm: true, kills: 0 });
  expect([found, sim.modelCalls]).toEqual([[], 0]);
  const letters = [...(await sim.boxOf('mayor').inbox()), ...(await sim.boxOf('overseer').inbox())];
  // Convoys are the same news: the mayor lives here, and hears of both.
  expect(letters.filter(({ subject }) => !/^(?:SWARM_COMPLETE|Convoy landed): /.test(subject))).toEqual([]);
});

// Rules: P-5.
test('a day of fifty agents with random failures: all work ends, and a model is asked within its budget', async () => {
  const rigs = ['shop', 'bank', 'farm', 'mill', 'dock'];
  const times = { withinMs: 24 * HOUR, untilMs: 60 * HOUR, activeMs: 120_000, kills: 20 } as const;
  const scene = { rigs, maxPolecats: 10, work: 16, ...times };
  const { sim, found } = await play(FIRST, scene);
  expect(found).toEqual([]);
  expect(sim.kills).toBeGreaterThan(10);
  expect(sim.modelCalls).toBeLessThanOrEqual(3 * 24);
});

/** Seeds in which a planted fault must show: where no letter is read, few polecats live to cry for help. */
const MAX_SEEDS = 20;
/** A seed in which each shows, and what the oracle must say about it. */
const SEEN: Readonly<Record<RigsPlant, readonly [seed: number, sentence: RegExp]>> = {
  'destroys unseen': [1, /nowhere else/],
  'leaves records': [1, /in the end, and nobody goes on with it/],
  'tells no mayor': [1, /SWARM_COMPLETE .* was never said/],
  'writes twice': [1, /was said twice|was handled \d times/],
  'reads no letter': [7, /nobody ever heard/],
  'asks about triage': [1, /is triage about triage/],
};
test.each(Object.entries(SEEN))('the oracle sees a planted fault: %s', async (plant, [known, sentence]) => {
  for (const seed of seedsFrom(known, MAX_SEEDS))
    if ((await play(seed, { plant: plant as RigsPlant })).found.some((one) => sentence.test(one))) return;
  expect.unreachable(`no finding like ${String(sentence)} in ${MAX_SEEDS} seeds`);
});
