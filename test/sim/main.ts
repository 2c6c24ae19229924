/**
 * `npm run sim -- --runs N [--seed S] [--scene NAME]`: plays random histories and prints what came of them.
 * Exit 1 with seed and trace when an oracle finds anything, or when deaf targets end too late too often.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { wordsGiven } from '../../scripts/usage.ts';
import { traceOf } from './log.ts';
import { emptyTally, merge, SCENE_NAMES, SCENES, type SceneName, type Tally } from './scenes.ts';
import type { Share } from './worker.ts';

const THREADS = 2;
/** Seeds of one share: small enough that no thread waits long for the other. */
const SHARE = 250;
/** At least so many of the deaf end in time. */
const MIN_IN_TIME = 0.99;
const PRIME = 1_000_003;

const USAGE = `npm run sim -- [--runs N] [--seed S] [--scene ${SCENE_NAMES.join('|')}]

Plays N random histories of a town in virtual time (1000), from seed S on (drawn by the clock), and prints what came of
them. Exit 1 with seed and trace if one breaks a rule.

Scenes: safety (hearings, faults to the end) and liveness (hearings, all comes to its end), in turn where none is given;
chain (the watchdog chain), alerts (troubles that come and go), ears (limits, logins, dialogs, sources that lie),
rigs (two days of work in a repository).

In the tests, SIM_KILLS=all kills the town of alerts and rigs at every step: SIM_KILLS=all npm run test:all -- test/sim`;

interface Wish {
  readonly runs: number;
  readonly seed: number;
  readonly scenes: readonly SceneName[];
}

function wishOf(): Wish | string {
  const { values } = wordsGiven(USAGE, {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % PRIME) },
    scene: { type: 'string' },
  });
  const [runs, seed] = [Number(values.runs), Number(values.seed)];
  if (!Number.isSafeInteger(runs) || runs < 1) return `--runs must be a whole number from 1, got "${values.runs}".`;
  if (!Number.isSafeInteger(seed) || seed < 0) return `--seed must be a whole number from 0, got "${values.seed}".`;
  const scene = SCENE_NAMES.find((name) => name === values.scene);
  if (values.scene !== undefined && scene === undefined)
    return `--scene must be one of ${SCENE_NAMES.join(', ')}, got "${values.scene}".`;
  return { runs, seed, scenes: scene === undefined ? ['safety', 'liveness'] : [scene] };
}

async function workOff(thread: Worker, share: Share): Promise<Tally> {
  thread.postMessage(share);
  const [tally] = (await once(thread, 'message')) as [Tally];
  return tally;
}

async function playAll({ runs, seed, scenes }: Wish): Promise<Tally> {
  const tally = emptyTally();
  const share = Math.min(SHARE, Math.ceil(runs / THREADS));
  let next = seed;
  const work = async (): Promise<void> => {
    const thread = new Worker(new URL('./worker.ts', import.meta.url));
    while (next < seed + runs && tally.failures.length === 0) {
      const first = next;
      next += share;
      merge(tally, await workOff(thread, { first, runs: Math.min(share, seed + runs - first), scenes }));
    }
    await thread.terminate();
  };
  await Promise.all(Array.from({ length: THREADS }, work));
  return tally;
}

function report({ seed, scenes }: Wish, tally: Tally, ms: number): string {
  const verdicts = Object.entries(tally.verdicts).sort(([a], [b]) => (a < b ? -1 : 1));
  const inTime = tally.deaf === 0 ? 1 : 1 - tally.late / tally.deaf;
  return [
    `seed ${seed}, ${scenes.join(' and ')}`,
    `${tally.runs} histories, ${tally.steps} steps in ${(ms / 1_000).toFixed(1)} s: ${Math.round((tally.steps / ms) * 1_000)} steps/s`,
    `${tally.kills} kills of the town, ${tally.signalled} agents signalled`,
    `verdicts: ${verdicts.map(([verdict, count]) => `${verdict} ${count}`).join(', ')}`,
    `deaf targets heard after the faults: ${tally.deaf}, ended in time: ${(100 * inTime).toFixed(2)} %`,
  ].join('\n');
}

async function main(): Promise<number> {
  process.env['NODE_ENV'] ??= 'production'; // XState's development build checks on every step
  const wish = wishOf();
  if (typeof wish === 'string') {
    process.stderr.write(`${wish}\n`);
    return 2;
  }
  process.stdout.write(`seed ${wish.seed}\n`);
  const began = performance.now();
  const tally = await playAll(wish);
  process.stdout.write(`${report(wish, tally, performance.now() - began)}\n`);
  for (const { seed, scene, findings } of tally.failures)
    process.stdout.write(
      `FAILED --seed ${seed} --scene ${scene} --runs 1\n${findings.map((one) => `  ${one}`).join('\n')}\n`,
    );
  const [first] = tally.failures;
  if (first !== undefined) {
    process.stdout.write(`${traceOf((await SCENES[first.scene].play(first.seed)).log)}\n`);
    return 1;
  }
  if (tally.late > tally.deaf * (1 - MIN_IN_TIME)) {
    process.stdout.write(`FAILED: ${tally.late} of ${tally.deaf} deaf targets ended late\n`);
    return 1;
  }
  process.stdout.write('no violation\n');
  return 0;
}

process.exitCode = await main();
