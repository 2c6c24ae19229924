/**
 * Work that began with a commit of main which a forced push took out of main since. Merged or pushed, its branch would bring that back
 * with everything that came before it: nothing of it is published until its own commits are moved.
 */
import { branchOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord, RigRecord } from '../../machines/rigs/records.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { lastSeen, mainOf } from './main-branch.ts';
import { commitOf, isBefore, withGit } from './repository.ts';
import type { Case } from './yard.ts';

/** Whether a commit holds one of main, as it was when work began, that main does not hold any more. */
export const bringsBack = (
  rig: Pick<RigRecord, 'commonDir'>,
  main: string,
  { began, commit }: { readonly began: string; readonly commit: string },
): Promise<boolean> =>
  withGit(rig, async ({ repo }) => !(await isBefore(repo, began, main)) && (await isBefore(repo, began, commit)));

/** By main as it was fetched last; null = it holds nothing of the kind, or that is unknown. */
export async function droppedIn(
  { rig, answers }: Pick<Case, 'rig' | 'answers'>,
  record: PolecatRecord,
): Promise<string | null> {
  const { main: began } = record;
  if (began === null) return null;
  const name = rig.remote === null ? null : (rig.remote?.name ?? 'origin');
  const main = await withGit(
    rig,
    ({ repo }) => (name === null ? commitOf(repo, `refs/heads/${began.branch}`) : lastSeen(repo, name, began.branch)),
    answers && { answers },
  );
  if (main === null || main === began.commit) return null;
  const commit = await withGit(rig, ({ repo }) => commitOf(repo, `refs/heads/${branchOf(record)}`));
  // Without a commit of its own there is nothing to publish.
  if (commit === null || commit === began.commit) return null;
  return (await bringsBack(rig, main, { began: began.commit, commit })) ? began.commit : null;
}

/** Asks the remote. Throws `Failure` where its branch may not be published, or the remote is not the rig's. */
export async function refuseDropped({ rig }: Pick<Case, 'rig'>, record: PolecatRecord): Promise<void> {
  const main = await mainOf(rig).catch((error: unknown) => {
    // Without a main branch there is nothing that could be brought back.
    if (error instanceof Failure && error.code === 'no_main') return null;
    throw error;
  });
  const began = record.main?.commit ?? null;
  if (main === null || began === null) return;
  const branch = branchOf(record);
  const commit = await withGit(rig, ({ repo }) => commitOf(repo, `refs/heads/${branch}`));
  if (commit === null || !(await bringsBack(rig, main.commit, { began, commit }))) return;
  const to = main.remote === null ? main.branch : `${main.remote}/${main.branch}`;
  const text = `${branch} holds ${began}, which a forced push took out of ${main.branch}: published, it would bring that back; move its own commits first: git rebase --onto ${to} ${began}`;
  throw new Failure(EXIT.refused, 'dropped', text);
}
