/** The pace of the simulation, by its own count. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Figure } from './figure.ts';

const RUNS = 2_000;

export function measureSimulation(): Promise<Figure[]> {
  const main = join(import.meta.dirname, '..', 'sim', 'main.ts');
  const { stdout, status } = spawnSync(process.execPath, [main, '--runs', String(RUNS)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout);
  const pace = Number(/([\d,.]+)\s*steps\/s/.exec(stdout)?.[1]?.replaceAll(',', '') ?? NaN);
  return Promise.resolve([
    { what: 'simulation', asked: '>= 20000 steps/s', measured: `${Math.round(pace)} steps/s`, isMet: pace >= 20_000 },
  ]);
}
