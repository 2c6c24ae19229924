/**
 * The work of rigs in virtual time: polecats that finish, die, hang, ask and leave dirt, a refinery that merges, fails, lies and
 * forgets, a reasoner that chooses by chance, a disk that is full and a ledger that is busy, with a town that is killed anywhere.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Chance } from '../world/chance.ts';
import { DAY } from './day.ts';
import { judgeRigs } from './oracle-rigs.ts';
import { RigsSim, type RigsPlant, type RigsScene } from './rigs.ts';

vi.setConfig({ testTimeout: 300_000 });
afterEach(() => vi.restoreAllMocks());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RUNS = Number(process.env['SIM_RUNS'] ?? 6);
/** SIM_SEED and SIM_RUNS=1 play the seed of a failure again. */
const FIRST = Number(process.env['SIM_SEED'] ?? DAY * RUNS);

/** Long enough after the last work that what waits for a day is told. */
const SMALL = {
  rigs: ['shop'],
  maxPolecats: 5,
  work: 12,
  withinMs: 3 * HOUR,
  untilMs: 40 * HOUR,
  activeMs: 60_000,
  kills: 4,
} as const;

async function play(seed: number, more: Partial<RigsScene> = {}) {
  const ids = new Chance(seed);
  vi.spyOn(Math, 'random').mockImplementation(() => ids.next());
  const sim = await new RigsSim({ ...SMALL, seed, ...more }).run();
  return { sim, found: await judgeRigs(sim) };
}

/** Plays all seeds; how often the town was killed. */
async function playAll(more: Partial<RigsScene> = {}, isFinding: (one: string) => boolean = () => true) {
  const failed: string[] = [];
  let kills = 0;
  for (let seed = FIRST; seed < FIRST + RUNS; seed += 1) {
    const { sim, found } = await play(seed, more);
    kills += sim.kills;
    failed.push(...found.filter(isFinding).map((one) => `seed ${seed}: ${one}`));
  }
  expect(failed).toEqual([]);
  return kills;
}

describe('random histories of a rig', () => {
  // Rules: P-2, P-6.
  test('lose nothing, handle each letter once, and end all work', async () => {
    expect(await playAll()).toBeGreaterThan(RUNS);
  });

  test('also where the wall clock is set forward and back', async () => {
    await playAll({ clock: [HOUR, -HOUR, 20 * MINUTE, -20 * MINUTE] });
  });

  test.each([
    ['forward', 1],
    ['back', -1],
  ])('also where it is set %s by up to ten days, twice', async (_, sign) => {
    await playAll({ clock: [sign * 240 * HOUR, sign * 240 * HOUR] });
  });

  test('also where it is set back by up to ten days, and forward again', async () => {
    await playAll({ clock: [-240 * HOUR, 240 * HOUR] });
  });

  test('a clock that shows the time of a hand-over again delays no alert of what lies with the refinery', async () => {
    expect((await play(9_087, { clock: [-240 * HOUR, 240 * HOUR] })).found).toEqual([]);
  });

  test('also where the ledger is put back to an older backup', async () => {
    // What was asked within that time is in the mailbox alone.
    await playAll({ backupMs: 2 * HOUR }, (one) => !one.startsWith('nobody ever heard'));
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
  const scene = { work: 6, withinMs: HOUR, untilMs: 30 * HOUR, kills: 0, killAt } as const;
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

/** What the oracle must say about each planted fault, within so many seeds. */
const MAX_SEEDS = 6;
const SEEN: Readonly<Record<RigsPlant, RegExp>> = {
  'destroys unseen': /nowhere else/,
  'leaves records': /in the end, and nobody goes on with it/,
  'tells nobody': /SWARM_COMPLETE .* was never said/,
  'tells twice': /was said twice|was handled \d times/,
  'reads no letter': /nobody ever heard/,
  'asks about triage': /is triage about triage/,
};
test.each(Object.entries(SEEN))('the oracle sees a planted fault: %s', async (plant, sentence) => {
  for (let seed = 1; seed <= MAX_SEEDS; seed += 1)
    if ((await play(seed, { plant: plant as RigsPlant })).found.some((one) => sentence.test(one))) return;
  expect.unreachable(`no finding like ${String(sentence)} in ${MAX_SEEDS} seeds`);
});
