/** What waits unread in a terminal. Reading takes it away. Nothing here waits: the terminal is opened so that it never blocks. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { codeOf } from '../../state/files/disk.ts';

const { O_RDWR, O_NOCTTY, O_NONBLOCK } = constants;

export interface Unread {
  /** Takes what waits, in line mode one line; how many bytes, 0 = nothing waits now. Throws when the terminal is gone. */
  take(): number;
  close(): void;
}

/** At most `maxBytes` at a time. Throws when it cannot be opened. */
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
