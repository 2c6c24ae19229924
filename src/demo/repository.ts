/** Git as the demo has it: in the stage's own environment, with an author of its own. */
import { execa } from 'execa';
import { StageFailed } from './command.ts';

export interface GitOf {
  /** Resolves with what it printed; rejects where it failed. */
  (dir: string, ...args: readonly string[]): Promise<string>;
  /** A repository with one commit. False where there is no git. */
  begin(dir: string): Promise<boolean>;
}

const AUTHOR = ['-c', 'user.name=demo', '-c', 'user.email=demo@localhost'];

export function gitIn(env: Readonly<Record<string, string>>): GitOf {
  const git = async (dir: string, ...args: readonly string[]): Promise<string> =>
    (await execa('git', [...AUTHOR, ...args], { env, extendEnv: false, cwd: dir })).stdout;
  const begin = async (dir: string): Promise<boolean> => {
    const begun = await execa('git', ['init', '-q', '-b', 'main'], { env, extendEnv: false, cwd: dir, reject: false });
    if (begun.code === 'ENOENT') return false;
    if (begun.failed) throw new StageFailed(`git made no repository in ${dir}: ${begun.stderr}`);
    await git(dir, 'commit', '-q', '--allow-empty', '-m', 'Begin');
    return true;
  };
  return Object.assign(git, { begin });
}
