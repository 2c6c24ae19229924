/** Of merged work: what came to its branch after it was handed over, and main lacks. */
import type { LaterSeen } from '../../../machines/witness/observation.ts';
import { beganLast } from '../../../state/rigs/work.ts';
import { deletingLine } from '../../rigs/earlier-branches.ts';
import type { LaterCommits } from '../../rigs/later-commits.ts';
import { RIG_WORK } from '../../rigs/policy.ts';
import { answerLately, mergedLately, type LostNeeds } from './lost.ts';
import { readyLine } from './refinery-work.ts';
import type { Trees } from './trees.ts';

interface LaterNeeds extends Omit<LostNeeds, 'trees'> {
  readonly trees: Pick<Trees, 'later'>;
  /** The repository of the rig. */
  readonly repo: string;
}

/** null = git does not tell now. */
export const laterIn = answerLately<LaterNeeds, LaterSeen>(async (needs) => {
  const { trees, disk, rig } = needs;
  const found: LaterSeen[number][] = [];
  for (const one of await trees.later(() => mergedLately(needs))) {
    const { id } = one.work.bead;
    // Else the branch is that of other work, which has the name by now.
    if ((await beganLast(disk, rig, one.branch)) !== id) continue;
    found.push({ bead: id, text: one.isMerged === 'unknown' ? null : laterText(needs, one) });
  }
  return found;
});

function laterText({ rig, repo }: LaterNeeds, { work, branch, tip, remote }: LaterCommits): string {
  const [merged, later] = [work.commit, tip].map((commit) => commit.slice(0, RIG_WORK.shortCommit));
  const { id, title } = work.bead;
  const had = `${id} (${title}) was merged at ${merged ?? ''}`;
  const has = `${branch} on ${remote} is at ${later ?? ''} by now, with commits that main lacks`;
  const again = readyLine(rig, { branch, commit: tip });
  const gone = deletingLine(repo, remote, { branch, commit: tip });
  return `${had}, and ${has}; to have them merged too, type: ${again}; to delete the branch: ${gone}; to leave it as it is, acknowledge this`;
}
