/**
 * An hour of random scenes: several real agents at once before one town, each led from scene to scene by chance that repeats, while
 * the town itself is killed now and then. The oracle compares what the town says with what the script and the model know.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Town } from '../../../src/client/connect.ts';
import { Chance } from '../../world/chance.ts';
import { install } from '../install.ts';
import { programOf } from '../programs.ts';
import { openStage } from '../stage.ts';
import { openTown, type BenchTown } from '../town.ts';
import { askedAt, comes, recover, rests, revive, Unplayable, type Play } from './acts.ts';
import { readingsOn } from './readings.ts';
import { argvOf, moveIn, type Resident } from './house.ts';
import { messagesOf } from './messages.ts';
import { JUDGED_MS, Oracle } from './oracle.ts';
import { SETTINGS, WITHIN } from './policy.ts';
import { HOUR } from './scenes.ts';
import { tableOf } from './table.ts';

export interface Hour {
  readonly agents: readonly string[];
  readonly minutes: number;
  readonly seed: number;
  /** Scenes that are drawn; absent = all. */
  readonly scenes?: readonly string[] | undefined;
  readonly say: (line: string) => void;
}

const MINUTE_MS = 60_000;
const GAP_MS = { least: 2_000, more: 12_000 };
/** Between two kills of the town. */
const KILLED_MS = { least: 150_000, more: 150_000 };
const FIRST = 'Begin with the plum tree.';

function draw(chance: Chance, id: string, played: Map<string, number>, wanted: readonly string[] | undefined): string {
  const from = Object.entries(HOUR).flatMap(([name, { weight, only, atMost = Infinity }]) => {
    const isOpen = (only?.includes(id) ?? true) && (played.get(name) ?? 0) < atMost && (wanted?.includes(name) ?? true);
    return isOpen ? Array.from({ length: weight }, () => name) : [];
  });
  const name = chance.oneOf(from);
  played.set(name, (played.get(name) ?? 0) + 1);
  return name;
}

interface Walk {
  readonly bench: BenchTown;
  readonly town: Town;
  readonly oracle: Oracle;
  readonly hour: Hour;
  readonly endAt: number;
}

async function walk(resident: Resident, nth: number, { bench, town, oracle, hour, endAt }: Walk): Promise<Played[]> {
  const chance = new Chance(hour.seed + nth);
  const all: Played[] = [];
  const marks: string[] = [];
  const counts = new Map<string, number>();
  const { name, stage } = resident;
  const base = { resident, oracle, town, bench, chance, marks } as const;
  const first: Play = { ...base, scene: 'start' };
  await comes('its first screen never came', WITHIN.startMs, () =>
    stage.program.ready.test(resident.actor.screen()) ? true : null,
  );
  await comes('its first prompt never came', WITHIN.startMs, () => askedAt(first, FIRST));
  await rests(first);
  while (Date.now() < endAt) {
    const scene = draw(chance, stage.program.id, counts, hour.scenes);
    const began = Date.now();
    try {
      await HOUR[scene]?.play({ ...base, scene });
      all.push({ agent: name, scene, isPlayed: true });
      hour.say(`  ${clock(began)} ${name} ${scene}, ${String(Math.round((Date.now() - began) / 1_000))} s`);
    } catch (error) {
      if (!(error instanceof Unplayable)) throw error;
      all.push({ agent: name, scene, isPlayed: false });
      hour.say(`? ${clock(began)} ${name} ${scene}: ${error.message}\n${screenOf(resident)}`);
      if (!(await isBack({ ...base, scene: 'after one that broke off' }))) {
        hour.say(`? ${clock(Date.now())} ${name} leaves the hour`);
        break;
      }
    }
    await pause(GAP_MS.least + chance.upTo(GAP_MS.more));
  }
  for (const mark of marks) {
    const times = resident.kept.said(stage.home).filter((line) => line.includes(mark)).length;
    if (times > 1) oracle.fault('twice', name, `${mark} was given ${String(times)} times`);
  }
  const begun = resident.kept.said(stage.home).filter((line) => line.includes(FIRST)).length;
  if (begun !== 1) oracle.fault('twice', name, `its first prompt was given ${String(begun)} times`);
  return all;
}

/** Brings it to rest, by a new life if nothing less does. */
async function isBack(play: Play): Promise<boolean> {
  for (const way of [recover, revive])
    try {
      await way(play);
      return true;
    } catch (error) {
      if (!(error instanceof Unplayable)) throw error;
    }
  return false;
}

const clock = (at: number): string => new Date(at).toISOString().slice(11, 19);

function screenOf({ actor }: Resident): string {
  try {
    return actor.screen();
  } catch (error) {
    return String(error);
  }
}

export interface Played {
  readonly agent: string;
  readonly scene: string;
  readonly isPlayed: boolean;
}

/** Kills the town with -9 now and then; its guard starts it again. */
async function killTowns({ town, oracle, hour, endAt }: Walk): Promise<void> {
  const chance = new Chance(-hour.seed);
  for (;;) {
    const restMs = KILLED_MS.least + chance.upTo(KILLED_MS.more);
    if (Date.now() + restMs + WITHIN.upAgainMs > endAt) return;
    await pause(restMs);
    const { pid } = await town.status();
    if (pid === null) continue;
    oracle.kills.push(Date.now());
    oracle.cause('town', ['town-fell', 'town-restarted']);
    process.kill(pid, 'SIGKILL');
    hour.say(`  ${clock(Date.now())} kill -9 of the town`);
  }
}

/** Every other one is a worker: its screen is read too, where its program tells no progress. */
const isWorker = (nth: number): boolean => nth % 2 === 1;

async function start(residents: readonly Resident[], town: BenchTown): Promise<void> {
  for (const [nth, resident] of residents.entries()) {
    const { stage } = resident;
    const variables = Object.entries(stage.env).map(([name, value]) => `${name}=${value}`);
    const words = ['env', ...variables, ...argvOf(resident), ...resident.kept.prompt(FIRST)];
    await town.startIn(resident.name, stage.dir, words, {
      restart: 'permanent',
      tags: isWorker(nth) ? ['worker'] : [],
    });
  }
}

/** 0 = nothing was missed and nothing was alerted, typed or ended without a cause. */
export async function playHour(hour: Hour): Promise<number> {
  const { say } = hour;
  const absent = (await Promise.all([...new Set(hour.agents)].map((id) => install(programOf(id))))).find(
    (why) => why !== null,
  );
  if (absent !== undefined) {
    say(absent);
    return 0;
  }
  say(
    `seed ${String(hour.seed)}, ${String(hour.minutes)} minutes, ${hour.agents.join(', ')}; town.toml, shorter than in life:\n${SETTINGS}`,
  );
  const stage = await openStage(programOf(hour.agents[0] ?? 'claude'), 'lived');
  try {
    const readings = readingsOn(stage);
    const residents = await Promise.all(
      hour.agents.map((id, at) => moveIn(stage, programOf(id), at, `${id}${String(at + 1)}`)),
    );
    const bench = await openTown(stage, SETTINGS, readings.path, true);
    const town = await connect({ root: bench.root });
    const oracle = new Oracle(town, say);
    const looking = oracle.begin();
    readings.watch(oracle.signal);
    const messages = messagesOf(bench, oracle.signal);
    const walking = { bench, town, oracle, hour, endAt: Date.now() + hour.minutes * MINUTE_MS };
    await start(residents, bench);
    const killing = killTowns(walking);
    const played = (await Promise.all(residents.map((resident, at) => walk(resident, at, walking)))).flat();
    await killing;
    await pause(JUDGED_MS);
    oracle.end();
    await looking;
    const [workers = [], others = []] = [true, false].map((is) =>
      residents.flatMap(({ name }, nth) => (isWorker(nth) === is ? [name] : [])),
    );
    const told = await messages.judge(oracle, workers);
    say(`\n${tableOf(played, oracle)}`);
    say(`screens read: ${String(readings.judge(oracle, others))}; messages to an orchestrator: ${told}`);
    for (const { at, agent, kind, text } of oracle.faults) say(`${clock(at)} ${kind}: ${agent}: ${text}`);
    return oracle.faults.length === 0 ? 0 : 1;
  } finally {
    await stage.close();
  }
}
