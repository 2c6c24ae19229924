/** What a witness sees of git, and the one thing that it does there. Its port, and git behind it. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { branchOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import type { WorktreeFacts } from '../../machines/rigs/worktree.ts';
import type { LetterSeen } from '../../machines/witness/observation.ts';
import type { Git } from '../git/git.ts';
import { fetchOrigin, mainOfOrigin, type PushPlace } from '../git/push.ts';
import { nuke, type Nuking } from '../rigs/nuke.ts';
import { lookIn } from '../rigs/place.ts';
import { commitOf, withGit } from '../rigs/repository.ts';
import type { Case } from '../rigs/yard.ts';

type IsMerged = LetterSeen['isMerged'];

export interface Trees {
  /** A glance at its worktree. */
  readonly look: (record: PolecatRecord) => Promise<WorktreeFacts>;
  /** When its branch last moved (wall ms), by what git keeps of that; 0 = it keeps nothing. */
  readonly movedAt: (record: PolecatRecord) => Promise<number>;
  /** Whether each of these commits is in the main branch of the remote, after one look at the remote; without an answer nobody knows. */
  readonly merged: (commits: readonly string[]) => Promise<ReadonlyMap<string, IsMerged>>;
  /** Looks before it does anything; rejects with a sentence where it is refused. */
  readonly nuke: (record: PolecatRecord, how: Nuking) => Promise<void>;
}

export const treesOf = (at: Case): Trees => ({
  look: (record) => {
    const { commonDir } = at.rig;
    return lookIn(at, record, { depth: 'glance', commonDir, branch: branchOf(record), base: record.base });
  },
  movedAt: (record) => movedAt(at.rig.commonDir, branchOf(record)),
  merged: (commits) => mergedAmong(at, commits),
  nuke: async (record, how) => {
    await nuke(at, record, how);
  },
});

async function movedAt(commonDir: string, branch: string): Promise<number> {
  const files = ['logs/refs/heads', 'refs/heads'].map((folder) => join(commonDir, folder, branch));
  const times = files.map((file) =>
    stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(times)));
}

async function mergedAmong({ rig }: Case, commits: readonly string[]): Promise<ReadonlyMap<string, IsMerged>> {
  if (commits.length === 0) return new Map();
  try {
    const place = { gitDir: rig.commonDir, cwd: rig.repo };
    await fetchOrigin(place);
    return await withGit(rig, async ({ repo }) => {
      const main = await mainOf(repo, place);
      if (main === null) return new Map();
      const said = await repo.run(['cat-file', '--batch-check=%(objectname)'], linesOf(commits, '^{commit}'));
      const names = new Map(said.split('\n').flatMap((line, at) => (FULL.test(line) ? [[commits[at], line]] : [])));
      const left = await repo.run(['rev-list', '--stdin'], `^${main}\n${linesOf([...names.values()])}`);
      const unmerged = new Set(left.split('\n'));
      return new Map(
        commits.map((commit) => {
          const name = names.get(commit);
          return [commit, name !== undefined && !unmerged.has(name) ? 'yes' : 'no'];
        }),
      );
    });
  } catch {
    return new Map();
  }
}

/** The remote's own branch, as it is there now; of a remote that names none, the only one of the usual names. */
async function mainOf(repo: Git, place: PushPlace): Promise<string | null> {
  const named = await mainOfOrigin(place);
  const names = named === null ? ['main', 'master'] : [named];
  const tips = await Promise.all(names.map((name) => commitOf(repo, `refs/remotes/origin/${name}`)));
  const [tip = null, ...others] = tips.filter((one) => one !== null);
  return others.length === 0 ? tip : null;
}
const FULL = /^[0-9a-f]{40,64}$/;
const linesOf = (words: readonly (string | undefined)[], end = ''): string =>
  words.map((word) => `${word}${end}\n`).join('');
