/** Asks a remote what it has by now, and fetches some of its branches into the remote-tracking refs. */
import type { RigRemote } from '../../machines/rigs/records.ts';
import { GitFailed } from './git.ts';
import { GIT } from './policy.ts';
import { ADDRESS, call, transfer, type PushPlace } from './push.ts';
import { unlessSilent } from './silence.ts';

export interface RemoteHeads {
  /** The branch that the remote's HEAD names; null = it names none that is there. */
  readonly head: string | null;
  /** Of the branches that were asked for, those that are there, with their commits. */
  readonly commits: ReadonlyMap<string, string>;
}

const HEADS = 'refs/heads/';

/** Rejects with `GitFailed` where the remote does not answer. `branches`: names to ask for besides the one of its HEAD. */
export async function askHeads(place: PushPlace, remote: string, branches: readonly string[]): Promise<RemoteHeads> {
  const wanted = ['HEAD', ...branches.map((name) => `${HEADS}${name}`)];
  const words = ['ls-remote', '--symref', '--', remote, ...wanted];
  const said = await unlessSilent(place.gitDir, remote, () => call(place, words, place.netMs ?? GIT.askMs));
  const commits = new Map<string, string>();
  let head: string | null = null;
  for (const line of said.split('\n')) {
    const [value = '', ref = ''] = line.split('\t');
    if (ref === 'HEAD' && value.startsWith(`ref: ${HEADS}`)) head = value.slice(`ref: ${HEADS}`.length);
    else if (ref === 'HEAD' && head !== null) commits.set(head, value);
    else if (ref.startsWith(HEADS)) commits.set(ref.slice(HEADS.length), value);
  }
  return { head, commits };
}

export interface RemoteRefs {
  /** The commit of each branch. */
  readonly branches: ReadonlyMap<string, string>;
  /** What the tags name: commits, and tags that name those. */
  readonly tags: readonly string[];
}

/** A remote by its name, or by an address as git uses it. */
export type From = { readonly remote: string } | { readonly address: string };

/** All branches and tags of a remote. Rejects with `GitFailed` where the remote does not answer. */
export async function askAll(place: PushPlace, from: From): Promise<RemoteRefs> {
  const [name, word] = 'remote' in from ? [from.remote, from.remote] : [from.address, ADDRESS];
  const words = ['ls-remote', '--heads', '--tags', '--', word];
  const said = await unlessSilent(place.gitDir, name, () =>
    call({ ...place, ...from }, words, place.netMs ?? GIT.askMs),
  );
  const branches = new Map<string, string>();
  const tags: string[] = [];
  for (const line of said.split('\n')) {
    const [value = '', ref = ''] = line.split('\t');
    if (ref.startsWith(HEADS)) branches.set(ref.slice(HEADS.length), value);
    else if (ref !== '') tags.push(value);
  }
  return { branches, tags };
}

/** The branches and tags of a remote whose full names end so; `*` stands for any end. Rejects with `GitFailed` where the remote does not answer. */
export async function askRefs(place: PushPlace, remote: string, ends: readonly string[]): Promise<string[]> {
  const words = ['ls-remote', '--heads', '--tags', '--', remote, ...ends];
  const said = await unlessSilent(place.gitDir, remote, () => call(place, words, place.netMs ?? GIT.askMs));
  return said.split('\n').flatMap((line) => line.split('\t')[1] ?? []);
}

export const trackingRef = (remote: string, branch: string): string => `refs/remotes/${remote}/${branch}`;

/**
 * Where the town notes which main branches it fetched, with git's log of each: only its own fetches move these refs, and no fetch or push
 * of an agent or a person does.
 */
export const SEEN_REFS = 'refs/town/main/';
export const seenRef = (remote: string, branch: string): string => `${SEEN_REFS}${remote}/${branch}`;

/**
 * Ignores the repository's own refspecs. A name that ends with `*` is a pattern. `noted`: a branch that is noted as seen, too. Rejects with
 * `GitFailed`.
 */
export async function fetchHeads(
  place: PushPlace,
  remote: string,
  branches: readonly string[],
  noted: readonly string[] = [],
): Promise<void> {
  const refspecs = [
    ...branches.map((name) => `+${HEADS}${name}:${trackingRef(remote, name)}`),
    ...noted.map((name) => `+${HEADS}${name}:${seenRef(remote, name)}`),
  ];
  const quiet = ['--quiet', '--no-tags', '--no-prune', '--no-recurse-submodules'];
  // Else git keeps no log of a ref that is neither a branch nor a tracking ref.
  const words = ['-c', 'core.logAllRefUpdates=always', 'fetch', ...quiet, '--', remote, ...refspecs];
  await unlessSilent(place.gitDir, remote, () => transfer(place, words));
}

/** Brings what these branches of an address hold into the repository, and moves no ref of it. Rejects with `GitFailed`. */
export async function fetchObjects(place: PushPlace, address: string, branches: readonly string[]): Promise<void> {
  const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  const words = ['fetch', ...quiet, '--', ADDRESS, ...branches.map((name) => `${HEADS}${name}`)];
  await unlessSilent(place.gitDir, address, () => transfer({ ...place, address }, words));
}

/**
 * Asks git a question as one that may fetch, so that a partial clone then has the objects which the answer needs: git alone knows them. A
 * remote that does not answer leaves them away.
 */
export const fetchFor =
  (place: PushPlace) =>
  (words: readonly string[], input: string): Promise<unknown> =>
    unlessSilent(place.gitDir, 'promisor', () => transfer({ ...place, input }, words)).catch((error: unknown) => {
      if (!(error instanceof GitFailed)) throw error;
    });

/** Addresses, as git uses them, that a push goes to and a fetch does not; mostly there are none. Rejects with `GitFailed`. */
export async function pushedBeside(place: PushPlace, remote: string): Promise<readonly string[]> {
  // Of several addresses git fetches from the first.
  const [fetched] = await addressesOf(place, remote);
  return (await addressesOf(place, remote, '--push')).filter((address) => address !== fetched);
}

const addressesOf = async (place: PushPlace, remote: string, ...which: string[]): Promise<string[]> =>
  (await call(place, ['remote', 'get-url', '--all', ...which, '--', remote], GIT.lookMs)).split('\n');

/** As git would use it now. null = there is no remote. Rejects with `GitFailed`. */
export async function remoteIn(place: PushPlace): Promise<RigRemote | null> {
  const listed = (await call(place, ['remote', '--verbose'], GIT.lookMs)).split('\n');
  const name = chosen(place, [...new Set(listed.flatMap((line) => line.split('\t', 1)))]);
  if (name === null) return null;
  const [url, pushUrl, ...more] = listed.flatMap((line) => addressIn(line, name));
  // Of several addresses all count, as work that is pushed goes to each; the list leaves out those that a fetch does not use.
  if (url !== undefined && url === pushUrl && more.length === 0) return { name, url, pushUrl };
  const addresses = async (...which: string[]): Promise<string> => (await addressesOf(place, name, ...which)).join(' ');
  return { name, url: await addresses(), pushUrl: await addresses('--push') };
}

/** Of a line `<name>⇥<address> (fetch)`. */
const addressIn = (line: string, name: string): string[] =>
  line.startsWith(`${name}\t`) ? [line.slice(name.length + 1).replace(/ \((?:fetch|push)\)(?: \[[^\]]*\])?$/, '')] : [];

/** origin, or the only one. */
function chosen(place: PushPlace, listed: readonly string[]): string | null {
  const names = listed.filter((name) => name !== '');
  if (names.length <= 1) return names[0] ?? null;
  if (names.includes('origin')) return 'origin';
  throw new GitFailed(
    `${place.cwd} has the remotes ${names.join(', ')} and none of them is origin; git remote rename <one> origin`,
  );
}
