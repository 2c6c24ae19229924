/**
 * Makes the worktree of a polecat as its repository needs it: a partial clone fetches the files that it lacks, a sparse one stays sparse,
 * and files that LFS keeps elsewhere are fetched.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitFailed } from '../git/failure.ts';
import { call } from '../git/push.ts';
import { hasLfs } from '../git/lfs.ts';
import { GIT } from '../git/policy.ts';
import { isOn, settingOf, settingsIn, settingsOf, type Settings } from '../git/settings.ts';
import { registeredAt } from '../git/worktree.ts';
import { withGit } from './repository.ts';
import type { Case } from './yard.ts';

export interface Checkout {
  readonly folder: string;
  readonly branch: string;
  /** The commit that the branch is made at; null = it is there. */
  readonly base: string | null;
}

export async function checkOut({ rig, yard }: Case, { folder, branch, base }: Checkout): Promise<void> {
  const { commonDir, repo: cwd } = rig;
  const settings = await settingsOf(commonDir);
  const sparse = sparseWords([settings, await settingsIn(join(commonDir, 'config.worktree'))]);
  const config = sparse.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const isPartial = lacksFiles(settings);
  const how = [...(isPartial ? ['--no-checkout'] : []), ...(base === null ? [] : ['--no-track', '-b', branch])];
  await withGit(rig, ({ repo }) => repo.run([...config, 'worktree', 'add', ...how, folder, base ?? branch]), {
    addsWorktree: true,
  });
  const gitDir = await registeredAt(commonDir, folder);
  if (gitDir === null) throw new GitFailed(`git made no worktree at ${folder}`);
  // git wrote the folder that it was given for this call.
  await writeFile(join(folder, '.git'), `gitdir: ${gitDir}\n`);
  if (isOn(settings, 'extensions.worktreeconfig')) await keepSparse(rig, gitDir, sparse);
  if (isPartial) await call({ gitDir, workTree: folder, cwd }, [...config, 'reset', '--hard', '--quiet'], GIT.workMs);
  await fetchLfs({ rig, yard }, gitDir, folder);
}

type Setting = readonly [name: string, value: string];

/** For every later git in that worktree. */
const keepSparse = (rig: Case['rig'], gitDir: string, sparse: readonly Setting[]): Promise<void> =>
  withGit(rig, async ({ repo }) => {
    const file = join(gitDir, 'config.worktree');
    for (const [name, value] of sparse) await repo.run(['config', '--file', file, name, value]);
  });

/** Of a partial clone. */
const lacksFiles = (settings: Settings): boolean =>
  settings.has('extensions.partialclone') ||
  [...settings.keys()].some((name) => /^remote\..*\.promisor$/s.test(name) && isOn(settings, name));

function sparseWords(all: readonly Settings[]): Setting[] {
  if (!all.some((one) => isOn(one, 'core.sparsecheckout'))) return [];
  const cone = all.map((one) => settingOf(one, 'core.sparsecheckoutcone')).find((value) => value !== null) ?? 'true';
  return [
    ['core.sparseCheckout', 'true'],
    ['core.sparseCheckoutCone', /^(false|no|off|0)$/i.test(cone) ? 'false' : 'true'],
  ];
}

/** What cannot be fetched now stays a pointer, as in any clone; the agent there can fetch it. */
async function fetchLfs({ rig, yard }: Case, gitDir: string, folder: string): Promise<void> {
  const files = await withGit(rig, (work) =>
    work.at(gitDir, folder).run(['ls-files', '-z', '--', ':(attr:filter=lfs)']),
  );
  if (files === '') return;
  const say = (why: string): void => {
    yard.note(`files that Git LFS keeps are pointers in the worktree: ${why}; there: git lfs pull`);
  };
  if (!hasLfs()) {
    say('there is no git-lfs; install it');
    return;
  }
  await call({ gitDir, workTree: folder, cwd: folder }, ['lfs', 'pull'], GIT.workMs).catch((error: unknown) => {
    if (!(error instanceof GitFailed)) throw error;
    say(error.message.replaceAll('\n', ' '));
  });
}
