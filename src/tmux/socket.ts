/**
 * Where a tmux server listens. Sockets are separate worlds, and TMUX_TMPDIR differs between a shell and a service: the path
 * is resolved once, as tmux does it for `-L`, and from then on given as an absolute `-S`.
 */
import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { socketFault } from '../../state/files/ownership.ts';
import { refusalText } from '../terminal/refusal.ts';
import type { Environment } from '../proc/environment.ts';

/** `name` is a name for `-L` (`default`), or an absolute path, which is taken as it is. Throws on anything else. */
export function socketPath(
  name: string,
  env: Environment = process.env,
  uid: number = process.getuid?.() ?? 0,
): string {
  if (isAbsolute(name)) return name;
  if (name === '' || /[/\0]/.test(name))
    throw new Error(
      `tmux socket ${JSON.stringify(name)} is neither a name nor an absolute path; set [tmux] socket to one of them`,
    );
  const folder = [env['TMUX_TMPDIR'], '/tmp'].map(resolved).find((path) => path !== null) ?? '/tmp';
  return join(folder, `tmux-${uid}`, name);
}

/** Bytes of a unix socket's path: sun_path without the zero at its end. */
const MAX_SOCKET_BYTES = process.platform === 'linux' ? 107 : 103;

/** Why no socket can ever have this path, as a sentence; null = one can. */
export function impossibleSocket(path: string): string | null {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_SOCKET_BYTES) return null;
  return `the tmux socket ${path} has a path of ${String(bytes)} bytes, and a socket takes ${String(MAX_SOCKET_BYTES)}; set [tmux] socket to a shorter one`;
}

/** The name by which tmux finds this path itself, so that it makes the folder; null = the path is not of that kind. */
export function asLabel(path: string, uid: number = process.getuid?.() ?? 0): { label: string; tmpdir: string } | null {
  const folder = dirname(path);
  return basename(folder) === `tmux-${uid}` ? { label: basename(path), tmpdir: dirname(folder) } : null;
}

/** Links to links that are followed, as the kernel does it. */
const MAX_LINKS = 40;

/**
 * One path for all names of a socket, with all links resolved; a missing one gives the path that a server would make.
 */
export function canonicalSocket(path: string, links = MAX_LINKS): string {
  const plain = join(resolved(dirname(path)) ?? dirname(path), basename(path));
  const target = linkAt(plain);
  return target === null || links === 0 ? plain : canonicalSocket(resolve(dirname(plain), target), links - 1);
}

/** Whether both paths lead to the same socket. */
export function isSameSocket(one: string, other: string): boolean {
  return canonicalSocket(one) === canonicalSocket(other);
}

/** null = it is no link. */
function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null; // Missing, something else, or closed to us, which opening it reports.
  }
}

/**
 * Why this socket must not be called, as a sentence: it is another user's, or lies where others could put theirs (tmux
 * itself demands as much of the folder of a named one). null = it is ours, or not there yet.
 */
export function foreignSocket(path: string): string | null {
  const fault = socketFault(path);
  return fault && refusalText(fault, 'tmux is not called there', 'set [tmux] socket to one in a folder of yours');
}

/** tmux skips a folder that does not resolve. */
function resolved(path: string | undefined): string | null {
  if (path === undefined || path === '') return null;
  try {
    return realpathSync(path);
  } catch {
    return null; // Missing or closed to us: tmux then takes the next one, and so do we.
  }
}
