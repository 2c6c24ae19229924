/**
 * The town's end of the control socket. Owns the socket file and every connection.
 * 1. Call it with the root's lock held: whatever socket file is there is then stale and is replaced.
 * 2. Messages, connections, open requests and unread answers are bounded; who breaks a bound loses its connection.
 * 3. Nothing a caller does throws here.
 */
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Instant } from '../../machines/protocol.ts';
import { Caller } from './connection.ts';
import { makeSocketFolder } from './path.ts';
import type { Poked, Progress, SocketHandlers, SocketLimits } from './protocol.ts';

export interface ControlServer {
  readonly path: string;
  /** Tells watchers that the loop made progress; at most twice per `progressEveryMs`, the newest wins. */
  progress(steps: number, saving: boolean, at: Instant): void;
  /** Ends every connection and removes the socket file. */
  close(): Promise<void>;
}

const PRIVATE_FILE = 0o600;
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
  const telling = new Telling(callers, limits.progressEveryMs / TOLD_PER_PROGRESS);
  const pokes = new Pokes(handlers, limits.pokeEveryMs);
  let rpcs = 0;
  const server = createServer((socket: Socket) => {
    const caller = new Caller(socket, limits, {
      ...handlers,
      poke: (what) => {
        pokes.poke(what);
      },
      nextRpc: () => `rpc-${String(process.pid)}-${String((rpcs += 1))}`,
      progress: () => telling.latest,
      gone: () => callers.delete(caller),
      complain,
    });
    callers.add(caller);
  });
  server.maxConnections = limits.maxClients;
  server.on('drop', () => {
    complain(`control socket: more than ${String(limits.maxClients)} connections, the newest was refused`);
  });
  await listen(server, path);
  chmodSync(path, PRIVATE_FILE);
  const inode = lstatSync(path).ino;
  return {
    path,
    progress: (steps, saving, at) => {
      telling.progress({ steps, saving, at });
    },
    close: async () => {
      telling.stop();
      pokes.stop();
      // Closing removes whatever is at the path: a town that replaced us has its own socket there by now.
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

/** The newest progress, told at a bounded pace. Its timer only passes on what the loop really reported. */
class Telling {
  readonly #callers: ReadonlySet<Caller>;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | null = null;
  #news = false;
  latest: Progress = { steps: 0, saving: false, at: 0 };

  constructor(callers: ReadonlySet<Caller>, everyMs: number) {
    this.#callers = callers;
    this.#everyMs = everyMs;
  }

  progress(progress: Progress): void {
    this.latest = progress;
    this.#news = true;
    if (this.#timer === null) this.#tell();
  }

  #tell(): void {
    this.#timer = null;
    if (!this.#news) return;
    this.#news = false;
    for (const caller of this.#callers) caller.tellProgress(this.latest);
    this.#timer = setTimeout(() => {
      this.#tell();
    }, this.#everyMs).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}

/** Many pokes of one folder within a moment are one: the first at once, the rest together at the end. */
class Pokes {
  readonly #handlers: SocketHandlers;
  readonly #everyMs: number;
  readonly #waiting = new Map<string, { timer: NodeJS.Timeout; again: boolean }>();

  constructor(handlers: SocketHandlers, everyMs: number) {
    this.#handlers = handlers;
    this.#everyMs = everyMs;
  }

  poke(what: Poked): void {
    const waiting = this.#waiting.get(what);
    if (waiting !== undefined) {
      waiting.again = true;
      return;
    }
    this.#handlers.poke(what);
    const timer = setTimeout(() => {
      const again = this.#waiting.get(what)?.again === true;
      this.#waiting.delete(what);
      if (again) this.poke(what);
    }, this.#everyMs).unref();
    this.#waiting.set(what, { timer, again: false });
  }

  stop(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
  }
}
