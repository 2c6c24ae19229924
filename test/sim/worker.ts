/** One thread of the simulation: plays each share of seeds it is sent and posts the tally. */
import { parentPort } from 'node:worker_threads';
import { playMany, type SceneName } from './scenes.ts';

export interface Share {
  readonly first: number;
  readonly runs: number;
  readonly scenes: readonly SceneName[];
}

parentPort?.on('message', ({ first, runs, scenes }: Share) => {
  void playMany(first, runs, scenes).then((tally) => parentPort?.postMessage(tally));
});
