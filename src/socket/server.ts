/**
 * The town's end of the control socket. Owns the socket file and every connection.
 * 1. Call it with the root's lock held: a socket file found there is then stale and is replaced.
 * 2. Messages, connections, open requests and unread answers are bounded; who breaks a bound loses its connection.
 * 3. Nothing a caller does throws here.
 */
import { lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { Caller } from './connection.ts';
import { closeToOthers, makeSocketFolder } from '../../state/process/socket-path.ts';
import { pace, complaintsTo } from '../ports/pace.ts';
import type { SocketHandlers, SocketLimits } from './protocol.ts';

export interface ControlServer {
  readonly path: string;
  /** Ends every connection and removes the socket file. */
  close(): Promise<void>;
}

const fullText = (most: number): string =>
  `the town takes ${String(most)} connections at once, and more are open now: try again, or end the program that opens them`;

/** Opens the socket at `path`. Rejects when something that is no socket is in its place, or it cannot be bound. */
export async function openControlSocket(
  path: string,
  handlers: SocketHandlers,
  limits: SocketLimits,
  complain: (text: string) => void,
): Promise<ControlServer> {
  makeSocketFolder(path);
  removeStale(path);
  const callers = new Set<Caller>();
  const wakes = pace(handlers.wake, limits.wakeEveryMs);
  const complaints = complaintsTo(complain, limits.complainEveryMs);
  let rpcs = 0;
  const server = createServer((socket: Socket) => {
    const caller = new Caller(socket, limits, {
      ...handlers,
      wake: (what) => wakes.act(what),
      nextRpc: () => `rpc-${String(process.pid)}-${String((rpcs += 1))}`,
      gone: () => callers.delete(caller),
      complain: complaints.about,
    });
    callers.add(caller);
    if (callers.size <= limits.maxClients) return;
    // Who asks nothing makes way, the oldest first; so callers that only hold connections keep no other one out.
    const idle = [...callers].find((one) => one !== caller && one.isIdle) ?? caller;
    idle.refuse(fullText(limits.maxClients));
    callers.delete(idle);
    complaints.about('full', `control socket: more than ${String(limits.maxClients)} connections, one was ended`);
  });
  await listen(server, path);
  closeToOthers(path);
  const inode = lstatSync(path).ino;
  return {
    path,
    close: async () => {
      wakes.stop();
      complaints.stop();
      // Closing removes any file at the path: a town that replaced us has its own socket there by now.
      const ours = lstatSync(path, { throwIfNoEntry: false })?.ino === inode;
      const closed = ours ? new Promise<void>((resolve) => server.close(() => resolve())) : Promise.resolve();
      for (const caller of callers) caller.end();
      await closed;
    },
  };
}

function removeStale(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (!there.isSocket()) throw new Error(`${path} is not a socket: move it away, the control socket goes there`);
  rmSync(path);
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      // A later error (EMFILE on accept) costs one caller its connection, never the town its life.
      server.on('error', () => undefined);
      resolve();
    });
  });
}
