/** The demo as a child of a test, with a temporary folder of its own in which nothing may be left. */
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { scrubbedEnvironment } from '../../src/proc/environment.ts';
import { MAIN } from '../cli/town.ts';
import { freshFolder } from '../world/over.ts';

const run = (args: readonly string[], env: Record<string, string>) =>
  execa(process.execPath, [MAIN, 'demo', ...args], { env, extendEnv: false, reject: false });

export interface Theatre {
  /** Its TMPDIR. */
  readonly dir: string;
  readonly env: Record<string, string>;
  /** The demo as words of a command line. */
  readonly command: readonly string[];
  /** Runs it with a pipe for stdout. */
  play(args: readonly string[], path?: string): ReturnType<typeof run>;
  /** Names in its TMPDIR, and every process whose words or environment speak of it: the command line with what follows. */
  left(): Promise<string[]>;
  /** A folder with these programs, to be a PATH or a part of one. */
  bin(name: string, programs: Readonly<Record<string, string>>): string;
}

export function theatre(): Theatre {
  const base = freshFolder();
  const dir = join(base, 'tmp');
  mkdirSync(dir);
  const { npm_command: _, ...own } = scrubbedEnvironment(process.env);
  const env: Record<string, string> = { ...own, TMPDIR: dir, LC_ALL: 'C.UTF-8' };
  const command = [process.execPath, MAIN, 'demo'];
  return {
    dir,
    env,
    command,
    play: (args, path = env['PATH'] ?? '') => run(args, { ...env, PATH: path }),
    left: async () => {
      const withEnvironment = process.platform === 'darwin' ? ['-axEww', '-o', 'command'] : ['axeww', '-o', 'args'];
      const { stdout } = await execa('ps', withEnvironment);
      return [...readdirSync(dir), ...stdout.split('\n').filter((line) => line.includes(`${dir}/`))];
    },
    bin: (name, programs) => {
      const bin = join(base, name);
      mkdirSync(bin);
      for (const [program, content] of Object.entries(programs)) {
        const path = join(bin, program);
        if (content.startsWith('/')) symlinkSync(content, path);
        else writeFileSync(path, content);
        if (!content.startsWith('/')) chmodSync(path, 0o755);
      }
      return bin;
    },
  };
}
