/**
 * What a worktree holds beyond a commit: its commits, and the change to its files as they lie there, untracked ones
 * included. For readers: a copy of the index is compared, and nothing is written into the repository.
 */
import { join } from 'node:path';
import { changesOf, hiddenNames, namesIn, readable } from './changes.ts';
import { gitAt, type Git, type GitPlace } from './git.ts';
import { copyIndex } from './index-copy.ts';
import { GIT } from './policy.ts';

/** Despite attributes of the repository, which could hide the lines of a file; git itself tells what is binary. */
const AS_IT_IS = '* !diff\n';
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=dirty'];
const PREFIXES = ['--src-prefix=a/', '--dst-prefix=b/'];

export interface Commit {
  readonly commit: string;
  /** ISO, as its author's clock said. */
  readonly at: string;
  readonly author: string;
  readonly subject: string;
}

/** A file that differs; null = git counts no lines in it. */
export interface ChangedFile {
  readonly name: string;
  readonly added: number | null;
  readonly removed: number | null;
}

/** git in a worktree whose index is a copy that knows every file of it. `scratch`: an empty folder for that copy. */
export interface Opened {
  readonly git: Git;
  /** Names that differ from the last commit, or are in none. */
  readonly uncommitted: readonly string[];
}

export type Place = Omit<GitPlace, 'index' | 'attributes'> & Required<Pick<GitPlace, 'gitDir' | 'workTree'>>;

export async function openWorktree(place: Place, scratch: string): Promise<Opened> {
  const index = join(scratch, 'index');
  await copyIndex(join(place.gitDir, 'index'), index);
  const git = gitAt({ ...place, index, attributes: AS_IT_IS });
  const limits = { maxRescueFiles: GIT.maxShownFiles, maxRescueBytes: GIT.maxShownBytes };
  const staged = namesIn(
    await git.run(['diff-index', '--cached', '--name-only', '--no-renames', '-z', await headOf(git)]),
  );
  const hidden = await hiddenNames(git, place.workTree);
  const { names } = await changesOf(git, place.workTree, limits, true);
  const unread = [...new Set([...names, ...hidden])];
  // An entry that was never compared with its file: git reads the file itself. Its mode comes from there too.
  const empty = (await git.run(['hash-object', '-t', 'blob', '--stdin'])).trim();
  const entries = unread.map((name) => `100644 ${empty}\t${name}\0`).join('');
  if (entries !== '') await git.run(['update-index', '--replace', '-z', '--index-info'], entries);
  return { git, uncommitted: [...new Set([...staged, ...unread])].sort().map(readable) };
}

/** The empty tree before the first commit. */
async function headOf(git: Git): Promise<string> {
  const head = await git.find(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  return head ?? (await git.run(['hash-object', '-t', 'tree', '--stdin'])).trim();
}

/** null = more than `GIT.maxShownPatchBytes`. */
export async function patchFrom(git: Git, base: string): Promise<string | null> {
  const patch = await git.runAtMost([...DIFF, ...PREFIXES, '--find-renames', base, '--'], GIT.maxShownPatchBytes);
  return patch === null ? null : readable(patch);
}

export async function filesFrom(git: Git, base: string): Promise<ChangedFile[]> {
  const rows = namesIn(await git.run([...DIFF, '--numstat', '--no-renames', '-z', base, '--']));
  return rows.map((row) => {
    const [added = '', removed = '', ...name] = row.split('\t');
    return { name: readable(name.join('\t')), added: countIn(added), removed: countIn(removed) };
  });
}

const countIn = (text: string): number | null => (text === '-' ? null : Number(text));

/** Commits that these have and `base` has not, the newest first; at most `GIT.maxListed`. */
export async function commitsFrom(git: Git, base: string, tips: readonly string[]): Promise<Commit[]> {
  const log = ['log', '-z', '--no-show-signature', '--no-notes', `--max-count=${GIT.maxListed}`];
  const said = await git.run([...log, '--format=%H%n%aI%n%an%n%s', ...tips, '--not', base, '--']);
  return namesIn(said).map((entry) => {
    const [commit = '', at = '', author = '', subject = ''] = readable(entry).split('\n');
    return { commit, at, author, subject };
  });
}
