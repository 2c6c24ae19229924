/** The texts kept beside a rescue ref, for people: what was there, and how to get it back. */
import { readable } from '../git/changes.ts';
import { branchOf, operationIn, stashesOn, unpushedOf } from '../git/history.ts';
import type { RescueLimits, Snapshot } from './snapshot.ts';
import { firstLines } from '../../machines/kernel/span.ts';

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
  const { top, head, ref, status, changes, tree, headTree, git, gitDir } = snapshot;
  const branch = await branchOf(git, gitDir);
  return [
    `worktree: ${top}`,
    `branch: ${branch ?? '(detached)'}`,
    `HEAD: ${head ?? '(no commit yet)'}`,
    `in the middle of: ${await middleOf(gitDir)}`,
    '',
    ...(ref === null ? ['Nothing was uncommitted.'] : restoring(ref, tree !== headTree ? patchName : '', limits)),
    ...section('Not files, so not kept', changes.skipped.map(readable)),
    ...section('Repositories inside, saved on their own', changes.repos.map(readable)),
    ...section('Stashes made on this branch', firstLines(await stashesOn(git, [branch]), limits.maxListedCommits)),
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

async function unpushed({ git, head }: Snapshot, limits: RescueLimits): Promise<string[]> {
  if (head === null) return [];
  const range = [head, '--not', '--remotes'];
  const count = Number((await git.run(['rev-list', '--count', ...range])).trim());
  const found = await unpushedOf(git, range, limits.maxListedCommits);
  return count > found.length ? [...found, `… and ${count - found.length} more`] : found;
}

async function middleOf(gitDir: string): Promise<string> {
  const operation = await operationIn(gitDir);
  return operation === null ? 'nothing' : `${/^[aeiou]/.test(operation) ? 'an' : 'a'} ${operation}`;
}
