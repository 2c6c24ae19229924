/**
 * Ownership of files. A file that belongs neither to us nor to root, or that others may write, gives us no orders. It
 * is refused before a byte of it is read (as git does with repositories since CVE-2022-24765).
 * 1. The real target behind every link is judged, and each folder and link on the way too (sshd's StrictModes). So no
 *    other user can swap the target between this look and the use.
 * 2. A missing file is no fault: its creator looks again.
 * 3. Exempt folders (trusted-roots.ts) are exempt with all that lies in them and above them, for a path that leads
 *    through them.
 */
import { lstatSync, readFileSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { orNull } from './or-null.ts';

export interface Fault {
  /** The thing at fault: what was asked about, or a folder or a link on the way to it. */
  readonly path: string;
  /** `foreign`: another user's. `open`: ours or root's, but others may write it. */
  readonly is: 'foreign' | 'open';
  /** The end of a sentence: `belongs to mallory (uid 1001), not to you`. */
  readonly why: string;
  /** What we may run on it that mends it; null = only another place does. */
  readonly mends: 'chown' | 'chmod' | null;
}

interface Step {
  readonly path: string;
  readonly stat: Stats;
  /** What the path leads to, not a folder or a link on the way. */
  readonly isEnd: boolean;
}

/** As many as Linux follows; beyond them opening the path reports the error. */
const MAX_LINKS = 40;
const STICKY = 0o1000;
const GROUP_WRITES = 0o020;
const ALL_WRITE = 0o002;
const PERMISSIONS = 0o7777;

const me = (): number => process.getuid?.() ?? 0;

/**
 * The first thing that keeps `path` from giving us orders; null = nothing does. `exempt`: folders, asked for where there is a
 * fault. Throws the system's error, but for what is missing or closed.
 */
export function faultAt(path: string, exempt: () => readonly string[] = () => []): Fault | null {
  const steps = [...stepsTo(path)];
  const faults = steps.flatMap((step) => faultOf(step) ?? []);
  if (faults.length === 0) return null;
  const folders = exempt().filter((folder) => steps.some((step) => step.path === folder));
  return faults.find(({ path: at }) => !folders.some((one) => isWithin(at, one) || isWithin(one, at))) ?? null;
}

/** What keeps a thing that is open from giving us orders, wherever it stands. */
export const faultOfOpen = (path: string, stat: Stats): Fault | null => faultOf({ path, stat, isEnd: true });

/** What mends it, the path to come behind it; null = nothing that we may run there. */
export function mendOf({ mends }: Fault): string | null {
  const uid = me();
  return mends && { chown: `${uid === 0 ? '' : 'sudo '}chown ${String(uid)}`, chmod: 'chmod go-w' }[mends];
}

/** As `faultAt`, for a socket to connect to or to listen on: no other user may be able to listen there. */
export function socketFault(path: string, exempt?: () => readonly string[]): Fault | null {
  return faultAt(dirname(path), exempt) ?? faultAt(path, exempt);
}

/** What belongs to this uid is ours, or root's. */
const isFamiliar = (uid: number): boolean => uid === me() || uid === 0;

/** An absolute path without links, so that a folder has one name; the end of it that is not there stays as it is. */
export function realPath(path: string): string {
  const real = orNull(() => realpathSync(path));
  if (real !== null || dirname(path) === path) return real ?? path;
  return join(realPath(dirname(path)), basename(path));
}

/** Whether one of two paths without links is the other, or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function* stepsTo(path: string): Generator<Step> {
  const names = partsOf(resolve(path));
  let at = '/';
  let links = 0;
  const step = (stat: Stats): Step => ({ path: at, stat, isEnd: names.length === 0 });
  yield step(lstatSync(at));
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = name === '..' ? dirname(at) : join(at, name);
    const stat = look(next);
    if (stat === null) return;
    if (stat.isSymbolicLink()) {
      yield { path: next, stat, isEnd: false };
      const target = readlinkSync(next);
      if (isAbsolute(target)) at = '/';
      names.unshift(...partsOf(target));
      if ((links += 1) > MAX_LINKS) return;
    } else {
      at = next;
      yield step(stat);
    }
  }
}

const partsOf = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.');

/** null = missing, or closed to us: opening it reports the error. */
function look(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG'].includes(code)) return null;
    throw error;
  }
}

function faultOf({ path, stat, isEnd }: Step): Fault | null {
  if (!isFamiliar(stat.uid) && (isEnd || !isOutside(stat.uid)))
    return { path, is: 'foreign', mends: 'chown', why: `belongs to ${nameOf(stat.uid)}, not to you` };
  // The rights of a link mean nothing, and those of a socket who may talk to its listener.
  if (stat.isSymbolicLink() || stat.isSocket() || !othersWrite(stat)) return null;
  // On the way others may make things of their own, but none of ours their own.
  const isShared = (stat.mode & STICKY) !== 0;
  if (isShared && !isEnd) return null;
  const mends = isShared || stat.uid !== me() ? null : 'chmod';
  const mode = (stat.mode & PERMISSIONS).toString(8).padStart(4, '0');
  return { path, is: 'open', mends, why: `may be written by others (mode ${mode})` };
}

function othersWrite({ mode, gid }: Stats): boolean {
  return (mode & ALL_WRITE) !== 0 || ((mode & GROUP_WRITES) !== 0 && !isPrivateGroup(gid));
}

/**
 * In a user namespace (a sandbox, a container) all unmapped users show as one, also the root that owns folders above
 * ours. Such a folder is no proof of a stranger, and its target must still be ours.
 */
function isOutside(uid: number): boolean {
  if (String(uid) !== textOf('/proc/sys/kernel/overflowuid').trim()) return false;
  const ranges = textOf('/proc/self/uid_map').trim().split('\n');
  return !ranges.some((range) => {
    const [first = 0, , count = 0] = range.trim().split(/\s+/).map(Number);
    return uid >= first && uid < first + count;
  });
}

/**
 * Most of Linux gives each user a group of the same name, and makes files writable for it (umask 002). A group without
 * another member gives others no access. If the system's lists do not show that, it counts as others' access.
 */
function isPrivateGroup(gid: number): boolean {
  if (process.platform !== 'linux') return false;
  const users = rowsOf('/etc/passwd');
  const mine = users.find(([, , uid]) => uid === String(me()));
  const [name, , , members = ''] = rowsOf('/etc/group').find(([, , id]) => id === String(gid)) ?? [];
  if (mine === undefined || name !== mine[0] || mine[3] !== String(gid)) return false;
  const others = [...members.split(','), ...users.filter((row) => row[3] === String(gid)).map((row) => row[0])];
  return others.every((other) => other === '' || other === name);
}

/** `mallory (uid 1001)`. */
function nameOf(uid: number): string {
  const [name] = rowsOf('/etc/passwd').find((row) => row[2] === String(uid)) ?? [];
  return name === undefined ? `uid ${String(uid)}` : `${name} (uid ${String(uid)})`;
}

const rowsOf = (file: string): string[][] =>
  textOf(file)
    .split('\n')
    .map((row) => row.split(':'));

/** Empty = it is not on this system. */
const textOf = (file: string): string => orNull(() => readFileSync(file, 'utf8')) ?? '';
