/**
 * `~/.config/townwatch/trusted`: the roots that this user obeys although they are others', or others may write there.
 * One a
 * line: the owner's uid, a blank, the path without links. It is the user's own file, outside of every root, so that no
 * root can trust itself. A root that has another owner by now is not trusted.
 */
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import { homeFolder } from './user.ts';
import { dirname, isAbsolute, join } from 'node:path';
import { faultAt, faultOfOpen, isWithin, mendOf, socketFault, type Fault } from './ownership.ts';
import { shellWord } from './show-text.ts';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** Where they stand. */
export function trustedFile(): string {
  const config = process.env['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(config) ? config : join(homeFolder() ?? '/nonexistent', '.config'), 'townwatch', 'trusted');
}

/** What keeps `path` from giving us orders, trust counted; null = nothing does. Throws as `faultAt` does. */
export const refusedAt = (path: string): Fault | null => faultAt(path, trustedRoots);

/** Without links, which may lead elsewhere later, the first of `roots` whose trust keeps `path` from this fault; null = none does, since none is a folder that leads there. */
export function trustFor(path: string, fault: Fault, roots: readonly string[]): string | null {
  const lifts = (root: string): boolean => {
    if (!existsSync(root) || !statSync(root).isDirectory()) return false;
    return faultAt(path, () => [...trustedRoots(), realpathSync(root)])?.path !== fault.path;
  };
  const root = roots.find(lifts);
  return root === undefined ? null : realpathSync(root);
}

/** As `refusedAt`, for a town's control socket. */
export const socketRefusedAt = (path: string): Fault | null => socketFault(path, trustedRoots);

/** Of a file that is open: why its content does not count, beginning small; null = it does. */
export function foreignWords(path: string, stat: Stats): string | null {
  const fault = faultOfOpen(path, stat);
  if (fault === null || trustedRoots().some((root) => isWithin(realpathSync(path), root))) return null;
  return `it ${fault.why}${mendWords(fault)}`;
}

/** Of a folder: why nothing in it counts; null = it does, or is not there. */
export function foreignFolder(path: string): string | null {
  const fault = refusedAt(path);
  return fault && `${fault.path} ${fault.why}: nothing in it counts${mendWords(fault, fault.path)}`;
}

/** The caller that names or moves the file says where it is then. */
function mendWords(fault: Fault, path?: string): string {
  const mend = mendOf(fault);
  if (mend === null) return '';
  return path === undefined ? `; \`${mend}\` on it mends that` : `; \`${mend} ${shellWord(path)}\` mends that`;
}

/** Obeys a root that is there from now on; returns it without links. Only where `faultAt` finds nothing at `trustedFile`. */
export function trustRoot(root: string): string {
  const path = realpathSync(root);
  const row = `${String(statSync(path).uid)} ${path}`;
  const text = listed();
  mkdirSync(dirname(trustedFile()), { recursive: true, mode: PRIVATE_FOLDER });
  const rest = text === '' || text.endsWith('\n') ? '' : '\n';
  if (!text.split('\n').includes(row)) appendFileSync(trustedFile(), `${rest}${row}\n`, { mode: PRIVATE_FILE });
  return path;
}

function trustedRoots(): string[] {
  return faultAt(trustedFile()) === null
    ? listed()
        .split('\n')
        .flatMap((row) => rootOf(row) ?? [])
    : [];
}

function listed(): string {
  try {
    return readFileSync(trustedFile(), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function rootOf(row: string): string | null {
  const [, uid, path] = /^(\d+) (\/.*)$/.exec(row) ?? [];
  if (path === undefined) return null;
  return lstatSync(path, { throwIfNoEntry: false })?.uid === Number(uid) ? path : null;
}
