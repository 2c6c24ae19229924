/**
 * Git LFS: files that git holds as pointers. git-lfs is the one filter that is used: its words are ours, never a repository's, and it
 * reads our configuration too (`own-common.ts`). Any other filter stays off.
 */
import { missingProgram } from '../proc/find-program.ts';

const PROGRAM = 'git-lfs';

export const hasLfs = (): boolean => missingProgram(PROGRAM, '/', process.env['PATH'] ?? null) === null;

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
