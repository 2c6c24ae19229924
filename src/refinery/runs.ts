/** Runs a command of the person on a polecat's work: the test of a merge, the opening of a pull request, a `done_check`. */
import { fingerprint } from '../../state/files/checksum.ts';
import { agentEnvironment } from '../proc/environment.ts';
import { endMarked, runMarked, type RunEnded, type RunWanted } from '../proc/marked-run.ts';
import { REFINERY } from './policy.ts';

const MARK = 'TOWN_REFINERY_RUN';

export interface Runs {
  /** Absolute. */
  readonly root: string;
  /** Whose runs they are: a rig, or a polecat as `<rig>/<name>`. */
  readonly of: string;
  readonly processes: RunWanted['processes'];
  readonly cancelled: AbortSignal;
}

/** The same for each run: so the next one finds what a killed one left. */
const markOf = ({ root, of }: Pick<Runs, 'root' | 'of'>) => ({ name: MARK, id: fingerprint(`${root}\n${of}`) });

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

/** Ends what an earlier run started and was killed before it could end it. How many processes that were. */
export const endLeft = (runs: Pick<Runs, 'root' | 'of' | 'processes'>): Promise<number> =>
  endMarked(markOf(runs), { processes: runs.processes, policy: REFINERY });
