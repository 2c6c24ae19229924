/**
 * The remote of a rig, as it was recorded when the rig was added. A repository's settings are shared by all its worktrees, so that
 * one agent's `git remote set-url` would take the whole rig elsewhere: they are compared before each fetch and each push, and before
 * anything counts as pushed. Where they differ, nothing goes out and nothing goes away until a person decides.
 */
import { isAbsolute, resolve } from 'node:path';
import type { RigRecord, RigRemote } from '../../machines/rigs/records.ts';
import { remoteIn } from '../git/fetch.ts';
import { GitFailed } from '../git/git.ts';
import { settingsTexts } from '../git/settings.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { shellWord } from '../../state/files/show-text.ts';

type Rig = Pick<RigRecord, 'name' | 'repo' | 'commonDir' | 'remote'>;

interface Known {
  readonly texts: string;
  readonly remote: Promise<RigRemote | null>;
}
/** By repository: the last question to git, and the settings that it was about. A cycle compares the remote before each of its steps. */
const known = new Map<string, Known>();

/** As the repository's settings have it now; null = it has none. Throws `Failure` where they do not name one. */
export async function remoteNow({ repo, commonDir }: Pick<Rig, 'repo' | 'commonDir'>): Promise<RigRemote | null> {
  try {
    const texts = await settingsTexts(commonDir);
    const before = known.get(commonDir);
    if (texts !== null && before?.texts === texts) return await before.remote;
    const remote = askedNow({ repo, commonDir });
    if (texts !== null) known.set(commonDir, { texts, remote });
    // One that failed is asked again.
    remote.catch(() => known.get(commonDir)?.remote === remote && known.delete(commonDir));
    return await remote;
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new Failure(EXIT.failed, 'no_remote', error.message.replaceAll('\n', ' '));
  }
}

async function askedNow({ repo, commonDir }: Pick<Rig, 'repo' | 'commonDir'>): Promise<RigRemote | null> {
  const found = await remoteIn({ gitDir: commonDir, cwd: repo });
  return found && { ...found, url: withoutSecret(found.url), pushUrl: withoutSecret(found.pushUrl) };
}

/** null = the rig has none. Throws `Failure` where the repository has another one by now. */
export async function remoteOf(rig: Rig): Promise<RigRemote | null> {
  const now = await remoteNow(rig);
  if (rig.remote === undefined) return now;
  const why = differenceOf(rig, now);
  if (why === null) return now;
  throw new Failure(EXIT.refused, 'other_remote', why);
}

/** Why nothing goes out of the rig or counts as pushed, in a sentence for a person; null = its remote is the one on record. */
export async function remoteTrouble(rig: Rig): Promise<string | null> {
  try {
    await remoteOf(rig);
    return null;
  } catch (error) {
    // That git cannot be asked now is no answer.
    if (error instanceof Failure && error.code === 'other_remote') return error.message;
    throw error;
  }
}

/** A sentence, with what to type; null = it is the one on record. */
function differenceOf({ name, repo, remote: recorded = null }: Rig, now: RigRemote | null): string | null {
  const take = `to keep it as it is now: town rig set ${name} --remote`;
  const git = `git -C ${shellWord(repo)}`;
  const before = `the rig ${name} was added`;
  if (recorded === null)
    return now === null
      ? null
      : `${before} without a remote, and ${repo} has ${now.name} (${urlText(now.url)}) by now; ${take}`;
  if (now?.name !== recorded.name) {
    const has = now === null ? 'no remote' : `the remote ${now.name}`;
    const back = `${git} remote add ${recorded.name} ${shellWord(urlText(recorded.url))}`;
    return `${before} with the remote ${recorded.name} (${urlText(recorded.url)}), and ${repo} has ${has} by now; put it back: ${back}; ${take}`;
  }
  const look = `look at: ${git} config --show-origin --get-regexp '^(remote|url)[.]'`;
  if (now.url !== recorded.url)
    return `${before} with ${recorded.name} at ${urlText(recorded.url)}, and it is at ${urlText(now.url)} by now; put it back: ${git} remote set-url ${recorded.name} ${shellWord(urlText(recorded.url))}, or ${look}; ${take}`;
  if (now.pushUrl !== recorded.pushUrl)
    return `${before} to push to ${urlText(recorded.pushUrl)}, and ${recorded.name} pushes to ${urlText(now.pushUrl)} by now; ${look}; ${take}`;
  return null;
}

/** git takes it from the folder that it runs in, and a worktree is another folder; what to type. null = it leads to one place from all. */
export function relativeText({ repo }: Pick<Rig, 'repo'>, remote: RigRemote | null): string | null {
  if (remote === null) return null;
  const { name, url, pushUrl } = remote;
  const [at, option] = isRelative(url) ? [url, ''] : [pushUrl, '--push '];
  if (!isRelative(at)) return null;
  const mend = `git -C ${shellWord(repo)} remote set-url ${option}${name} ${shellWord(resolve(repo, at))}`;
  return `the remote ${name} of ${repo} is at ${at}, a relative path, which no worktree finds; type: ${mend}`;
}

/** A colon before the first slash names a host or a scheme. */
const isRelative = (url: string): boolean => !isAbsolute(url) && !/^[^/]*:/.test(url);

/** A token in a web address is no part of where that leads: it changes, and a record is no place for it. */
const withoutSecret = (urls: string): string => urls.replaceAll(/(^| )(https?:\/\/)[^@/ ]*@/gi, '$1$2');

/** Without a name or password in it. */
export const urlText = (url: string): string => url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^@/]*@/i, '$1');

/** How it is named in a text. */
export const remoteText = (remote: RigRemote | null): string =>
  remote === null
    ? 'none: its work stays in this repository'
    : `${remote.name}, ${urlText(remote.url)}${remote.pushUrl === remote.url ? '' : `, pushed to ${urlText(remote.pushUrl)}`}`;
