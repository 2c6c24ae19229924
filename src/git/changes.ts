/**
 * What differs between a worktree and an index, weighed before any of it is taken (law 4: too much = the rescue fails).
 * Names are latin1, one character a byte.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { absentIs } from '../../state/files/disk.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import { GitFailed } from './failure.ts';
import type { Git } from './git.ts';
import { hiddenByUntracked } from './ignores.ts';

export interface Changes {
  /** Changed, deleted and untracked names, as `update-index --stdin` takes them. */
  readonly names: readonly string[];
  /** Neither file nor link nor folder (a FIFO, a socket): git cannot hold them. */
  readonly skipped: readonly string[];
  /** Submodules and nested repositories that are there. */
  readonly repos: readonly string[];
  /** Of those the nested ones, which no commit of this repository holds. */
  readonly nested: readonly string[];
}

const OTHERS = ['ls-files', '-z', '--others', '--exclude-standard'];

type Limits = Pick<HandsPolicy, 'maxRescueFiles' | 'maxRescueBytes'>;

/** `takesHidden`: also what only an untracked ignore file hides. */
export async function changesOf(git: Git, top: string, limits: Limits, takesHidden: boolean): Promise<Changes> {
  const changed = namesIn(await git.run(['diff-files', '-z', '--name-only', '--ignore-submodules=dirty']));
  const untracked = namesIn(await git.run(OTHERS));
  const hidden = takesHidden ? await hiddenFiles(git, untracked) : [];
  const others = [...new Set([...untracked, ...hidden])];
  const nested = others.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1));
  const wanted = [...new Set([...changed, ...others.filter((name) => !name.endsWith('/'))])];
  if (wanted.length > limits.maxRescueFiles)
    throw new GitFailed(
      `${top} has ${wanted.length} changed files, more than ${limits.maxRescueFiles}; commit them or ignore what is no work`,
    );
  const skipped = await weigh(top, wanted, limits);
  return {
    names: wanted.filter((name) => !skipped.has(name)),
    skipped: [...skipped],
    repos: [...(await submodulesIn(git, top)), ...nested],
    nested,
  };
}

/** A nested repository ends in a slash. */
async function hiddenFiles(git: Git, untracked: readonly string[]): Promise<string[]> {
  const ignored = namesIn(await git.run([...OTHERS, '--ignored', '--directory']));
  const hidden = await hiddenByUntracked(git, ignored, [...untracked, ...ignored]);
  const folders = hidden.filter((name) => name.endsWith('/'));
  const all = folders.length === 0 ? [] : namesIn(await git.run(['ls-files', '-z', '--others']));
  const below = all.filter((name) => folders.some((folder) => name.startsWith(folder)));
  return [...hidden.filter((name) => !name.endsWith('/')), ...below];
}

/** Names of tracked files that a flag of the index hides from git's own comparison although they lie in the worktree. */
export async function hiddenNames(git: Git, top: string): Promise<string[]> {
  const lines = namesIn(await git.run(['ls-files', '-v', '-z']));
  const hidden = lines.filter((line) => /^[a-zS]/.test(line)).map((line) => line.slice(2));
  const there = await Promise.all(hidden.map((name) => sizeOf(top, name)));
  return hidden.filter((_, at) => there[at] !== null);
}

/** Returns the names of what git cannot hold. */
async function weigh(top: string, wanted: readonly string[], limits: Limits): Promise<Set<string>> {
  const skipped = new Set<string>();
  let bytes = 0;
  for (const name of wanted) {
    const size = await sizeOf(top, name);
    if (size === 'special') skipped.add(name);
    else bytes += size ?? 0;
    if (bytes > limits.maxRescueBytes)
      throw new GitFailed(
        `${top} has more than ${limits.maxRescueBytes} bytes of uncommitted work, passed at ${JSON.stringify(readable(name))}; commit it or ignore it`,
      );
  }
  return skipped;
}

/** Bytes of a file; 0 for a folder; null = not there. */
export async function sizeOf(top: string, name: string): Promise<number | 'special' | null> {
  const path = Buffer.concat([Buffer.from(`${top}/`), Buffer.from(name, 'latin1')]);
  const seen = await absentIs(null, lstat(path));
  if (seen === null) return null;
  if (seen.isDirectory()) return 0;
  return seen.isFile() || seen.isSymbolicLink() ? seen.size : 'special';
}

/** Those that are checked out; names in latin1. */
export async function submodulesIn(git: Git, top: string): Promise<string[]> {
  const entries = namesIn(await git.run(['ls-files', '-s', '-z'])).filter((line) => line.startsWith('160000 '));
  const links = entries.map((line) => line.slice(line.indexOf('\t') + 1));
  const there = await Promise.all(links.map((name) => sizeOf(top, join(name, '.git'))));
  return [...new Set(links.filter((_, at) => there[at] !== null))];
}

/** Of what git prints with `-z`. */
export const namesIn = (output: string): string[] => output.split('\0').filter((name) => name !== '');

export const readable = (name: string): string => Buffer.from(name, 'latin1').toString('utf8');
