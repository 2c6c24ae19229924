/**
 * Branches beside which a polecat's branch cannot stand. git keeps refs as files: beside a branch `polecat` there can be no `polecat/nux`,
 * neither in the repository nor on its remote.
 */
import { branchOf } from '../../machines/rigs/names.ts';
import type { RigRecord } from '../../machines/rigs/records.ts';
import { askHeads, trackingRef } from '../git/fetch.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import type { Main } from './main-branch.ts';
import { commitOf, isBefore, withGit } from './repository.ts';

type Rig = Pick<RigRecord, 'repo' | 'commonDir' | 'remote'>;

/** The first part of the name of each polecat's branch. */
const [FOLDER = ''] = branchOf({ rig: '', name: '' }).split('/', 1);

const rename = (where: string, command: string): string =>
  `${where} has a branch ${FOLDER}, beside which there can be no ${branchOf({ rig: '', name: '<name>' })}; rename it: ${command}`;
const onRemote = (remote: string): string =>
  rename(
    `the remote ${remote}`,
    `git push ${remote} ${remote}/${FOLDER}:refs/heads/<other> :${FOLDER}, then git fetch --prune ${remote}`,
  );

/** Why no polecat's branch can be made, in a sentence with what to type, by the refs of the repository; null = nothing is in the way. */
export const branchTrouble = ({ repo: path, commonDir, remote }: Rig): Promise<string | null> =>
  withGit({ commonDir }, async ({ repo }) => {
    // Each agent can make refs of another remote, and they hinder no branch.
    const name = remote === null ? '' : (remote?.name ?? 'origin');
    const there = trackingRef(name, FOLDER);
    const refs = (await repo.run(['for-each-ref', '--format=%(refname)', `refs/heads/${FOLDER}`, there])).split('\n');
    if (refs.includes(`refs/heads/${FOLDER}`)) return rename(path, `git branch -m ${FOLDER} <other>`);
    return refs.includes(there) ? onRemote(name) : null;
  });

/** Also asks the remote, if it answers. Throws `Failure`. */
export async function refuseFolder(rig: Rig, remote: string | null): Promise<void> {
  const here = await branchTrouble(rig);
  if (here !== null) throw new Failure(EXIT.refused, 'branch_taken', here);
  if (remote === null) return;
  const there = await askHeads({ gitDir: rig.commonDir, cwd: rig.repo }, remote, [FOLDER]).catch(() => null);
  if (there?.commits.has(FOLDER) === true) throw new Failure(EXIT.refused, 'branch_taken', onRemote(remote));
}

/**
 * Throws `Failure` where this branch cannot be made, or could not be pushed: the remote's branch of the name holds commits that main lacks,
 * which may wait to be merged. Main was fetched before, and with it the branches of polecats.
 */
export async function refuseBranch(rig: Rig, branch: string, main: Main): Promise<void> {
  const trouble = await branchTrouble(rig);
  if (trouble !== null) throw new Failure(EXIT.refused, 'branch_taken', trouble);
  const { remote } = main;
  const { isHere, isThere } = await withGit(rig, async ({ repo }) => {
    const there = remote === null ? null : await commitOf(repo, trackingRef(remote, branch));
    const isMerged = there !== null && (await isBefore(repo, there, main.commit));
    return { isHere: (await commitOf(repo, `refs/heads/${branch}`)) !== null, isThere: there !== null && !isMerged };
  });
  const taken = (text: string): Failure => new Failure(EXIT.refused, 'branch_taken', text);
  if (isHere)
    throw taken(`${rig.repo} has a branch ${branch} already; delete it if it is not needed, or choose another name`);
  if (remote === null || !isThere) return;
  // The branch may be deleted there since it was fetched. Silence keeps the name.
  const now = await askHeads({ gitDir: rig.commonDir, cwd: rig.repo }, remote, [branch]).catch(() => null);
  if (now === null || now.commits.has(branch))
    throw taken(
      `the remote ${remote} has a branch ${branch} with commits that ${main.branch} lacks, which may wait to be merged; choose another name, or see them: git log ${main.branch}..${remote}/${branch}`,
    );
}
