/**
 * Which tmux program speaks with a server. An upgrade replaces the program while its server runs on, and tmux answers a client of
 * another version in parts: 3.6 and newer lists the sessions of a 3.5a, but gets no word in control mode.
 * 1. The program that the server itself runs is its client where the versions differ. /proc/<pid>/exe is that program, also
 *    when its file is deleted.
 * 2. What is unknown changes nothing: then it is the program in PATH.
 */
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { realpathSync } from 'node:fs';
import type { Proc } from '../../machines/protocol.ts';
import { programAt } from '../proc/find-program.ts';
import type { Processes } from '../ports/ports.ts';
import { orNull } from '../../state/files/or-null.ts';

export interface ProgramNeeds {
  /** As a command names it: `tmux`. */
  readonly name: string;
  /** Absolute. */
  readonly socketPath: string;
  readonly path: string | undefined;
  readonly processes: Pick<Processes, 'proc' | 'alive'>;
  /** What a program prints for `-V`: its name as it was called, and its version. Rejects where it prints nothing. */
  readonly versionOf: (program: string) => Promise<string>;
}

/** What speaks with the server, and why it is not simply the program in PATH. */
export interface ClientProgram {
  readonly program: string;
  /** null = the program in PATH is as good. */
  readonly differs: { readonly server: string; readonly inPath: string | null } | null;
}

const fileOf = async (path: string): Promise<string | null> => {
  const found = await stat(path).catch(() => null);
  return found === null ? null : `${String(found.dev)}:${String(found.ino)}:${String(found.mtimeMs)}`;
};

/** Finds it anew where another server listens, or another program stands in PATH. */
export class ServerProgram {
  readonly #needs: ProgramNeeds;
  #known: { readonly server: Proc; readonly inPath: string | null; readonly is: ClientProgram } | null = null;

  constructor(needs: ProgramNeeds) {
    this.#needs = needs;
  }

  /** Never rejects. */
  async find(): Promise<ClientProgram> {
    const { name } = this.#needs;
    const plain = { program: name, differs: null };
    try {
      const server = await this.#server();
      if (server === null) return plain;
      const file = programAt(name, '/', this.#needs.path ?? null);
      const inPath = file === null ? null : await fileOf(file);
      if (this.#known?.server !== server || this.#known.inPath !== inPath)
        this.#known = { server, inPath, is: await this.#compare(server, inPath) };
      return this.#known.is;
    } catch {
      return plain;
    }
  }

  async #server(): Promise<Proc | null> {
    const { processes, socketPath } = this.#needs;
    if (this.#known !== null && processes.alive(this.#known.server)) return this.#known.server;
    const pid = await listenerAt(socketPath);
    return pid === null ? null : processes.proc(pid);
  }

  async #compare({ pid }: Proc, inPath: string | null): Promise<ClientProgram> {
    const { name } = this.#needs;
    const own = `/proc/${String(pid)}/exe`;
    const plain = { program: name, differs: null };
    if ((await fileOf(own)) === inPath) return plain;
    const server = await this.#versionOf(own);
    if (server === null) return plain;
    const other = inPath === null ? null : await this.#versionOf(name);
    return other === server ? plain : { program: own, differs: { server, inPath: other } };
  }

  /** `3.3a`, `next-3.6`; null = it does not tell. */
  async #versionOf(program: string): Promise<string | null> {
    const said = await this.#needs.versionOf(program).catch(() => '');
    return said.split(' ').at(-1) || null;
  }
}

/** How /proc/net/unix marks a socket that listens. */
const LISTENS = '00010000';

/** Pid of the tmux server that listens at this path; null = none does, or this system does not show it. */
async function listenerAt(path: string): Promise<number | null> {
  const rows = await readFile('/proc/net/unix', 'utf8').catch(() => '');
  // A server that was called with a relative path shows that one, and the folder that it was relative to is not known any more.
  const isHere = (other: string): boolean => !other.startsWith('/') || real(other) === real(path);
  const sockets = rows.split('\n').flatMap((row) => {
    const [, , , flags, , , inode, ...words] = row.split(/ +/);
    const at = words.join(' ');
    return flags === LISTENS && basename(at) === basename(path) && isHere(at) ? [`socket:[${inode ?? ''}]`] : [];
  });
  if (sockets.length === 0) return null;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    // Only servers are called so, and few processes are worth a look at all their descriptors.
    const comm = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    if (comm.includes('tmux') && (await holdsOne(pid, sockets))) return Number(pid);
  }
  return null;
}

const real = (path: string): string => orNull(() => join(realpathSync(dirname(path)), basename(path))) ?? path;

async function holdsOne(pid: string, sockets: readonly string[]): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  for (const fd of await readdir(folder).catch(() => []))
    if (sockets.includes(await readlink(join(folder, fd)).catch(() => ''))) return true;
  return false;
}
