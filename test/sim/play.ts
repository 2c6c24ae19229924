/** Plays one seed and says what came of it: the smallest unit that threads, tests and the command line share. */
import { historyOf, type History, type Mode } from './history.ts';
import { judgeMail } from './oracle-mail.ts';
import { judge, type Rules } from './oracle.ts';
import { SIM_POLICY } from './policy.ts';
import { promptnessOf } from './promptness.ts';
import { Hearings, type Ran } from './hearings.ts';
import { traceOf } from './log.ts';
import type { Plant } from './plants.ts';

/** What comes on top of the windows of a deaf target: questions, looks, the rescue; a tenth of the town's 20 s. */
const ON_TOP_MS = 2_000;

export interface Played {
  readonly seed: number;
  readonly mode: Mode;
  readonly steps: number;
  readonly crashes: number;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly kills: number;
  readonly deaf: number;
  readonly late: number;
  /** What the oracle found; empty = all is well. */
  readonly findings: readonly string[];
}

/** The numbers of the promises, written down anew: the oracle believes no policy but the one of the documents, scaled. */
const rulesOf = ({ poolSizes, pardonOn }: History): Rules => ({
  windowsMs: [6_000, 12_000, 24_000],
  creditMs: 1_500,
  lookStaleMs: 5_000,
  poolSizes,
  evidencePardons: pardonOn === 'evidence',
  seenWithinMs: SIM_POLICY.dance.readWarrantsEveryMs + 1_000,
});

/** The history of a seed, or one made by hand. */
export const play = (seed: number, mode: Mode, plant: Plant | null = null): Promise<Played & { ran: Ran }> =>
  playHistory(historyOf(seed, mode), plant);

export async function playHistory(history: History, plant: Plant | null = null): Promise<Played & { ran: Ran }> {
  const { seed, mode } = history;
  const ran = await new Hearings(history, plant).run();
  const rules = rulesOf(history);
  const findings = [...judge(ran.log, rules), ...judgeMail(ran.log, ran.files)];
  if (mode === 'liveness') for (const warrant of ran.open) findings.push(`${warrant} never came to an end`);
  const allowedMs = rules.windowsMs.reduce((sum, ms) => sum + ms) + ON_TOP_MS;
  const verdicts: Record<string, number> = {};
  const killed = new Set<string>();
  for (const entry of ran.log) {
    if (entry.what === 'told') verdicts[entry.verdict] = (verdicts[entry.verdict] ?? 0) + 1;
    if (entry.what === 'signalled') killed.add(entry.life);
  }
  const { deaf, late } = mode === 'liveness' ? promptnessOf(ran.log, allowedMs, history.calmAt) : { deaf: 0, late: 0 };
  const { steps, crashes } = ran;
  return { seed, mode, steps, crashes, verdicts, kills: killed.size, deaf, late, findings, ran };
}

/** The story of a seed as lines, its findings at the end. */
export async function tellStory(seed: number, mode: Mode): Promise<string> {
  const { ran, findings } = await play(seed, mode);
  return [traceOf(ran.log), ...findings.map((finding) => `FOUND ${finding}`)].join('\n');
}
