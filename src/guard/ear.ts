/**
 * The guard's ear: a small socket of its own, which the guarded town dials. Callers of the town have no part in it, so
 * however many there are, the guard hears its town.
 * 1. A connection that tells no progress of the town ends soon, and the oldest of too many makes way.
 * 2. A socket that was swept away is made anew. One that cannot be made is said once: then silence proves nothing (law 1).
 * 3. Lines of JSON: a JSON-RPC library would double the guard's own memory.
 */
import { lstatSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { ProcessPolicy } from '../ports/policy.ts';
import type { Proc } from '../../machines/protocol.ts';
import { textOf } from '../../state/files/disk.ts';
import { orNull } from '../../state/files/or-null.ts';
import { closeToOthers, makeSocketFolder, removeSocket } from '../../state/process/socket-path.ts';

/** One line of a town to its guard, sent by its step loop after real progress, never by a bare interval. */
export interface ProgressLine extends Proc {
  /** Steps since the start; more steps = progress. */
  readonly steps: number;
  /** A save is on its way: a slow disk is no hang. */
  readonly saving: boolean;
}

export interface EarNeeds {
  readonly path: string;
  readonly limits: Pick<ProcessPolicy, 'silentMs' | 'maxClients' | 'maxHeaderBytes'>;
  /** False = it is not from the guarded town. */
  heard(line: ProgressLine): boolean;
  say(text: string): void;
}

export class Ear {
  readonly #needs: EarNeeds;
  #server: Server | null = null;
  #inode = 0;
  #fault: string | null = null;
  #town: Socket | null = null;
  /** Those that told nothing of the town yet, the oldest first. */
  readonly #strangers = new Set<Socket>();

  constructor(needs: EarNeeds) {
    this.#needs = needs;
  }

  /** Whether the town can be heard. Call it at each wake-up. */
  isOpen(): boolean {
    const there = orNull(() => lstatSync(this.#needs.path));
    if (this.#server !== null && there?.ino === this.#inode) return true;
    try {
      this.#listen();
      this.#fault = null;
    } catch (error) {
      const fault = `the guard cannot hear its town, so it ends none that hangs: ${textOf(error)}`;
      if (fault !== this.#fault) this.#needs.say(fault);
      this.#fault = fault;
    }
    return this.#fault === null;
  }

  close(): void {
    this.#server?.close();
    this.#server = null;
    for (const socket of [...this.#strangers, this.#town]) socket?.destroy();
  }

  #listen(): void {
    const { path } = this.#needs;
    // Closing removes any file at the path.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === false)
      throw new Error(`${path} is no socket: move it away`);
    this.close();
    makeSocketFolder(path);
    removeSocket(path);
    const server = createServer((socket) => this.#take(socket));
    // Told by `listening`, which Node sets before it returns.
    server.on('error', () => undefined);
    server.listen(path);
    if (!server.listening) throw new Error(`${path} cannot be listened at`);
    closeToOthers(path);
    this.#inode = lstatSync(path).ino;
    this.#server = server;
  }

  #take(socket: Socket): void {
    const { silentMs, maxClients, maxHeaderBytes } = this.#needs.limits;
    const [oldest] = this.#strangers;
    if (oldest !== undefined && this.#strangers.size >= maxClients) this.#end(oldest);
    this.#strangers.add(socket);
    socket.setTimeout(silentMs, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#strangers.delete(socket);
      if (this.#town === socket) this.#town = null;
    });
    let rest = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > maxHeaderBytes || !lines.every((line) => this.#isOfTown(line))) socket.destroy();
      else if (lines.length > 0) this.#know(socket);
    });
  }

  /** Not counted any more at once: its `close` comes later. */
  #end(socket: Socket): void {
    this.#strangers.delete(socket);
    socket.destroy();
  }

  #isOfTown(text: string): boolean {
    const line = orNull(() => JSON.parse(text) as ProgressLine | null);
    return typeof line?.steps === 'number' && this.#needs.heard(line);
  }

  /** It is the town's, for as long as it stands; an earlier one is left from before. */
  #know(socket: Socket): void {
    if (this.#town === socket) return;
    this.#town?.destroy();
    this.#town = socket;
    this.#strangers.delete(socket);
    socket.setTimeout(0);
  }
}
