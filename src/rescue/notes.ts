/** The texts kept beside a rescue ref, for people: what was there, and how to get it back. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readable } from './changes.ts';
import type { RescueLimits, Snapshot } from './snapshot.ts';

/** File names under the rescue's folder and their content. `nth` counts the repositories of one rescue from 1. */
export async function notesOf(
  snapshot: Snapshot,
  nth: number,
  limits: RescueLimits,
): Promise<Record<string, Uint8Array | string>> {
  const { git, headTree, tree } = snapshot;
  const diff = ['diff-tree', '-p', '--binary', '--full-index', '--no-ext-diff', '--no-textconv', '--submodule=short'];
  const patch = headTree === tree ? '' : await git.runAtMost([...diff, headTree, tree], limits.maxPatchBytes);
  const patchName = `git-${nth}.patch`;
  const files: Record<string, Uint8Array | string> = {
    [`git-${nth}.txt`]: await text(snapshot, patch === null ? null : patchName, limits),
  };
  if (patch !== null && patch !== '') files[patchName] = Buffer.from(patch, 'latin1');
  return files;
}

async function text(snapshot: Snapshot, patchName: string | null, limits: RescueLimits): Promise<string> {
  const { top, head, ref, status, changes, tree, headTree } = snapshot;
  const branch = await branchOf(snapshot);
  return [
    `worktree: ${top}`,
    `branch: ${branch ?? '(detached)'}`,
    `HEAD: ${head ?? '(no commit yet)'}`,
    `in the middle of: ${(await operation(snapshot)) ?? 'nothing'}`,
    '',
    ...(ref === null ? ['Nothing was uncommitted.'] : restoring(ref, tree !== headTree ? patchName : '', limits)),
    ...section('Not files, so not kept', changes.skipped.map(readable)),
    ...section('Repositories inside, saved on their own', changes.repos.map(readable)),
    ...section('Stashes made on this branch', await stashes(snapshot, branch, limits)),
    ...section('Commits on no remote', await unpushed(snapshot, limits)),
    '',
    '# git status --porcelain=v2 --branch',
    readable(status),
  ].join('\n');
}

function restoring(ref: string, patchName: string | null, limits: RescueLimits): string[] {
  return [
    `kept under: ${ref}`,
    `  look:             git diff HEAD ${ref}`,
    `  all, with stage:  git stash apply ${ref}`,
    `  one file:         git restore --source=${ref} -- <file>`,
    `  what was staged:  git diff ${ref}^1 ${ref}^2`,
    `  forget:           git update-ref -d ${ref}`,
    ...(patchName === null ? [`The patch is larger than ${limits.maxPatchBytes} bytes and is only in the ref.`] : []),
    ...(patchName === null || patchName === '' ? [] : [`The same as a patch against HEAD: ${patchName}`]),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `# ${title}`, ...lines.map((line) => line.replaceAll('\n', '\\n'))];
}

/** Stashes are shared by all worktrees of a repository; only those made on this one's branch are its own. */
async function stashes({ git }: Snapshot, branch: string | null, limits: RescueLimits): Promise<string[]> {
  const has = await git.find(['rev-parse', '--verify', '--quiet', 'refs/stash']);
  if (has === null) return [];
  const listed = await git.run(['log', '-g', '-z', '--no-show-signature', '--format=%gd %H %gs', 'refs/stash', '--']);
  const made = branch === null ? '(no branch)' : branch;
  const own = listed
    .split('\0')
    .map(readable)
    .filter((line) => {
      const subject = line.split(' ').slice(2).join(' ');
      return subject.startsWith(`WIP on ${made}: `) || subject.startsWith(`On ${made}: `);
    });
  return atMost(own, limits.maxListedCommits);
}

async function unpushed({ git, head }: Snapshot, limits: RescueLimits): Promise<string[]> {
  if (head === null) return [];
  const range = [head, '--not', '--remotes'];
  const count = Number((await git.run(['rev-list', '--count', ...range])).trim());
  const listed = await git.run([
    'log',
    '--no-show-signature',
    '--no-notes',
    `--max-count=${limits.maxListedCommits}`,
    '--format=%H %s',
    ...range,
  ]);
  const found = readable(listed)
    .split('\n')
    .filter((line) => line !== '');
  return count > found.length ? [...found, `… and ${count - found.length} more`] : found;
}

function atMost(lines: readonly string[], most: number): string[] {
  return lines.length > most ? [...lines.slice(0, most), `… and ${lines.length - most} more`] : [...lines];
}

const REBASES = ['rebase-merge', 'rebase-apply'];

/** During a rebase HEAD is detached, but the worktree still belongs to the branch being rebased. */
async function branchOf({ git, gitDir }: Snapshot): Promise<string | null> {
  const branch = await git.find(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  if (branch !== null) return readable(branch);
  for (const folder of REBASES) {
    const name = await textOf(join(gitDir, folder, 'head-name'));
    if (name?.startsWith('refs/heads/')) return name.trim().slice('refs/heads/'.length);
  }
  return null;
}

async function operation({ gitDir }: Snapshot): Promise<string | null> {
  for (const [file, name] of [
    ['rebase-merge/head-name', 'a rebase'],
    ['rebase-apply/next', 'a rebase or am'],
    ['MERGE_HEAD', 'a merge'],
    ['CHERRY_PICK_HEAD', 'a cherry-pick'],
    ['REVERT_HEAD', 'a revert'],
    ['BISECT_LOG', 'a bisect'],
  ] as const)
    if ((await textOf(join(gitDir, file))) !== null) return name;
  return null;
}

/** null = there is no such file. */
async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
