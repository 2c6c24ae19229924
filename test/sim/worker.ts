/** One thread of the simulation: plays each share of seeds it is sent and posts the tally. */
import { parentPort } from 'node:worker_threads';
import type { Mode } from './history.ts';
import { playMany } from './tally.ts';

export interface Share {
  readonly first: number;
  readonly runs: number;
  readonly mode: Mode | null;
}

parentPort?.on('message', ({ first, runs, mode }: Share) => {
  void playMany(first, runs, mode).then((tally) => parentPort?.postMessage(tally));
});
