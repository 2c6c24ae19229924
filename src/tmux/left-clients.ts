/**
 * Control-mode clients of towns that were killed. tmux 3.3 keeps a client until the client has taken all output. The reader of this output
 * is gone, so the client stays. A server that is told to end waits for it, and takes no other client meanwhile. Killing the client ends
 * this. It is safe once the server took the client in, or ended its sessions.
 */
import type { Proc } from '../../machines/protocol.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { isFault } from './errors.ts';
import { townOf } from './hidden.ts';

export type LeftClients = Pick<ProcessTable, 'signal' | 'startedAs'>;

/** A server has the words of the client that started it; this is what tmux calls itself on Linux. Elsewhere none is known to be one. */
const CLIENT = 'tmux: client';

const behind = (argv: readonly string[], flag: string): string => argv[argv.indexOf(flag) + 1] ?? '';

/** Those on this socket whose town does not live. Throws when it is unknown. */
export function leftClients(
  processes: LeftClients,
  socketPath: string,
  lives: (pid: number) => boolean,
): Promise<readonly Proc[]> {
  return processes.startedAs(({ comm, argv }) => {
    const isClient = comm === CLIENT && argv.includes('-C') && behind(argv, '-S') === socketPath;
    const pid = isClient ? townOf(behind(argv, '-s')) : null;
    return pid !== null && !lives(pid);
  });
}

/** It has ended its sessions, and waits for its clients. */
export const isEnding = (error: unknown): boolean =>
  isFault(error, 'unknown') && error.message.startsWith('server exited');
