/**
 * Where the control socket of a root is. In daemon/, or below the folder for temporary files when that path is too long for
 * a socket; there in a folder that only we may enter, since a socket's permission is that of its folder.
 */
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { privateFolder } from '../files/layout.ts';

const PRIVATE_DIR = 0o700;
const PRIVATE_FILE = 0o600;
const PERMISSIONS = 0o777;

/** The path for `root` of its control socket, or of another one by that `name`. Pure; `most` is in bytes. */
export function socketPath(root: string, most: number, name: 'town' | 'hooks' | 'guard' = 'town'): string {
  const inRoot = join(root, 'daemon', `${name}.sock`);
  if (Buffer.byteLength(inRoot) <= most) return inRoot;
  // Not imported above: a command that asks the town would spend a tenth of its time on it.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const file = `${createHash('sha256')
    .update(`${root}${name === 'town' ? '' : `/${name}`}`)
    .digest('hex')
    .slice(0, 16)}.sock`;
  const short = join(tmpdir(), privateFolder(), file);
  return Buffer.byteLength(short) <= most ? short : join('/tmp', privateFolder(), file);
}

/** Makes the socket's folder, 0700. Throws if it is another user's, or a symlink. */
export function makeSocketFolder(path: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: PRIVATE_DIR });
  const there = lstatSync(folder);
  const { uid, mode } = there;
  if (!there.isDirectory() || (process.getuid !== undefined && uid !== process.getuid())) {
    throw new Error(`${folder} is not a folder of this user: move it away, the control socket goes there`);
  }
  if ((mode & PERMISSIONS) !== PRIVATE_DIR) chmodSync(folder, PRIVATE_DIR);
}

/** Of a socket that was just made. */
export const closeToOthers = (path: string): void => chmodSync(path, PRIVATE_FILE);

/** Removes a socket that a town left when it was ended by force; anything else in its place stays. */
export function removeSocket(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true) rmSync(path, { force: true });
}
