/**
 * Commits that only the reflog or the refs of a worktree hold: work that was amended, reset or rebased away. They go with the
 * worktree, so a ref keeps them.
 */
import { join } from 'node:path';
import { branchOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import type { Git } from '../git/git.ts';
import { textOf } from '../git/files.ts';
import { refLog } from '../git/ref-log.ts';

const COMMIT = /^[0-9a-f]{40,64}$/;
const NONE = /^0+$/;

/** Where what a polecat left behind is kept. */
const keptRef = ({ rig, name, uuid }: PolecatRecord): string => `refs/town/rescue/${rig}-${name}-${uuid}`;

/** `own`: the worktree's part of the repository; null = there is none any more. Returns the ref; null = there was nothing to keep. */
export async function keepUnreferenced(
  git: { readonly repo: Git; readonly worktree: Git | null },
  folders: { readonly commonDir: string; readonly own: string | null },
  record: PolecatRecord,
): Promise<string | null> {
  const branch = branchOf(record);
  const logs = [join(folders.commonDir, 'logs/refs/heads', branch)];
  if (folders.own !== null) logs.push(join(folders.own, 'logs/HEAD'));
  const texts = await Promise.all(logs.map(textOf));
  const own = await git.worktree?.run(['for-each-ref', '--format=%(objectname)', ...OWN_REFS]);
  // The files also name where a log began; a reftable repository has none.
  const moves = [
    ...(await refLog(git.repo, `refs/heads/${branch}`)),
    ...(git.worktree === null ? [] : await refLog(git.worktree, 'HEAD')),
  ].map(({ commit }) => commit);
  const lines = [...texts.join('\n').split('\n'), ...(own ?? '').split('\n'), ...moves];
  const words = lines.flatMap((line) => line.split(' ', 2));
  const names = [...new Set(words)].filter((word) => COMMIT.test(word) && !NONE.test(word));
  const tips = await tipsOf(git.repo, names, branch);
  const [first] = tips;
  if (first === undefined) return null;
  const parents = tips.flatMap((tip) => ['-p', tip]);
  const message = `Townwatch rescue: commits of ${branch} that only its reflog held`;
  const kept = await git.repo.run(['commit-tree', '--no-gpg-sign', `${first}^{tree}`, ...parents, '-m', message]);
  await git.repo.run(['update-ref', keptRef(record), kept.trim()]);
  return keptRef(record);
}

/** Refs that each worktree has for itself. */
const OWN_REFS = ['refs/worktree', 'refs/bisect', 'refs/rewritten'];

/** Of these commits and their forebears those that no other ref holds, without those that another of them holds. */
async function tipsOf(git: Git, names: readonly string[], branch: string): Promise<string[]> {
  if (names.length === 0) return [];
  const others = ['--single-worktree', '--not', `--exclude=refs/heads/${branch}`, '--all'];
  const args = ['rev-list', '--parents', '--ignore-missing', '--stdin', ...others];
  const rows = (await git.run(args, names.map((name) => `${name}\n`).join(''))).split('\n');
  const commits = rows.filter((row) => row !== '').map((row) => row.split(' '));
  const parents = new Set(commits.flatMap((row) => row.slice(1)));
  return commits.flatMap(([commit = '']) => (parents.has(commit) ? [] : [commit]));
}
