/** Asks a program of the system, such as `systemctl`, one thing. */
import { execFile } from 'node:child_process';

/** What it said in one line, and whether it ended well; one that is not there, or was slower than `limitMs`, did not. */
export const askProgram = (
  [program = '', ...words]: readonly string[],
  limitMs: number,
): Promise<{ readonly ok: boolean; readonly says: string }> =>
  new Promise((resolve) => {
    execFile(program, words, { timeout: limitMs }, (error, stdout, stderr) => {
      const says = `${stdout}${stderr}`.trim() || (error?.message ?? '');
      resolve({ ok: error === null, says: says.replaceAll('\n', ' ') });
    });
  });
