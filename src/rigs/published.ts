/**
 * What the remote of a rig holds, asked of it at the moment. Remote-tracking refs prove nothing: each agent can write them, and with
 * one of them would hide its own commits. What could not be asked is unknown, and unknown never counts as published.
 */
import type { RigRecord } from '../../machines/rigs/records.ts';
import { askAll, fetchHeads, trackingRef } from '../git/fetch.ts';
import type { Git } from '../git/git.ts';
import { RIG_WORK } from './policy.ts';
import { remoteOf } from './remote.ts';
import { withGit } from './repository.ts';

type Rig = Pick<RigRecord, 'name' | 'repo' | 'commonDir' | 'remote'>;

/**
 * Commits of the remote that the repository has; null = the rig has no remote. Rejects with `GitFailed` where it does not answer, with
 * `Failure` where it is not the rig's.
 */
export async function publishedOn(rig: Rig): Promise<readonly string[] | null> {
  const remote = (await remoteOf(rig))?.name ?? null;
  if (remote === null) return null;
  const place = { gitDir: rig.commonDir, cwd: rig.repo };
  const { branches, tags } = await askAll(place, remote);
  const all = [...new Set([...branches.values(), ...tags])];
  return withGit(rig, async ({ repo }) => {
    const here = await presentIn(repo, all);
    const missing = await followedIn(repo, remote, new Map([...branches].filter(([, commit]) => !here.has(commit))));
    if (missing.length === 0) return [...here];
    await fetchHeads(place, remote, missing);
    return [...(await presentIn(repo, all))];
  });
}

/** Of these branches those that the repository follows: what they held before came from here. */
async function followedIn(
  repo: Git,
  remote: string,
  branches: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  if (branches.size === 0) return [];
  const prefix = trackingRef(remote, '');
  const refs = (await repo.run(['for-each-ref', '--format=%(refname)', prefix])).split('\n');
  const names = refs.map((ref) => ref.slice(prefix.length)).filter((name) => branches.has(name));
  return names.slice(0, RIG_WORK.maxFetched);
}

/** Of these objects the commits that the repository has. */
async function presentIn(repo: Git, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const asked = names.map((name) => `${name}\n`).join('');
  const said = await repo.run(['cat-file', '--batch-check=%(objecttype) %(objectname)'], asked);
  return new Set(
    said.split('\n').flatMap((line) => {
      const [, name] = /^commit ([0-9a-f]{40,64})$/.exec(line) ?? [];
      return name ?? [];
    }),
  );
}

/** For a call that reads revisions from its input: this commit with its forebears, without those that are published. */
export const unpublishedRange = (commit: string, published: readonly string[]): string =>
  [commit, ...published.map((one) => `^${one}`), ''].join('\n');

/** Whether the remote has this commit. */
export const isPublished = (
  rig: Pick<RigRecord, 'commonDir'>,
  commit: string,
  published: readonly string[],
): Promise<boolean> =>
  withGit(rig, async ({ repo }) => {
    const left = await repo.run(['rev-list', '--max-count=1', '--stdin'], unpublishedRange(commit, published));
    return left.trim() === '';
  });
