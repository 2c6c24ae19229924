/**
 * The remains of a worktree whose removal was cut off. It is looked at anew: a person or program may have put something
 * there since, and the first removal may have failed at something unreadable.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { isThere } from '../git/files.ts';
import { gitAt } from '../git/git.ts';
import { ownIgnores } from '../git/ignores.ts';
import { leftOver } from '../git/look.ts';
import { GIT } from '../git/policy.ts';
import { registeredAt } from '../git/worktree.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { commitOf } from './repository.ts';
import type { Case } from './yard.ts';

/** Throws `Failure` (5), and touches nothing, where anything in the folder is in none of its commits, or cannot be read. */
export async function removeRest({ rig, yard }: Case, record: PolecatRecord, folder: string): Promise<void> {
  if (!(await isThere(folder))) return;
  const left = await namesLeft(rig.commonDir, record, folder).catch((error: unknown) => {
    throw stays(
      folder,
      `cannot be looked at: ${error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error)}`,
    );
  });
  if (left.length > 0) throw stays(folder, `holds what is nowhere else: ${left.join(', ')}`);
  const inside = await yard.standingIn(folder);
  if (inside.length > 0) throw stays(folder, `is in use by ${inside.join(', ')}`);
  await rm(folder, { recursive: true, force: true });
}

const stays = (folder: string, why: string): Failure => {
  const text = `${folder}, which was half taken away, stays as it is: it ${why}; move that away, then type it again`;
  return new Failure(EXIT.refused, 'not_elsewhere', text);
};

/** Compared with the commit that it had. git may have taken away what it keeps of the worktree, its index with it. */
async function namesLeft(commonDir: string, record: PolecatRecord, folder: string): Promise<string[]> {
  const own = await registeredAt(commonDir, folder);
  const scratch = join(tmpdir(), `town-left-${randomUUID()}`);
  await mkdir(scratch, { mode: 0o700 });
  const { signal } = new AbortController();
  try {
    const git = gitAt({
      top: folder,
      workTree: folder,
      gitDir: own ?? commonDir,
      index: join(scratch, 'index'),
      policy: { gitMs: GIT.workMs },
      signal,
      config: await ownIgnores(),
    });
    const head = own === null ? null : await commitOf(git, 'HEAD');
    await git.run(['read-tree', head ?? record.tip ?? record.base]);
    return await leftOver(git, folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
