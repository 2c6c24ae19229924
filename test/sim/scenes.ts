/**
 * The scenes of the simulated world. Each is a profile: which actors run, which acts and faults happen there, drawn from a seed, and the
 * oracles that judge it. Threads, tests and the command line play them alike.
 */
import { Chance } from '../world/chance.ts';
import { Chain, DEACON } from './chain.ts';
import { chainHistoryOf } from './chain-history.ts';
import { Ears } from './ears.ts';
import { earsHistoryOf } from './ears-history.ts';
import { Hearings } from './hearings.ts';
import { historyOf, type History } from './history.ts';
import { of, type Log } from './log.ts';
import { Office } from './office.ts';
import { changesOf, expectedOf, TROUBLES } from './office-troubles.ts';
import { judgeChain } from './oracle-chain.ts';
import { judgeEars } from './oracle-ears.ts';
import { judgeOffice } from './oracle-office.ts';
import { judgeRigs } from './oracle-rigs.ts';
import { judge, RULES } from './oracle.ts';
import { SEEN, type Plant, type Shows } from './plants.ts';
import { promptnessOf } from './promptness.ts';
import { Rigs, type RigsScene } from './rigs.ts';

export interface Played {
  readonly log: Log;
  /** What the oracles found; empty = all is well. */
  readonly findings: readonly string[];
  /** Places where the town could have been killed, and how often it was. */
  readonly steps: number;
  readonly kills: number;
  /** Deaf targets that were heard once all was calm, and those that ended too late. */
  readonly deaf?: number;
  readonly late?: number;
}

export const SCENE_NAMES = ['safety', 'liveness', 'chain', 'alerts', 'ears', 'rigs'] as const;
export type SceneName = (typeof SCENE_NAMES)[number];

interface Scene {
  readonly play: (seed: number, plant?: Plant | null) => Promise<Played>;
  /** The planted faults: where each is known to show, and what an oracle must say about it. */
  readonly plants: Readonly<Record<string, Shows>>;
  /** So many of the first seeds are searched for it, where the known one shows it no more. */
  readonly most: number;
}

/** What comes on top of the windows of a deaf target: questions, looks, the rescue; a tenth of the town's 20 s. */
const ON_TOP_MS = 2_000;
/** The history of a seed, or one made by hand. */
export async function playHearings(
  history: History,
  plant: Plant | null = null,
): Promise<Played & { readonly world: Hearings }> {
  const { mode, pardonOn, poolSizes, calmAt } = history;
  const world = new Hearings(history, plant);
  const open = await world.run();
  const { log, steps, kills } = world;
  const findings = judge(log, world.disk.files(), { ...RULES, poolSizes, evidencePardons: pardonOn === 'evidence' });
  if (mode === 'safety') return { world, log, findings, steps, kills };
  const allowedMs = RULES.windowsMs.reduce((sum, ms) => sum + ms) + ON_TOP_MS;
  findings.push(...open.map((warrant) => `${warrant} never came to an end`));
  return { world, log, findings, steps, kills, ...promptnessOf(log, allowedMs, calmAt) };
}

async function playChain(seed: number, plant: Plant | null = null): Promise<Played> {
  const world = new Chain(chainHistoryOf(seed), plant);
  await world.run();
  const { log, steps, kills } = world;
  return {
    log,
    steps,
    kills,
    findings: [...judge(log, world.disk.files(), { ...RULES, watched: DEACON }), ...judgeChain(world)],
  };
}

/** A kill at a step of the town, or just before the nth time that it tells a person. */
export type Kill = { readonly step: number } | { readonly telling: number };

/** One trouble that comes and goes twice. */
export async function playTrouble(
  name: string,
  kill?: Kill,
  plant: Plant | null = null,
): Promise<Played & { readonly world: Office }> {
  const trouble = TROUBLES[name];
  if (trouble === undefined) throw new Error(`no trouble ${name}`);
  const expected = expectedOf(trouble);
  const world = new Office(changesOf(trouble), kill, plant);
  await world.run(expected.endsAt);
  const { log, steps, kills } = world;
  return {
    world,
    log,
    steps,
    kills,
    findings: [...judge(log, world.disk.files(), RULES), ...judgeOffice(world, expected)],
  };
}

/** More steps and tellings than most troubles take. */
const STEPS = 2_500;
const TELLINGS = 70;
function playAlerts(seed: number, plant: Plant | null = null): Promise<Played> {
  const chance = new Chance(seed);
  const name = chance.oneOf(Object.keys(TROUBLES));
  const kill = chance.isHit(0.2)
    ? undefined
    : chance.isHit(0.5)
      ? { step: 1 + chance.upTo(STEPS) }
      : { telling: 1 + chance.upTo(TELLINGS) };
  return playTrouble(name, kill, plant);
}

async function playEars(seed: number, plant: Plant | null = null): Promise<Played> {
  const world = new Ears(earsHistoryOf(seed), plant);
  await world.run();
  const { log, steps, kills } = world;
  const alone = [...world.agents.sessions.values()].flatMap(({ plan }) => (plan.shares ? [] : [plan.name]));
  const findings = [...judge(log, world.disk.files(), { ...RULES, alone }), ...judgeEars(world)];
  return { log, steps, kills, findings };
}

const MINUTE = 60_000;
/** Long enough after the last work that what waits for a day is told. */
const SMALL = {
  rigs: ['shop'],
  maxPolecats: 5,
  work: 12,
  withinMs: 180 * MINUTE,
  untilMs: 2_400 * MINUTE,
  activeMs: MINUTE,
  // In most cycles of these two days there is nothing to do: a town's own five minutes would cost twice as much.
  idleMs: 20 * MINUTE,
  kills: 4,
} as const;

/** One history of rigs, with what is other than usual there. The ledger takes its ids from chance. */
export async function playRigs(
  seed: number,
  more: Partial<RigsScene> = {},
): Promise<Played & { readonly world: Rigs }> {
  const ids = new Chance(seed);
  const { random } = Math;
  Math.random = () => ids.next();
  try {
    const world = await new Rigs({ ...SMALL, seed, ...more }).run();
    const { log, steps, kills } = world;
    return { world, log, steps, kills, findings: await judgeRigs(world) };
  } finally {
    Math.random = random;
  }
}

export const SCENES: Readonly<Record<SceneName, Scene>> = {
  safety: { play: (seed, plant) => playHearings(historyOf(seed, 'safety'), plant), plants: SEEN.hearings, most: 500 },
  liveness: { play: (seed, plant) => playHearings(historyOf(seed, 'liveness'), plant), plants: {}, most: 0 },
  chain: { play: playChain, plants: SEEN.chain, most: 150 },
  alerts: { play: playAlerts, plants: SEEN.alerts, most: 400 },
  ears: { play: playEars, plants: SEEN.ears, most: 150 },
  rigs: { play: (seed, plant) => playRigs(seed, { plant }), plants: SEEN.rigs, most: 20 },
};

/** Many histories added up. */
export interface Tally {
  runs: number;
  steps: number;
  kills: number;
  signalled: number;
  deaf: number;
  late: number;
  readonly verdicts: Record<string, number>;
  /** Seeds with findings, the first few, with what happened there in lines. */
  readonly failures: { readonly seed: number; readonly scene: SceneName; readonly findings: readonly string[] }[];
}

const MAX_FAILURES = 5;

/** How often each verdict was told, and how many agents were signalled. */
export function countsOf(log: Log): Pick<Tally, 'verdicts' | 'signalled'> {
  const verdicts: Record<string, number> = {};
  for (const { verdict } of of(log, 'told')) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  return { verdicts, signalled: new Set(of(log, 'signalled').map(({ life }) => life)).size };
}

export const emptyTally = (): Tally => ({
  runs: 0,
  steps: 0,
  kills: 0,
  signalled: 0,
  deaf: 0,
  late: 0,
  verdicts: {},
  failures: [],
});

export function merge(tally: Tally, other: Tally): void {
  for (const key of ['runs', 'steps', 'kills', 'signalled', 'deaf', 'late'] as const) tally[key] += other[key];
  for (const [verdict, count] of Object.entries(other.verdicts))
    tally.verdicts[verdict] = (tally.verdicts[verdict] ?? 0) + count;
  tally.failures.push(...other.failures.slice(0, MAX_FAILURES - tally.failures.length));
}

/** Plays so many seeds one after the other, each in the next one of these scenes. */
export async function playMany(first: number, runs: number, scenes: readonly SceneName[]): Promise<Tally> {
  const tally = emptyTally();
  for (let seed = first; seed < first + runs; seed += 1) {
    const scene = scenes[seed % scenes.length];
    if (scene === undefined) throw new Error('no scene');
    const { log, findings, steps, kills, deaf = 0, late = 0 } = await SCENES[scene].play(seed);
    const failures = findings.length === 0 ? [] : [{ seed, scene, findings }];
    merge(tally, { runs: 1, steps, kills, deaf, late, ...countsOf(log), failures });
  }
  return tally;
}
