/** Asks a program of the system, such as `systemctl`, one thing. */
import { execFile } from 'node:child_process';

export interface Answered {
  readonly ok: boolean;
  /** null = it was not there, or was ended. */
  readonly exit: number | null;
  /** What it printed. */
  readonly out: string;
  /** That and its complaints, in one line. */
  readonly says: string;
}

/**
 * What it said, and whether it ended well; one that is not there, or was slower than `limitMs`, did not. `input`: what it reads; words
 * of a command are seen by everyone on the machine.
 */
export const askProgram = (
  [program = '', ...words]: readonly string[],
  limitMs: number,
  input = '',
): Promise<Answered> =>
  new Promise((resolve) => {
    const { stdin } = execFile(program, words, { timeout: limitMs }, (error, stdout, stderr) => {
      const says = `${stdout}${stderr}`.trim() || (error?.message ?? '');
      const exit = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ ok: error === null, exit, out: stdout, says: says.replaceAll('\n', ' ') });
    });
    // One that ended without reading it is judged by how it ended.
    stdin?.on('error', () => undefined).end(input);
  });
