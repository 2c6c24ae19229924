/**
 * What the remote of a rig holds, asked of it at the moment. Remote-tracking refs prove nothing: each agent can write them, and with
 * one of them would hide its own commits. What could not be asked is unknown, and unknown never counts as published.
 */
import type { RigRecord } from '../../machines/rigs/records.ts';
import { askAll, fetchHeads, fetchObjects, pushedBeside, trackingRef, type From } from '../git/fetch.ts';
import type { Git } from '../git/git.ts';
import { RIG_WORK } from './policy.ts';
import { remoteOf } from './remote.ts';
import { withGit } from './repository.ts';

type Rig = Pick<RigRecord, 'name' | 'repo' | 'commonDir' | 'remote'>;

export interface Published {
  /** Commits of the remote that the repository has. */
  readonly commits: readonly string[];
  /** Each branch there, with its commit; the repository may not have that. */
  readonly branches: readonly (readonly [name: string, commit: string])[];
}

/**
 * What the remote has, where it is fetched from and where it is pushed to; null = the rig has no remote. Rejects with `GitFailed` where one
 * of them does not answer, with `Failure` where it is not the rig's.
 */
export async function publishedOn(rig: Rig): Promise<Published | null> {
  const remote = (await remoteOf(rig))?.name ?? null;
  if (remote === null) return null;
  const place = { gitDir: rig.commonDir, cwd: rig.repo };
  const found = [
    await publishedAt(rig, remote, { from: { remote }, bring: (names) => fetchHeads(place, remote, names) }),
  ];
  for (const address of await pushedBeside(place, remote)) {
    const bring = (names: readonly string[]): Promise<void> => fetchObjects(place, address, names);
    found.push(await publishedAt(rig, remote, { from: { address }, bring }));
  }
  const commits = [...new Set(found.flatMap((one) => one.commits))];
  return { commits, branches: found.flatMap((one) => one.branches) };
}

interface Source {
  readonly from: From;
  /** Fetches these branches. */
  readonly bring: (branches: readonly string[]) => Promise<void>;
}

async function publishedAt(rig: Rig, remote: string, { from, bring }: Source): Promise<Published> {
  const { branches, tags } = await askAll({ gitDir: rig.commonDir, cwd: rig.repo }, from);
  const all = [...new Set([...branches.values(), ...tags])];
  return withGit(rig, async ({ repo }) => {
    const here = await presentIn(repo, all);
    const missing = await followedIn(repo, remote, new Map([...branches].filter(([, commit]) => !here.has(commit))));
    if (missing.length > 0) await bring(missing);
    const commits = missing.length > 0 ? await presentIn(repo, all) : here;
    return { commits: [...commits], branches: [...branches] };
  });
}

/** The branches of the remote that hold a commit. */
export async function branchesWith(repo: Git, commit: string, { branches, commits }: Published): Promise<string[]> {
  const here = new Set(commits);
  const tips = branches.filter(([, tip]) => here.has(tip) && tip !== commit).map(([, tip]) => tip);
  const lines = [`^${commit}`, ...tips, ''].join('\n');
  // Every commit on a way from this one to one of those.
  const later = (await repo.run(['rev-list', '--ancestry-path', '--stdin'], lines)).split('\n');
  const holding = new Set([commit, ...later]);
  return branches.filter(([, tip]) => holding.has(tip)).map(([name]) => name);
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
export const unpublishedRange = (commit: string, { commits }: Published): string =>
  [commit, ...commits.map((one) => `^${one}`), ''].join('\n');

/** Whether the remote has this commit. */
export const isPublished = (
  rig: Pick<RigRecord, 'commonDir'>,
  commit: string,
  published: Published,
): Promise<boolean> =>
  withGit(rig, async ({ repo }) => {
    const left = await repo.run(['rev-list', '--max-count=1', '--stdin'], unpublishedRange(commit, published));
    return left.trim() === '';
  });
