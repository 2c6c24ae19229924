/** What waits unread in a terminal. Nothing here waits for it: the terminal is opened so that it never blocks. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { codeOf } from '../../state/files/disk.ts';
import { listedEnvironment } from './environment.ts';

const { O_RDWR, O_NOCTTY, O_NONBLOCK } = constants;

export interface Unread {
  /** Takes what waits, in line mode one line; how many bytes, 0 = nothing waits now. Throws when the terminal is gone. */
  take(): number;
  close(): void;
}

/** Reading takes it away, at most `maxBytes` at a time. Throws when it cannot be opened. */
export function openUnread(path: string, maxBytes: number): Unread {
  const buffer = Buffer.alloc(maxBytes);
  const file = openSync(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
  return {
    take: () => {
      try {
        return readSync(file, buffer);
      } catch (error) {
        if (codeOf(error) === 'EAGAIN') return 0;
        throw error;
      }
    },
    close: () => closeSync(file),
  };
}

/** bash is ended after so long, in ms; it asks the kernel one thing. */
const LIMIT_MS = 2_000;
const [SOME, NONE] = [10, 11];
/** Before bash 4, `read -t 0` said nothing of what waits. */
const ASK = `((BASH_VERSINFO[0] > 3)) && exec < "$1" || exit 1; read -t 0 && exit ${SOME}; exit ${NONE}`;

/** Takes nothing away. In line mode only a whole line counts. null = unknown. As in `lineModeOf`, no process can own the terminal by it. */
export async function isUnread(tty: string): Promise<boolean | null> {
  const { execa } = await import('execa');
  const { exitCode } = await execa('bash', ['-p', '-c', ASK, 'bash', tty], {
    reject: false,
    stdin: 'ignore',
    timeout: LIMIT_MS,
    env: listedEnvironment('tool', process.env),
    extendEnv: false,
  });
  return exitCode === SOME || (exitCode === NONE ? false : null);
}
