/** Whether the shell itself knows a word, such as `cd` or `exec`, so that no program of that name is needed. */
import { execFile } from 'node:child_process';

const LIMIT_MS = 2_000;

/** False also where the shell gives no answer in time. */
export const isShellWord = (word: string): Promise<boolean> =>
  new Promise((resolve) => {
    const options = { env: { PATH: '/nowhere' }, timeout: LIMIT_MS };
    execFile('/bin/sh', ['-c', 'command -v "$1"', 'sh', word], options, (error, stdout) =>
      resolve(error === null && stdout.trim() !== ''),
    );
  });
