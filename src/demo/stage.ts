/**
 * The stage: a temporary root with its town.toml, the programs, a tmux socket of its own. Owns all of it and its removal.
 * 1. Nothing of the user's is read or written: HOME is a folder of the stage, variables of other towns are dropped.
 * 2. The town is driven by its own command only, each in a process group of its own: Ctrl-C is for the demo to answer.
 * 3. It is struck in every case: by the demo, or by its heir when the demo is killed.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { Disk } from '../../state/files/disk.ts';
import type { Processes } from '../ports/ports.ts';
import type { Player } from './cast.ts';
import { runTown, StageFailed } from './command.ts';
import { appointHeir } from './heir.ts';
import { boardsOf, strike } from './strike.ts';
import { configOf } from './times.ts';

export interface Stage {
  readonly root: string;
  readonly disk: Disk;
  readonly processes: Processes;
  /** The town's command as words. */
  readonly command: readonly string[];
  /** Runs `town … --json` and resolves with its `data`. Rejects with `StageFailed` for an exit code that is not expected. */
  town(args: readonly string[], exits?: readonly number[]): Promise<unknown>;
  /** Starts a player's session in a folder of its own. Resolves with whether there is uncommitted work in it. */
  enter(player: Player): Promise<boolean>;
  /** Ends all that was started. Resolves with what would not go, in words; empty = nothing is left. */
  strike(keep: boolean): Promise<string[]>;
}

/**
 * Builds it. `signal` ends every command that runs, but not the ones that strike it; `keep` is what becomes of the folder of a
 * demo that is killed.
 */
export function setStage(speed: number, signal: AbortSignal, keep: boolean): Stage {
  const root = mkdtempSync(join(tmpdir(), 'town-demo-'));
  const heir = appointHeir(root, keep);
  const boards = boardsOf(root);
  const { socket, home, env, command, disk, processes } = boards;
  mkdirSync(home);
  writeFileSync(join(root, 'town.toml'), configOf(speed, socket));
  const town = (args: readonly string[], exits: readonly number[] = [0]): Promise<unknown> =>
    runTown(command, args, { env, exits, cwd: root, signal });
  return {
    root,
    disk,
    processes,
    command,
    town,
    enter: async (player) => {
      const dir = join(root, 'work', player.name);
      mkdirSync(dir, { recursive: true });
      const hasWork = player.hasWork && (await leaveWork(dir, env));
      const program = fileURLToPath(new URL(`./agents/${player.name}`, import.meta.url));
      const words = ['bash', program, ...(player.callsTown ? command : [])];
      await town(['session', 'start', player.name, '--dir', dir, '--', ...words]);
      return hasWork;
    },
    strike: async (keeps) => {
      const left = await strike(boards, keeps);
      await heir.dismiss();
      return left;
    },
  };
}

/** A commit, and an uncommitted file beside it: what an execution may not lose. False where there is no git. */
async function leaveWork(dir: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const git = (...args: string[]) => execa('git', args, { env, extendEnv: false, cwd: dir });
  const author = ['-c', 'user.name=demo', '-c', 'user.email=demo@localhost'];
  const begun = await execa('git', ['init', '-q'], { env, extendEnv: false, cwd: dir, reject: false });
  if (begun.code === 'ENOENT') return false;
  if (begun.failed) throw new StageFailed(`git made no repository in ${dir}: ${begun.stderr}`);
  await git(...author, 'commit', '-q', '--allow-empty', '-m', 'Begin');
  writeFileSync(join(dir, 'draft.txt'), 'Nobody has committed this yet.\n');
  return true;
}
