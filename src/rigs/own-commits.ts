/**
 * What the push of a branch would publish besides its last state: every commit that its remote does not have. A key that one adds and
 * the next takes away is published too. What is published once cannot be taken back.
 */
import { branchOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { namesIn, readable } from '../git/changes.ts';
import type { Git } from '../git/git.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { COMMIT_FORMAT, keyInPatch, keyText, PATCH } from './patch.ts';
import { RIG_WORK } from './policy.ts';
import { withGit } from './repository.ts';
import { isSecretName } from './secret-names.ts';
import { sizeText } from './size-text.ts';
import type { Case } from './yard.ts';

/** Throws `Failure` (exit 5) where a commit that is on no remote holds what looks like a secret, or a file that is too large. */
export async function refuseKeys(
  { rig }: Pick<Case, 'rig'>,
  record: PolecatRecord,
  branch = branchOf(record),
): Promise<void> {
  const why = await withGit(rig, ({ repo }) => whyUnpublishable(repo, branch));
  if (why === null) return;
  const text = `${branch} is not pushed: ${why}; take it out of the commits, or, if it is meant to be public, push them by hand: git -C ${rig.repo} push origin ${branch}`;
  throw new Failure(EXIT.refused, 'secret', text);
}

async function whyUnpublishable(git: Git, branch: string): Promise<string | null> {
  const range = [`refs/heads/${branch}`, '--not', '--remotes'];
  if ((await git.run(['rev-list', '--max-count=1', ...range])) === '') return null;
  return (await whyByName(git, range)) ?? (await whyBySize(git, range)) ?? (await whyByText(git, range));
}

/** What a merge alone adds is seen too. */
const MERGES = '--cc';

async function whyByName(git: Git, range: readonly string[]): Promise<string | null> {
  const added = ['log', '--format=', '--name-only', '-z', '--no-renames', '--diff-filter=A', MERGES, ...range];
  const name = namesIn(await git.run(added))
    .map(readable)
    .find(isSecretName);
  return name === undefined ? null : `${JSON.stringify(name)} in its commits looks like a secret (by its name)`;
}

async function whyBySize(git: Git, range: readonly string[]): Promise<string | null> {
  const objects = await git.run(['rev-list', '--objects', ...range]);
  const sizes = await git.run(['cat-file', '--batch-check=%(objecttype) %(objectsize) %(rest)'], `${objects}\n`);
  for (const line of sizes.split('\n')) {
    const [, bytes = '', name = ''] = /^blob (\d+) (.*)$/.exec(line) ?? [];
    if (Number(bytes) > RIG_WORK.maxPublishedBytes)
      return `${JSON.stringify(readable(name))} (${sizeText(Number(bytes))}) in its commits is larger than ${sizeText(RIG_WORK.maxPublishedBytes)}`;
  }
  return null;
}

async function whyByText(git: Git, range: readonly string[]): Promise<string | null> {
  const log = ['log', COMMIT_FORMAT, '--patch', MERGES, ...PATCH, ...range];
  const patch = await git.runAtMost(log, RIG_WORK.maxPatchBytes);
  if (patch === null)
    return `the changes of its commits are more than ${sizeText(RIG_WORK.maxPatchBytes)}, and cannot be looked through for keys`;
  const key = keyInPatch(patch);
  return key && `${keyText(key)} in commit ${(key.commit ?? '').slice(0, SHORT)}`;
}

/** Letters of a commit's id that a person needs. */
const SHORT = 10;
