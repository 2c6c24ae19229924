/** Which branches the remote of a rig has not any more. */
import { shellWord } from '../../state/files/show-text.ts';
import type { RigRecord } from '../../machines/rigs/records.ts';
import { askHeads } from '../git/fetch.ts';
import { remoteOf } from './remote.ts';

export type Pushed = Readonly<Record<'branch' | 'commit', string>>;

/**
 * Those that the remote does not have now, each with the line that pushes its commit there again. Rejects where the remote does not answer,
 * or is not the rig's.
 */
export async function goneFrom(
  rig: Pick<RigRecord, 'name' | 'repo' | 'commonDir' | 'remote'>,
  works: readonly Pushed[],
): Promise<ReadonlyMap<string, string>> {
  const remote = works.length === 0 ? null : ((await remoteOf(rig))?.name ?? null);
  if (remote === null) return new Map();
  const place = { gitDir: rig.commonDir, cwd: rig.repo };
  const names = works.map(({ branch }) => branch);
  const { commits } = await askHeads(place, remote, names);
  const lineOf = ({ branch, commit }: Pushed): string =>
    `git -C ${shellWord(rig.repo)} push ${shellWord(remote)} ${commit}:${shellWord(`refs/heads/${branch}`)}`;
  return new Map(works.filter(({ branch }) => !commits.has(branch)).map((work) => [work.branch, lineOf(work)]));
}
