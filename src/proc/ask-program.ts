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

/** What it said, and whether it ended well; one that is not there, or was slower than `limitMs`, did not. */
export const askProgram = ([program = '', ...words]: readonly string[], limitMs: number): Promise<Answered> =>
  new Promise((resolve) => {
    execFile(program, words, { timeout: limitMs }, (error, stdout, stderr) => {
      const says = `${stdout}${stderr}`.trim() || (error?.message ?? '');
      const exit = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ ok: error === null, exit, out: stdout, says: says.replaceAll('\n', ' ') });
    });
  });
