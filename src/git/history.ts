/** What a repository says of one worktree's history: its branch, what git is in the middle of, its stashes, what is unpushed. */
import { join } from 'node:path';
import type { Operation } from '../../machines/rigs/worktree.ts';
import { readable } from './changes.ts';
import { entriesOf, isThere, textOf } from './files.ts';
import type { Git } from './git.ts';
import { GIT } from './policy.ts';

const HEADS = /^refs\/heads\//;
const REBASES = ['rebase-merge', 'rebase-apply'];

/** null = detached. During a rebase HEAD is detached, but the worktree still belongs to the branch being rebased. */
export async function branchOf(git: Git, gitDir: string): Promise<string | null> {
  const ref = await git.find(['symbolic-ref', '--quiet', 'HEAD']);
  // In short it would be `heads/nux` beside a tag of that name.
  if (ref !== null) return readable(ref.replace(HEADS, ''));
  for (const folder of REBASES) {
    const name = await textOf(join(gitDir, folder, 'head-name'));
    if (name?.startsWith('refs/heads/')) return name.trim().slice('refs/heads/'.length);
  }
  return null;
}

/** What git leaves in a repository while it waits for a person; the first that is there tells. */
const LEFT: readonly (readonly [file: string, operation: Operation])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  // Of several commits the rest, once the first is settled.
  ['sequencer', 'cherry-pick'],
  ['BISECT_LOG', 'bisect'],
];

export async function operationIn(gitDir: string): Promise<Operation | null> {
  const entries = await entriesOf(gitDir);
  for (const [file, operation] of LEFT) {
    const [first = ''] = file.split('/');
    if (entries.has(first) && (first === file || (await isThere(join(gitDir, file))))) return operation;
  }
  return null;
}

/** Stashes are shared by all worktrees of a repository; only those made on one of these branches are its own. null = detached. */
export async function stashesOn(git: Git, branches: readonly (string | null)[], shared = git): Promise<string[]> {
  const has = await shared.find(['rev-parse', '--verify', '--quiet', 'refs/stash']);
  if (has === null) return [];
  const listed = await git.run(['log', '-g', '-z', '--no-show-signature', '--format=%gd %H %gs', 'refs/stash', '--']);
  const made = branches.map((branch) => branch ?? '(no branch)');
  return listed
    .split('\0')
    .map(readable)
    .filter((line) => {
      const subject = line.split(' ').slice(2).join(' ');
      return made.some((one) => subject.startsWith(`WIP on ${one}: `) || subject.startsWith(`On ${one}: `));
    });
}

/** A commit of a log. */
export interface Logged {
  readonly parents: readonly string[];
  /** As the format of the log says it. */
  readonly text: string;
}
export type CommitGraph = ReadonlyMap<string, Logged>;

/** By hash, in the order of the log; null = more than can be told. `format`: one line. */
export async function commitGraph(repo: Git, format: string, range: readonly string[]): Promise<CommitGraph | null> {
  const log = ['log', '-z', '--no-show-signature', '--no-notes', `--format=%H %P%n${format}`];
  const said = await repo.runAtMost([...log, ...range, '--'], GIT.maxAnswerBytes);
  return said === null ? null : new Map(said.split('\0').filter(Boolean).map(loggedIn));
}

function loggedIn(entry: string): readonly [string, Logged] {
  const [ids = '', text = ''] = entry.split('\n');
  const [commit = '', ...parents] = ids.trim().split(' ');
  return [commit, { parents, text }];
}

/** The commits of this log that one of them comes from, itself among them: at most so many. */
export function reachedFrom(log: CommitGraph, head: string, most = Infinity): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [head];
  for (let id = open.pop(); id !== undefined && reached.size < most; id = open.pop()) {
    const commit = log.get(id);
    if (commit === undefined || reached.has(id)) continue;
    reached.add(id);
    open.push(...commit.parents);
  }
  return reached;
}

/** As `commitsOf`; refs of the range that are not there do not count. */
export const unpushedOf = (git: Git, range: readonly string[], most: number): Promise<string[]> =>
  commitsOf(git, ['--ignore-missing', ...range], most);

/** Commits of a range as `<hash> <subject>`, the newest first. */
export async function commitsOf(git: Git, range: readonly string[], most: number): Promise<string[]> {
  const log = ['log', '--no-show-signature', '--no-notes', `--max-count=${most}`];
  const listed = await git.run([...log, '--format=%H %s', ...range, '--']);
  return readable(listed).split('\n').filter(Boolean);
}
