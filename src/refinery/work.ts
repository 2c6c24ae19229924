/** Finds the work that a merge request is about, on the rig's remote as it is now. */
import type { RigRecord } from '../../machines/rigs/records.ts';
import { shellWord } from '../../state/files/show-text.ts';
import { askHeads, fetchHeads } from '../git/fetch.ts';
import type { Request } from '../patrols/witness/refinery-work.ts';
import { bringsBack } from '../rigs/dropped-base.ts';
import { inMain } from '../rigs/in-main.ts';
import type { Main } from '../rigs/main-branch.ts';
import { REFINERY } from './policy.ts';
import { commitOf, withGit } from '../rigs/repository.ts';

export interface Work {
  readonly branch: string;
  readonly commit: string;
  /** Whether the remote's branch stands at this very commit. */
  readonly isTip: boolean;
}

/**
 * `merged`: main has it. `refused`: it cannot be merged as it is, and its polecat learns why. `unknown`: git does not tell whether main
 * has it. `out`: main had it and took it out again, which no merge undoes without a person.
 */
export type Found =
  | { readonly is: 'open' | 'merged'; readonly work: Work }
  | { readonly is: 'refused'; readonly why: string }
  | { readonly is: 'out' }
  | { readonly is: 'unknown' };

const refused = (why: string): Found => ({ is: 'refused', why });

/**
 * What main has comes first: a refinery that was killed after its push finds its own work there. Rejects with `GitFailed` where the
 * remote does not answer.
 */
export async function findWork(
  rig: RigRecord,
  main: Main & { readonly remote: string },
  request: Request,
): Promise<Found> {
  const branch = request.branch ?? (request.polecat === null ? null : `polecat/${request.polecat}`);
  if (branch === null) return refused('the request names no branch; write Branch: <name> into it');
  if (!(await isBranchName(rig, branch)))
    return refused(`git takes no branch by the name ${JSON.stringify(branch)}; write Branch: <name> into the request`);
  const place = { gitDir: rig.commonDir, cwd: rig.repo, transferMs: REFINERY.transferMs };
  const tip = (await askHeads(place, main.remote, [branch])).commits.get(branch) ?? null;
  if (tip !== null) await fetchHeads(place, main.remote, [branch]);
  const gone = refused(`the remote has no branch ${branch}`);
  const named = request.commit ?? tip;
  if (named === null) return gone;
  const commit = await withGit(rig, ({ repo }) => commitOf(repo, named));
  if (commit === null) return refused(`there is no commit ${named}, which the request names`);
  const work = { branch, commit, isTip: commit === tip };
  const is = (await inMain(rig, main, [{ commit, base: request.main }])).get(commit) ?? 'unknown';
  if (is === 'out') return { is };
  if (is !== 'no') return is === 'yes' ? { is: 'merged', work } : { is };
  if (tip === null) return gone;
  if (!(await isBefore(rig, commit, tip)))
    return refused(
      `a forced push moved ${branch} to ${tip}, and ${commit} was handed over, which it does not have any more`,
    );
  const { main: began } = request;
  if (began !== null && (await bringsBack(rig, main.commit, { began, commit })))
    return refused(
      `${branch} began with ${began}, which ${main.branch} does not have any more; take over its own commits alone: git cherry-pick ${shellWord(`${began}..${branch}`)}`,
    );
  return { is: 'open', work };
}

/** As for `git branch`, which also refuses what a command would take for an option. */
const isBranchName = async (rig: RigRecord, name: string): Promise<boolean> =>
  !name.startsWith('-') &&
  (await withGit(rig, ({ repo }) => repo.find(['check-ref-format', `refs/heads/${name}`]))) !== null;

const isBefore = (rig: RigRecord, one: string, other: string): Promise<boolean> =>
  withGit(rig, async ({ repo }) => (await repo.find(['merge-base', '--is-ancestor', one, other])) !== null);
