/** Runs a command of the person in the refinery's worktree: the test of a merge, or the opening of a pull request. */
import { fingerprint } from '../../state/files/checksum.ts';
import { agentEnvironment } from '../proc/environment.ts';
import { endMarked, runMarked, type RunEnded, type RunWanted } from '../proc/marked-run.ts';
import { REFINERY } from './policy.ts';

const MARK = 'TOWN_REFINERY_RUN';

export interface Runs {
  /** Absolute. */
  readonly root: string;
  readonly rig: string;
  readonly processes: RunWanted['processes'];
  readonly cancelled: AbortSignal;
}

/** The same for each run of a rig's refinery: so the next one finds what a killed one left. */
const markOf = ({ root, rig }: Pick<Runs, 'root' | 'rig'>) => ({ name: MARK, id: fingerprint(`${root}\n${rig}`) });

/** A session's mark, by which the town finds its processes. */
const kept = (): Record<string, string> => {
  const life = process.env['TOWN_INCARNATION'];
  return life === undefined ? {} : { TOWN_INCARNATION: life };
};

export interface Command {
  readonly words: readonly string[];
  readonly dir: string;
  readonly limitMs: number;
  /** Further variables. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * It runs the branch's own code: its token belongs to no session, so that it speaks neither as the refinery nor as the operator. What it
 * leaves behind is ended.
 */
export const run = (runs: Runs, { words, dir, limitMs, env }: Command): Promise<RunEnded> =>
  runMarked({
    mark: markOf(runs),
    command: words,
    dir,
    env: { ...agentEnvironment(process.env), ...kept(), TOWN_ROOT: runs.root, TOWN_TOKEN: 'none', ...env },
    deadlineMs: limitMs,
    cancelled: runs.cancelled,
    policy: REFINERY,
    processes: runs.processes,
  });

/** Ends what an earlier refinery of the rig started and was killed before it could end it. How many processes that were. */
export const endLeft = (runs: Pick<Runs, 'root' | 'rig' | 'processes'>): Promise<number> =>
  endMarked(markOf(runs), { processes: runs.processes, policy: REFINERY });

/** As a person typed it. */
export const commandText = (words: readonly string[]): string =>
  words.length === 3 && words[0] === '/bin/sh' && words[1] === '-c' ? (words[2] ?? '') : words.join(' ');
