/**
 * Git LFS: files that git holds as pointers. git-lfs is the one filter that is used: its words are ours, never a repository's, and it
 * reads our configuration too (`own-common.ts`). Any other filter stays off.
 */
import { programAt } from '../proc/find-program.ts';

const PROGRAM = 'git-lfs';
/** Where a PATH had it last: each call of git asks, and only this file is looked at while it is there. */
let known: { readonly path: string | null; readonly file: string } | null = null;

export function hasLfs(): boolean {
  const path = process.env['PATH'] ?? null;
  if (known?.path === path && programAt(known.file, '/', null) !== null) return true;
  const file = programAt(PROGRAM, '/', path);
  known = file === null ? null : { path, file };
  return file !== null;
}

/** As `git lfs install` sets it up. Without the program its files are compared as they lie there. */
export const lfsFilter = (): (readonly [name: string, value: string])[] =>
  hasLfs()
    ? [
        ['filter.lfs.process', 'git-lfs filter-process'],
        ['filter.lfs.clean', 'git-lfs clean -- %f'],
        ['filter.lfs.smudge', 'git-lfs smudge -- %f'],
        ['filter.lfs.required', 'true'],
      ]
    : [];
