/** Pace and findings of the simulation, by its own count. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { figure, type Figure } from './figure.ts';

const RUNS = 10_000;
const MAX_S = 60;
const FINDING = /^FAILED --seed/gm;
/** Percent of the deaf that end within their observable time. */
const MIN_IN_TIME = 99;

export function measureSimulation(): Promise<Figure[]> {
  const main = join(import.meta.dirname, '..', 'sim', 'main.ts');
  const { stdout, status } = spawnSync(process.execPath, [main, '--runs', String(RUNS)], { encoding: 'utf8' });
  if (status !== 0 && status !== 1) throw new Error(stdout); // 1 = it found something, and says so
  const number = (words: RegExp): number => Number(words.exec(stdout)?.[1]?.replaceAll(',', '') ?? NaN);
  const pace = number(/([\d,.]+)\s*steps\/s/);
  const inTime = number(/ended in time: ([\d.]+) %/);
  return Promise.resolve([
    { what: 'simulation', asked: '>= 20000 steps/s', measured: `${Math.round(pace)} steps/s`, isMet: pace >= 20_000 },
    figure(`… ${RUNS} histories`, number(/ steps in ([\d.]+) s/), MAX_S, 's'),
    figure('… with a kill of an agent that answered, or another finding', stdout.match(FINDING)?.length ?? 0, 0, ''),
    {
      what: '… deaf agents that ended within their observable time',
      asked: `>= ${MIN_IN_TIME} %`,
      measured: `${inTime} %`,
      isMet: inTime >= MIN_IN_TIME,
    },
  ]);
}
