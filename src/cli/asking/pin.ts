/** Whether a town with this configuration could go to its tmux socket, as a command finds it out. Looks only. */
import { NotReadable, type Disk } from '../../../state/files/disk.ts';
import { createProcesses } from '../../proc/processes.ts';
import { impossibleSocket, socketPath } from '../../tmux/socket.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { pinOf, type Configured, type Pin } from '../../tmux/pinned.ts';

/** Throws Failure (2) for a path that no socket can have. */
export function mustBePossible({ tmux }: Configured): void {
  const never = impossibleSocket(socketPath(tmux.socket));
  if (never !== null) throw new Failure(EXIT.usage, 'tmux_socket', never);
}

export async function socketPin(settings: Configured, disk: Disk): Promise<Pin> {
  const sessions = async () => {
    const { readSessions } = await import('../../overview/records.ts'); // Only a socket that was moved asks.
    return (await readSessions(disk)).found.map(({ value }) => value);
  };
  try {
    return await pinOf(settings, { disk, processes: createProcesses(), sessions });
  } catch (error) {
    if (error instanceof NotReadable) return { kind: 'none' }; // The next start puts it away and tells.
    throw error;
  }
}
