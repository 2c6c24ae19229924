/**
 * The stage: a temporary root with its town.toml, the numbers of a demo, the programs, a tmux socket of its own. Owns all of it and its removal.
 * 1. Nothing of the user's is read or written: HOME is a folder of the stage, variables of other towns are dropped.
 * 2. The town is driven by its own command only, each in a process group of its own: Ctrl-C is for the demo to answer.
 * 3. It is struck in every case: by the demo, or by its heir when the demo is killed.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NUMBERS } from '../config/numbers.ts';
import type { Player } from './cast.ts';
import { runTown } from './command.ts';
import { appointHeir } from './heir.ts';
import { gitIn, type GitOf } from './repository.ts';
import { openRig, program, rigConfig, rigEnd, type Opened, type RigEnd } from './rig.ts';
import { boardsOf, strike, type Boards } from './strike.ts';
import { configOf, numbersOf } from './times.ts';

export interface Stage extends Pick<Boards, 'root' | 'disk' | 'processes' | 'command'> {
  /** Runs `town … --json` and resolves with its `data`. Rejects with `StageFailed` for an exit code that is not 0. */
  town(args: readonly string[]): Promise<unknown>;
  /** Starts a player's session in a folder of its own. Resolves with whether there is uncommitted work in it. */
  enter(player: Player): Promise<boolean>;
  /** A rig with work in it. Null where there is no git. */
  openRig(): Promise<Opened | null>;
  rigEnd(opened: Opened): Promise<RigEnd>;
  /** Ends all that was started. Resolves with what would not go, in words; empty = nothing is left. */
  strike(keep: boolean): Promise<string[]>;
}

/**
 * Builds it. `signal` ends every command that runs, but not the ones that strike it; `keep` is what becomes of the folder of a
 * demo that is killed.
 */
export function setStage(speed: number, signal: AbortSignal, keep: boolean): Stage {
  const root = mkdtempSync(join(tmpdir(), 'town-demo-'));
  const dismissHeir = appointHeir(root, keep);
  const boards = boardsOf(root);
  const { socket, home, env, command, disk, processes } = boards;
  mkdirSync(home);
  const git = gitIn(env);
  writeFileSync(join(root, 'town.toml'), [configOf(speed, socket), ...rigConfig(command), ''].join('\n'));
  const numbers = join(root, 'numbers.toml');
  writeFileSync(numbers, numbersOf(speed));
  const paced = { ...env, [NUMBERS]: numbers };
  const town = (args: readonly string[]): Promise<unknown> => runTown(command, args, { env: paced, cwd: root, signal });
  return {
    root,
    disk,
    processes,
    command,
    town,
    enter: async (player) => {
      const dir = join(root, 'work', player.name);
      mkdirSync(dir, { recursive: true });
      const hasWork = player.hasWork && (await leaveWork(dir, git));
      const words = ['bash', program(player.name), ...(player.callsTown ? command : [])];
      await town(['session', 'start', player.name, '--dir', dir, '--', ...words]);
      return hasWork;
    },
    openRig: () => openRig({ root, git, command, town }),
    rigEnd: (opened) => rigEnd(root, git, opened),
    strike: async (keeps) => {
      const left = await strike(boards, keeps);
      await dismissHeir();
      return left;
    },
  };
}

/** A commit, and an uncommitted file beside it: what an execution may not lose. False where there is no git. */
async function leaveWork(dir: string, git: GitOf): Promise<boolean> {
  if (!(await git.begin(dir))) return false;
  writeFileSync(join(dir, 'draft.txt'), 'This is not committed yet.\n');
  return true;
}
