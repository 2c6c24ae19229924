/** Turns of git: how many run at once, for all callers. One that is handed on has a shell, so that many calls start few programs from Node. */
import { orNull } from '../../state/files/or-null.ts';
import { GIT } from './policy.ts';
import { GitShell } from './shell.ts';
import { startGit, type Ended, type Start } from './start.ts';

export class Turn {
  #shell: GitShell | null = null;
  isHandedOn = false;

  /** Never rejects. */
  async start(args: readonly string[], start: Start): Promise<Ended> {
    return (await this.#byShell(args, start)) ?? startGit(args, start);
  }

  end(): void {
    this.#shell?.close();
  }

  /** null = that git is to be started by Node. */
  async #byShell(args: readonly string[], start: Start): Promise<Ended | null> {
    const { cwd, env, input, onlyReads = false, signal } = start;
    const isFit = onlyReads && input === '' && signal?.aborted !== true;
    if (!this.isHandedOn || !isFit || [cwd, ...args, ...Object.values(env)].some((word) => word.includes('\0')))
      return null;
    // Where no more files may be open there is none.
    if (this.#shell === null || this.#shell.isOver) this.#shell = orNull(() => new GitShell());
    return this.#shell?.run(args, start) ?? null;
  }
}

/** Those that wait for a turn. */
const waiting: ((turn: Turn) => void)[] = [];
let underWay = 0;

export async function inTurn<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
  const turn = underWay >= GIT.maxAtOnce ? await new Promise<Turn>((resolve) => waiting.push(resolve)) : newTurn();
  try {
    return await work(turn);
  } finally {
    const next = waiting.shift();
    if (next === undefined) endTurn(turn);
    else {
      turn.isHandedOn = true;
      next(turn);
    }
  }
}

function newTurn(): Turn {
  underWay += 1;
  return new Turn();
}

function endTurn(turn: Turn): void {
  underWay -= 1;
  turn.end();
}
