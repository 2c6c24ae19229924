/**
 * Which Node runs what the town starts. A version manager may remove the one that this process runs, or put another in its place,
 * while the process lives on for months.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { shippedNode } from '../package.ts';
import { programAt } from './find-program.ts';

/** As `engines` in package.json says. */
const NEEDED = 24;
/** How Linux names the file of a program that was deleted. */
const DELETED = / \(deleted\)$/;
const VERSION_MS = 5_000;

/** Of a file: another one, or another content, has another mark. null = there is none. */
export function markOf(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined
    ? null
    : `${String(stat.dev)}:${String(stat.ino)}:${String(stat.size)}:${String(stat.mtimeMs)}`;
}

export interface NodeFinder {
  /** The program to run: a path that is there, or the one in memory of this process. */
  find(): string;
  /** Whether the Node in memory is the only one that is good enough. */
  isLast(program: string): boolean;
}

export interface NodeOptions {
  /** `process.execPath`. */
  readonly own: string;
  /** Looked at in this order where the own one is not there any more. */
  readonly others: () => readonly (string | null)[];
}

export function nodeFinder({ own, others }: NodeOptions): NodeFinder {
  const path = own.replace(DELETED, '');
  const first = path === own ? markOf(path) : null;
  const inMemory = process.platform === 'linux' ? `/proc/${String(process.pid)}/exe` : path;
  /** By the mark of the file: a version is asked for once. */
  const judged = new Map<string, boolean>();
  const isGood = (program: string): boolean => {
    const mark = markOf(program);
    if (mark === null) return false;
    if (program === path && mark === first) return true;
    const known = judged.get(mark);
    if (known !== undefined) return known;
    const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: VERSION_MS });
    const good = error === undefined && Number(/^v(\d+)\./.exec(stdout)?.[1]) >= NEEDED;
    judged.set(mark, good);
    return good;
  };
  return {
    // The others are not looked for while the own one is there: each is a search along folders.
    find: () =>
      isGood(path) ? path : (others().find((one): one is string => one !== null && isGood(one)) ?? inMemory),
    isLast: (program) => program === inMemory,
  };
}

export const node = nodeFinder({
  own: process.execPath,
  others: () => [shippedNode(), programAt('node', '/', process.env['PATH'] ?? null)],
});
