/** Many histories added up. */
import type { Mode } from './history.ts';
import { play, type Played } from './play.ts';

export interface Tally {
  runs: number;
  steps: number;
  crashes: number;
  kills: number;
  deaf: number;
  late: number;
  readonly verdicts: Record<string, number>;
  /** Seeds with findings, the first few. */
  readonly failures: { readonly seed: number; readonly mode: Mode; readonly findings: readonly string[] }[];
}

const MAX_FAILURES = 5;

export const emptyTally = (): Tally => ({
  runs: 0,
  steps: 0,
  crashes: 0,
  kills: 0,
  deaf: 0,
  late: 0,
  verdicts: {},
  failures: [],
});

function add(tally: Tally, played: Omit<Played, 'seed' | 'mode' | 'findings'> & { runs: number }): void {
  tally.runs += played.runs;
  for (const key of ['steps', 'crashes', 'kills', 'deaf', 'late'] as const) tally[key] += played[key];
  for (const [verdict, count] of Object.entries(played.verdicts))
    tally.verdicts[verdict] = (tally.verdicts[verdict] ?? 0) + count;
}

export function merge(tally: Tally, other: Tally): void {
  add(tally, other);
  tally.failures.push(...other.failures.slice(0, MAX_FAILURES - tally.failures.length));
}

/** Plays so many seeds one after the other; every second one in the other mode when no mode is given. */
export async function playMany(first: number, runs: number, mode: Mode | null): Promise<Tally> {
  const tally = emptyTally();
  for (let seed = first; seed < first + runs; seed++) {
    const chosen = mode ?? (seed % 2 === 0 ? 'safety' : 'liveness');
    const { findings, ...played } = await play(seed, chosen);
    add(tally, { ...played, runs: 1 });
    if (findings.length > 0 && tally.failures.length < MAX_FAILURES)
      tally.failures.push({ seed, mode: chosen, findings });
  }
  return tally;
}
