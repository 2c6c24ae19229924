/**
 * What the push of a branch would publish besides its last state: every commit that its remote does not have, as it is there, with its
 * message and the name of the branch. A key that one adds and the next takes away is published too. What is published once cannot be
 * taken back. The very commit that was looked through is what may be pushed.
 */
import { branchOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { namesIn, readable } from '../git/changes.ts';
import { GitFailed, type Git } from '../git/git.ts';
import { keyIn } from '../screen/secrets.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { keyInObjects } from './lfs-objects.ts';
import { COMMIT_FORMAT, keyInPatch, keyText, PATCH, plain } from './patch.ts';
import { RIG_WORK } from './policy.ts';
import { publishedOn, unpublishedRange } from './remote-contents.ts';
import { commitOf, EACH_AS_TEXT, withGit } from './repository.ts';
import { isSecretName } from './secret-names.ts';
import { sizeText } from '../../machines/kernel/span.ts';
import type { Case } from './yard.ts';

/**
 * The commit of the branch that holds nothing of the kind; null = there is no such branch. Throws `Failure` (exit 5) where a commit that
 * is not on the remote holds what looks like a secret, or a file that is too large, or where the remote does not answer.
 */
export async function refuseKeys(
  { rig }: Pick<Case, 'rig'>,
  record: PolecatRecord,
  branch = branchOf(record),
): Promise<string | null> {
  const commit = await withGit(rig, ({ repo }) => commitOf(repo, `refs/heads/${branch}`));
  if (commit === null) return null;
  const published = await publishedOn(rig).catch((error: unknown) => {
    if (!(error instanceof GitFailed)) throw error;
    const why = error.message.replaceAll('\n', ' ');
    const text = `${branch} was not pushed, and nothing was touched: the remote does not say what it has: ${why}`;
    throw new Failure(EXIT.refused, 'not_asked', text);
  });
  // There is nowhere to push it to.
  if (published === null) return commit;
  const own = { branch, commit, range: unpublishedRange(commit, published), commonDir: rig.commonDir };
  const why = await withGit(rig, ({ repo }) => whyUnpublishable(repo, own), { attributes: EACH_AS_TEXT });
  if (why === null) return commit;
  const text = `${readable(branch)} is not pushed: ${why}; take it out of the commits, or, if it is meant to be public, push them by hand: git -C ${rig.repo} push origin ${branch}`;
  throw new Failure(EXIT.refused, 'secret', text);
}

interface Own {
  readonly branch: string;
  readonly commit: string;
  /** Revisions, a line each. */
  readonly range: string;
  readonly commonDir: string;
}

async function whyUnpublishable(git: Git, own: Own): Promise<string | null> {
  const { branch, range, commonDir } = own;
  const commits = (await git.run(['rev-list', '--stdin'], range)).split('\n').filter((line) => line !== '');
  const inName = keyIn(branch);
  if (inName !== null) return `its name looks like a secret (${inName.kind})`;
  if (commits.length === 0) return null;
  const objects = await git.run(['rev-list', '--objects', '--stdin'], range);
  return (
    (await whyByName(git, range)) ??
    (await whyBySize(git, objects)) ??
    (await whyByMessage(git, commits)) ??
    (await whyByText(git, range)) ??
    (await keyInObjects(git, commonDir, objects))
  );
}

/** What a merge alone adds is seen too. */
const MERGES = '--cc';

async function whyByName(git: Git, range: string): Promise<string | null> {
  const added = ['log', '--format=', '--name-only', '-z', '--no-renames', '--diff-filter=A', MERGES, '--stdin'];
  const names = namesIn(await git.run(added, range)).map(readable);
  const name = names.find((one) => isSecretName(one));
  if (name !== undefined) return `${JSON.stringify(name)} in its commits looks like a secret (by its name)`;
  const key = names.map((one) => keyIn(one)).find((one) => one !== null);
  return key === undefined ? null : `the name of a file in its commits looks like a secret (${key.kind})`;
}

async function whyBySize(git: Git, objects: string): Promise<string | null> {
  const sizes = await git.run(['cat-file', '--batch-check=%(objecttype) %(objectsize) %(rest)'], `${objects}\n`);
  for (const line of sizes.split('\n')) {
    const [, bytes = '', name = ''] = /^blob (\d+) (.*)$/.exec(line) ?? [];
    if (Number(bytes) > RIG_WORK.maxPublishedBytes)
      return `${JSON.stringify(readable(name))} (${sizeText(Number(bytes))}) in its commits is larger than ${sizeText(RIG_WORK.maxPublishedBytes)}`;
  }
  return null;
}

/** By the commits themselves: names, message, and what else was written there, as the message of a tag that was merged. */
async function whyByMessage(git: Git, commits: readonly string[]): Promise<string | null> {
  const input = commits.map((commit) => `${commit}\n`).join('');
  const said = await git.runAtMost(['cat-file', '--batch=%(objectname)'], RIG_WORK.maxPatchBytes, input);
  if (said === null) return tooLong('the messages of its commits');
  const key = keyIn(plain(said));
  if (key === null) return null;
  const before = said.slice(0, key.at).split('\n').toReversed();
  const commit = before.find((line) => commits.includes(line)) ?? '';
  return `the message of commit ${commit.slice(0, SHORT)} looks like a secret (${key.kind})`;
}

async function whyByText(git: Git, range: string): Promise<string | null> {
  const log = ['log', COMMIT_FORMAT, '--patch', MERGES, ...PATCH, '--stdin'];
  const patch = await git.runAtMost(log, RIG_WORK.maxPatchBytes, range);
  if (patch === null) return tooLong('the changes of its commits');
  const key = keyInPatch(patch);
  return key && `${keyText(key)} in commit ${(key.commit ?? '').slice(0, SHORT)}`;
}

const tooLong = (what: string): string =>
  `${what} are more than ${sizeText(RIG_WORK.maxPatchBytes)}, and cannot be looked through for keys`;

/** Letters of a commit's id that a person needs. */
const SHORT = 10;
