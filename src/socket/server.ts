/**
 * The town's end of the control socket. Owns the socket file and every connection.
 * 1. Call it with the root's lock held: a socket file found there is then stale and is replaced.
 * 2. Messages, connections, open requests and unread answers are bounded; who breaks a bound loses its connection.
 * 3. Nothing a caller does throws here.
 */
import { lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Instant, Ms } from '../../machines/protocol.ts';
import { Caller } from './connection.ts';
import { closeToOthers, makeSocketFolder } from '../../state/process/socket-path.ts';
import type { Progress, SocketHandlers, SocketLimits } from './protocol.ts';

export interface ControlServer {
  readonly path: string;
  /** Tells watchers that the loop made progress; at most twice per `progressEveryMs`, the newest wins. */
  progress(steps: number, saving: boolean, at: Instant): void;
  /** Ends every connection and removes the socket file. */
  close(): Promise<void>;
}

/** A watcher that hears this many times per `progressEveryMs` misses none of them by a little lateness. */
const TOLD_PER_PROGRESS = 2;

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
  let latest: Progress = { steps: 0, saving: false, at: 0 };
  const tell = (): void => callers.forEach((caller) => caller.tellProgress(latest));
  const telling = paced(tell, limits.progressEveryMs / TOLD_PER_PROGRESS);
  const pokes = paced(handlers.poke, limits.pokeEveryMs);
  let rpcs = 0;
  const server = createServer((socket: Socket) => {
    const caller = new Caller(socket, limits, {
      ...handlers,
      poke: (what) => pokes.act(what),
      nextRpc: () => `rpc-${String(process.pid)}-${String((rpcs += 1))}`,
      progress: () => latest,
      gone: () => callers.delete(caller),
      complain,
    });
    callers.add(caller);
  });
  server.maxConnections = limits.maxClients;
  server.on('drop', () =>
    complain(`control socket: more than ${String(limits.maxClients)} connections, the newest was refused`),
  );
  await listen(server, path);
  closeToOthers(path);
  const inode = lstatSync(path).ino;
  return {
    path,
    progress: (steps, saving, at) => {
      latest = { steps, saving, at };
      telling.act('progress');
    },
    close: async () => {
      telling.stop();
      pokes.stop();
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

/**
 * Performs a request at once. Further requests for the same within `everyMs` become one more at its end. So many pokes
 * of one folder are two, and watchers hear the newest progress, which the loop really reported.
 */
function paced<What>(perform: (what: What) => void, everyMs: Ms): { act: (what: What) => void; stop: () => void } {
  const waiting = new Map<What, { timer: NodeJS.Timeout; again: boolean }>();
  const act = (what: What): void => {
    const before = waiting.get(what);
    if (before !== undefined) {
      before.again = true;
      return;
    }
    perform(what);
    const timer = setTimeout(() => {
      const again = waiting.get(what)?.again === true;
      waiting.delete(what);
      if (again) act(what);
    }, everyMs).unref();
    waiting.set(what, { timer, again: false });
  };
  return { act, stop: () => waiting.forEach(({ timer }) => clearTimeout(timer)) };
}
