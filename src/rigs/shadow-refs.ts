/**
 * Refs whose names git takes for other refs. `git push origin HEAD` of an agent, or a push of its branch by the full name, then goes to
 * another ref or to none, and git ends with 0.
 * 1. In the repository, which all worktrees share: a `HEAD` among branches, tags and remotes; a tag of the main branch's name.
 * 2. On the remote: a `HEAD` there, which the next fetch brings here; a branch `refs/heads/polecat/nux` below `refs/heads/`, which git
 *    prefers to a `polecat/nux` that is not there yet, and finds ambiguous beside one that is. Below `refs/refs/`, where no push of a
 *    branch or tag makes one, none is looked for: a remote would send all refs that it has, those of each pull request among them.
 */
import type { RigRecord } from '../../machines/rigs/records.ts';
import type { ShadowSeen } from '../../machines/witness/observation.ts';
import { firstNames } from '../../machines/kernel/span.ts';
import { shellWord } from '../../state/files/show-text.ts';
import { askRefs, trackingRef } from '../git/fetch.ts';
import { mainNames } from './forced-pushes.ts';
import { RIG_WORK } from './policy.ts';
import { remoteOf } from './remote.ts';
import { withGit } from './repository.ts';

type Rig = Pick<RigRecord, 'name' | 'repo' | 'commonDir' | 'base' | 'remote'>;

const HEADS = ['refs/heads/HEAD', 'refs/tags/HEAD'];
/** The whole name of a ref as that of a branch or tag. */
const NESTED = ['refs/heads/refs/*', 'refs/tags/refs/*'];

/** The first ones with the line that deletes each, and one for the rest. Rejects where git or the remote does not tell. */
export async function shadowsOn(rig: Rig): Promise<ShadowSeen[]> {
  const remote = (await remoteOf(rig))?.name ?? null;
  const mains = remote === null ? [] : await mainNames(rig, remote);
  const here = await refsHere(rig, [
    ...HEADS,
    'refs/remotes/HEAD',
    ...mains.flatMap((main) => [`refs/tags/${main}`, ...(remote === null ? [] : shortsOf(remote, main))]),
  ]);
  const there =
    remote === null ? [] : await refsThere(rig, remote, [...HEADS, ...mains.map((main) => `refs/tags/${main}`)]);
  const git = `git -C ${shellWord(rig.repo)}`;
  const all = [
    ...here.map((ref) => ({ ref, line: `${ref} in ${rig.repo} (${git} update-ref -d ${shellWord(ref)})` })),
    ...there.map((ref) => ({
      ref: `${remote ?? ''}/${ref}`,
      line: `${ref} on ${remote ?? ''} (${git} push ${shellWord(remote ?? '')} --delete ${shellWord(ref)})`,
    })),
  ];
  const seen = all.slice(0, RIG_WORK.shownShadows).map(({ ref, line }) => ({ ref, text: textOf(line) }));
  const rest = all.slice(RIG_WORK.shownShadows).map(({ line }) => line);
  // By their number: one more is not hidden by what was acknowledged.
  return rest.length === 0
    ? seen
    : [...seen, { ref: `more-${rest.length}`, text: textOf(firstNames(rest, RIG_WORK.shownShadows)) }];
}

const textOf = (lines: string): string =>
  `git takes this name for another ref. An agent would push elsewhere, or push nothing, and git reports no error. To delete it: ${lines}; if it is meant to be there, acknowledge this`;

/** What `origin/main` is taken for before the tracking ref. */
const shortsOf = (remote: string, main: string): string[] => {
  const short = trackingRef(remote, main).slice('refs/remotes/'.length);
  return [`refs/tags/${short}`, `refs/heads/${short}`];
};

/** Of these those that are in the repository. */
const refsHere = (rig: Rig, names: readonly string[]): Promise<string[]> =>
  withGit(rig, async ({ repo }) =>
    (await repo.run(['for-each-ref', '--format=%(refname)', ...names])).split('\n').filter((ref) => ref !== ''),
  );

async function refsThere(rig: Rig, remote: string, names: readonly string[]): Promise<string[]> {
  const found = await askRefs({ gitDir: rig.commonDir, cwd: rig.repo }, remote, [...names, ...NESTED]);
  // git compares the ends of names.
  return found.filter((ref) => names.includes(ref) || NESTED.some((one) => ref.startsWith(one.slice(0, -1))));
}
