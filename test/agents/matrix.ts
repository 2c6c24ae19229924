/** Each agent in each scene, accused before a real town: the verdict that came beside those that are right. */
import { setTimeout as pause } from 'node:timers/promises';
import { actorOn, type Actor } from './actor.ts';
import { install } from './install.ts';
import type { Program } from './program.ts';
import { hasArrived } from './relayed.ts';
import { SCENES, type Scene } from './scenes.ts';
import { openStage, type Stage } from './stage.ts';
import { openTown, type BenchTown, type Verdict } from './town.ts';

const SESSION = 'shop';
const START_MS = 120_000;
/** For an agent that is at a turn, or shows late what was typed. */
const RELAY_MS = 40_000;
const BENCH_FAILED = 'the bench failed';

export interface Pace {
  /** Of town.toml. */
  readonly settings: string;
  /** By then every hearing has its verdict. */
  readonly verdictMs: number;
}

const DEFAULT_WINDOWS_MS = 420_000;
export const PACES = {
  short: {
    settings: '[dance]\nwindows = ["12s", "12s", "12s"]\nundeliverable = "25s"\nretry = "2s"\n[nudge]\nevery = "1s"\n',
    verdictMs: 150_000,
  },
  /** A person decides after half an hour; here after three minutes, which changes no other verdict. */
  real: { settings: '[dance]\nundeliverable = "3m"\n[nudge]\nevery = "1s"\n', verdictMs: DEFAULT_WINDOWS_MS + 240_000 },
} satisfies Record<string, Pace>;

export interface Cell {
  readonly agent: string;
  readonly version: string;
  readonly scene: string;
  readonly expected: string;
  readonly got: string;
  readonly reason: string;
  /** What else went wrong: a draft submitted, a dialog answered, a process left. */
  readonly wrong: string | null;
  readonly isRight: boolean;
  readonly seconds: number;
}

export interface Matrix {
  readonly programs: readonly Program[];
  readonly scenes: readonly string[];
  readonly pace: Pace;
  /** Cells at once. */
  readonly jobs: number;
  readonly say: (line: string) => void;
}

/** Null = a program is not to be had; why was said. */
export async function playMatrix(matrix: Matrix): Promise<Cell[] | null> {
  for (const program of matrix.programs) {
    const why = await install(program);
    if (why === null) continue;
    matrix.say(why);
    return null;
  }
  const wanted = matrix.programs.flatMap((program) =>
    matrix.scenes.flatMap((name) => {
      const scene = SCENES[name];
      const isPlayed = (program.only?.scenes.includes(name) ?? true) && scene?.without?.includes(program.id) !== true;
      return scene === undefined || !isPlayed ? [] : [{ program, name, scene }];
    }),
  );
  const cells: Cell[] = [];
  const work = async () => {
    for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
      const cell = await playCell(next.program, next.name, next.scene, matrix.pace);
      cells.push(cell);
      matrix.say(lineOf(cell));
    }
  };
  await Promise.all(Array.from({ length: matrix.jobs }, work));
  return cells;
}

/** What must never happen, however slow the machine is: an agent ended that should not be, or something that `wrong` tells. */
export const isHarm = ({ wrong, got, expected }: Cell): boolean =>
  (wrong !== null && !wrong.startsWith(BENCH_FAILED)) || (got === 'executed' && !expected.includes('executed'));

async function playCell(program: Program, name: string, scene: Scene, pace: Pace): Promise<Cell> {
  const began = Date.now();
  let judged: Verdict = { verdict: 'none', reason: '' };
  let wrong: string | null;
  try {
    const stage = await openStage(program, scene.variant);
    try {
      [judged, wrong] = await hear(stage, scene, pace);
    } finally {
      await stage.close();
    }
  } catch (error) {
    wrong = `${BENCH_FAILED}: ${String(error).split('\n')[0] ?? ''}`;
  }
  const right = scene.unseen?.includes(program.id) === true ? [...scene.right, 'escalated'] : scene.right;
  const isBecause = judged.verdict !== 'pardoned' || (scene.because?.test(judged.reason) ?? true);
  return {
    agent: program.id,
    version: program.version,
    scene: name,
    expected: right.join('|'),
    got: judged.verdict,
    reason: judged.reason,
    wrong,
    isRight: wrong === null && right.includes(judged.verdict) && isBecause,
    seconds: Math.round((Date.now() - began) / 1_000),
  };
}

async function hear(stage: Stage, scene: Scene, pace: Pace): Promise<[Verdict, string | null]> {
  stage.health(scene.health);
  const town = await openTown(stage, pace.settings);
  const command = stage.program.argv(scene.variant ?? 'ready');
  const shim = ['sh', '-c', '"$@"; exit $?', 'shim', ...command];
  await town.start(SESSION, scene.shim === true ? shim : command);
  const actor = actorOn(stage, SESSION);
  const first = { untrusted: stage.program.trust, keyless: stage.program.login };
  const words =
    (scene.variant === 'untrusted' || scene.variant === 'keyless' ? first[scene.variant] : null) ?? stage.program.ready;
  if (!(await actor.sees(words, START_MS)))
    throw new Error(`its first screen never came: ${actor.screen().trim().slice(-200)}`);
  await actor.settles(10_000);
  await scene.play?.(actor);
  for (const text of scene.relayed ?? []) await relay(town, actor, text);
  const verdict = await town.judge(SESSION, pace.verdictMs, scene.unheard ?? false);
  await pause(1_000);
  const left = verdict.verdict === 'executed' ? leftOf(stage) : null;
  return [verdict, (await scene.wrong?.(actor, verdict)) ?? left];
}

/** A text that does not arrive is left for `wrong` to report. */
async function relay(town: BenchTown, actor: Actor, text: string): Promise<void> {
  await town.relay(SESSION, text, RELAY_MS);
  for (const end = Date.now() + RELAY_MS; Date.now() < end && !hasArrived(actor.stage.log(), text);) await pause(500);
  await actor.settles(10_000);
}

/** Who still lives on the stage of an agent that was ended; a daemon that others share does not count. */
function leftOf(stage: Stage): string | null {
  const left = stage
    .inhabitants()
    .filter(({ command }) => !/model\/main\.ts|^tmux|^sleep \d+$|app-server/.test(command));
  return left.length === 0 ? null : `left: ${left.map(({ command }) => command.slice(0, 60)).join(', ')}`;
}

const lineOf = (cell: Cell): string =>
  [
    cell.isRight ? ' ' : '!',
    cell.agent.padEnd(8),
    cell.scene.padEnd(10),
    cell.expected.padEnd(23),
    cell.got.padEnd(9),
    `${cell.seconds}s`.padStart(5),
    ` ${cell.reason}`,
    cell.wrong === null ? '' : ` – ${cell.wrong}`,
  ].join(' ');
