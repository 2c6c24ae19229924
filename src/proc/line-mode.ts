/**
 * How a terminal takes keys: `line` gathers and echoes lines itself, for every program; `secret` gathers them without a
 * sign, as for a password; `raw` hands every key on, and only the program knows what it does with it.
 */
import { listedEnvironment } from './environment.ts';

export type LineMode = 'line' | 'secret' | 'raw';

/** A process that hangs at a terminal is ended after so long, in ms; it asks the kernel one thing. */
const LIMIT_MS = 2_000;

/**
 * null = unknown. Opens the terminal for reading its settings only, from a process that cannot make it its controlling
 * terminal.
 */
export async function lineModeOf(tty: string): Promise<LineMode | null> {
  const { execa } = await import('execa');
  const flag = process.platform === 'linux' ? '-F' : '-f';
  const { stdout, exitCode } = await execa('stty', [flag, tty, '-a'], {
    reject: false,
    stdin: 'ignore',
    timeout: LIMIT_MS,
    env: { ...listedEnvironment('tool', process.env), LC_ALL: 'C' },
    extendEnv: false,
  });
  if (exitCode !== 0) return null;
  if (!/(?:^|\s)icanon\b/.test(stdout)) return 'raw';
  return /(?:^|\s)echo\b/.test(stdout) ? 'line' : 'secret';
}
