/** Whether a town with this configuration could go to its tmux socket, as a command finds it out. Looks only. */
import { NotReadable, type Disk } from '../../../state/files/disk.ts';
import { createProcesses } from '../../proc/processes.ts';
import { impossibleSocket, socketPath } from '../../tmux/socket.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { ControlTmux } from '../../tmux/client.ts';
import { TmuxError } from '../../tmux/errors.ts';
import { keptOutBy } from '../../tmux/owner.ts';
import { pinOf, type Configured, type Pin } from '../../tmux/pinned.ts';

/** Throws Failure (2) for a path that no socket can have. */
export function mustBePossible({ tmux }: Configured): void {
  const never = impossibleSocket(socketPath(tmux.socket));
  if (never !== null) throw new Failure(EXIT.usage, 'tmux_socket', never);
}

/**
 * Before a town that runs is stopped to be started again: by the mark on its server another town would keep the new one out. Throws
 * Failure (5). A tmux that does not tell is no reason: the next start waits for it.
 */
export async function mustBeFree({ root, tmux: { socket }, hands }: Configured): Promise<void> {
  const processes = createProcesses();
  const tmux = new ControlTmux({ socketPath: socketPath(socket), policy: hands, processes });
  const why = await keptOutBy({ tmux, processes }, root).catch((error: unknown) => {
    if (error instanceof TmuxError) return null;
    throw error;
  });
  if (why !== null) throw new Failure(EXIT.refused, 'tmux_socket', why);
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
