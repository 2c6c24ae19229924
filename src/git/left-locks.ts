/**
 * Locks that a git left which was killed, and an empty file of a worktree that it was making: each further git that meets one fails, for
 * ever. A lock is taken away, and the file is written, where its maker is proved gone: it has been this very file for a while, and of the
 * programs of git that ran on this machine when it was seen first none runs any more.
 * 1. No wall clock is asked: that may jump, and a living git's lock would look old.
 * 2. A file system that others may use, a container, or processes that are hidden, prove nothing.
 * 3. It is moved away before it is deleted, and put back if another one came into its place meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, readlink, realpath, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Proc } from '../../machines/protocol.ts';
import { OF_THIS_MACHINE } from '../ports/file-systems.ts';
import { platformSource } from '../proc/processes.ts';
import { GIT } from './policy.ts';

interface Seen {
  readonly file: string;
  /** By the clock of this process (ms). */
  readonly at: number;
  readonly gits: readonly Proc[];
}
const seen = new Map<string, Seen>();

interface Said {
  readonly failed: boolean;
  /** Of git, and of remotes: what those print may name any file. */
  readonly stderr: string;
}

/** Runs a git again as long as a lock that was left is in its way. `folder`: its files alone are taken, the repository's or those beside a file. */
export async function pastLeftLocks<R extends Said>(folder: string, run: () => Promise<R>): Promise<R> {
  for (;;) {
    const result = await run();
    if (!result.failed) return result;
    const taken = await Promise.all(
      [...leftIn(result.stderr)].map(([path, end]) => endLeft(path, folder, end).catch(() => false)),
    );
    if (!taken.includes(true)) return result;
  }
}

type End = (path: string, file: string) => Promise<boolean>;

/** As git puts it, in lines of its own: it begins those of a remote with `remote: `, whichever way that ends them. */
const LINES = [
  /^(?:fatal|error|warning): (?:.*: )?Unable to create '(?<lock>.+\.lock)': File exists/,
  /^(?:fatal|error|warning): could not lock config file (?<file>.+): File exists/,
  /^fatal: failed to read (?<empty>.+\/worktrees\/[^/]+\/commondir): /,
];
const leftIn = (text: string): Map<string, End> =>
  new Map(
    text.split(/[\r\n]+/).flatMap((line) =>
      LINES.flatMap((one): [string, End][] => {
        const { lock, file, empty } = one.exec(line)?.groups ?? {};
        if (empty !== undefined) return [[empty, write]];
        const path = lock ?? (file === undefined ? undefined : `${file}.lock`);
        return path === undefined ? [] : [[path, take]];
      }),
    ),
  );

/** True = it stands in the way no more. Rejects where something is unknown. */
async function endLeft(named: string, folder: string, end: End): Promise<boolean> {
  // git was given a folder of ours with links in it.
  const path = join(await realpath(dirname(named)), basename(named));
  if (!path.startsWith(`${await realpath(folder)}/`)) return false;
  const file = await fileAt(path);
  const before = seen.get(path);
  if (before?.file !== file) {
    seen.set(path, { file, at: performance.now(), gits: await gitsNow() });
    return false;
  }
  if (performance.now() - before.at < GIT.lockLeftMs || !(await seesAll(path))) return false;
  const lives = new Set((await gitsNow()).map(nameOf));
  if (before.gits.some((one) => lives.has(nameOf(one)))) return false;
  return end(path, file);
}

/** As Linux calls it (PROC_PID_INIT_INO). Its processes see those of all other namespaces. */
const FIRST_PIDS = 'pid:[4026531836]';

/** Whether each program that can make a file there is one that this process sees. */
async function seesAll(path: string): Promise<boolean> {
  const { type } = await statfs(path);
  // macOS gives these numbers out as it starts; the disk that it started from is its own.
  if (process.platform !== 'linux') return type === (await statfs('/')).type;
  return OF_THIS_MACHINE.has(type) && (await readlink('/proc/self/ns/pid')) === FIRST_PIDS;
}

/** A lock that is made anew is another file, or has other times. */
async function fileAt(path: string): Promise<string> {
  const { dev, ino, mtimeNs, size } = await stat(path, { bigint: true });
  return [dev, ino, mtimeNs, size].join(' ');
}

async function take(path: string, file: string): Promise<boolean> {
  const aside = `${path}.${randomUUID()}`;
  await rename(path, aside);
  const isIt = (await fileAt(aside)) === file;
  if (!isIt) await copyFile(aside, path, constants.COPYFILE_EXCL);
  await rm(aside);
  seen.delete(path);
  return isIt;
}

/** Git writes the same words into this file of each worktree. */
async function write(path: string, file: string): Promise<boolean> {
  if ((await stat(path)).size === 0 && (await fileAt(path)) === file) await writeFile(path, '../..\n', { flag: 'r+' });
  seen.delete(path);
  return true;
}

const nameOf = ({ pid, started }: Proc): string => `${String(pid)} ${started}`;

/** git, its parts, and other programs that write into a repository for longer than a moment. */
const GITS = /^(git|git-.*|jgit.*|gitui|lazygit|gitk|gitg|tig)$/i;
/** Parts of git that run for days and hold no lock. */
const SERVES = /^(fsmonitor|credential-cache)--daemon$/;

/** Programs that may hold a lock of git. Rejects where processes of others are hidden. */
async function gitsNow(): Promise<Proc[]> {
  const source = platformSource();
  // A system that hides processes hides this one, which always is there.
  source.row(1);
  const rows = (await source.rows()).filter(({ zombie }) => !zombie);
  return rows.flatMap((row) => {
    const { comm = '', argv: words = [] } = source.command(row.pid) ?? {};
    const isGit = GITS.test(comm) || GITS.test(basename(words[0] ?? ''));
    return isGit && !words.some((word) => SERVES.test(word)) ? [source.proc(row)] : [];
  });
}
