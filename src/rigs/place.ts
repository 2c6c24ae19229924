/**
 * A polecat's worktree and branch. It is made under a random name and moved into its place once it is whole: what a
 * kill left half made, a torn file or a lock, is thrown away and begun anew. Nothing that stands in its place is
 * written over.
 */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mayOf, statesOf, type WorktreeFacts } from '../../machines/rigs/worktree.ts';
import { branchOf, folderOf } from '../../machines/rigs/names.ts';
import { isHalfMade, type PolecatRecord } from '../../machines/rigs/records.ts';
import type { Git } from '../git/git.ts';
import { isThere } from '../git/files.ts';
import { lookAt, type LookOptions } from '../git/look.ts';
import { gitDirOf, linkedIn, registeredAt } from '../git/worktree.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { lockOf } from './branch.ts';
import { droppedIn } from './dropped-base.ts';
import { checkOut } from './checkout.ts';
import { commitOf, withGit } from './repository.ts';
import type { Case } from './yard.ts';

export const dirOf = ({ yard }: Pick<Case, 'yard'>, record: Pick<PolecatRecord, 'rig' | 'name'>): string =>
  join(yard.root, folderOf(record));

/** Where its worktree stands, where it stands while it is made, and while it goes. */
export function foldersOf(
  at: Pick<Case, 'yard'>,
  record: PolecatRecord,
): Readonly<Record<'dir' | 'making' | 'aside', string>> {
  const dir = dirOf(at, record);
  const hidden = (what: string): string => join(dirname(dir), `.${what}-${record.name}-${record.uuid}`);
  return { dir, making: hidden('making'), aside: hidden('going') };
}

/**
 * A look at its worktree, which says first to its repository where it stands, if that is not known: its town was moved, and git
 * would forget it there. A copy, whose first one is still in its place, stays unknown.
 */
export async function lookIn(at: Case, record: PolecatRecord, options: LookOptions): Promise<WorktreeFacts> {
  const dir = dirOf(at, record);
  const facts = await lookAt(dir, options);
  if (facts.place !== 'wrong') return withDropped(at, record, facts);
  await register(at.rig.commonDir, dir);
  return withDropped(at, record, await lookAt(dir, options));
}

const withDropped = async (at: Case, record: PolecatRecord, facts: WorktreeFacts): Promise<WorktreeFacts> =>
  facts.place === 'there' || facts.place === 'missing' ? { ...facts, dropped: await droppedIn(at, record) } : facts;

/**
 * Moves a worktree, and tells its repository where it stands. Of `git worktree repair` only this: that one writes into all other
 * worktrees of the repository too, and fails for each that is odd.
 */
export async function move(commonDir: string, from: string, to: string): Promise<void> {
  await rename(from, to);
  await register(commonDir, to);
}

/** Any folder that is no worktree which was moved there is left as it is. */
async function register(commonDir: string, top: string): Promise<void> {
  const gitDir = await gitDirOf(join(top, '.git'));
  const linked = (await linkedIn(commonDir)).find((one) => one.gitDir === gitDir);
  if (linked === undefined || (await gitDirOf(join(linked.top, '.git'))) === gitDir) return;
  const file = join(linked.gitDir, 'gitdir');
  await writeFile(`${file}.town`, `${join(top, '.git')}\n`);
  await rename(`${file}.town`, file);
}

/** As all folders of the town. */
const PRIVATE = 0o700;

/** Resolves when the worktree stands on its branch with every file of it. */
export async function place(at: Case, record: PolecatRecord): Promise<void> {
  const dir = dirOf(at, record);
  const { commonDir } = at.rig;
  await clear(at, record);
  if (!(await isThere(dir))) await make(at, record);
  const facts = await lookIn(at, record, { depth: 'glance', commonDir });
  if (mayOf({ ...facts, stashes: [], unpushed: [] }) === 'remove' && facts.branch === branchOf(record)) return;
  if (facts.place === 'wrong') {
    const text = `${dir} holds what the town did not put there; move it away, then type it again`;
    throw new Failure(EXIT.refused, 'folder_taken', text);
  }
  const how = statesOf(facts).join(', ');
  throw new Failure(EXIT.failed, 'not_placed', `${dir} is not as it was made (${how || 'another branch'}); look there`);
}

async function make(at: Case, record: PolecatRecord): Promise<void> {
  const { dir, making } = foldersOf(at, record);
  const branch = branchOf(record);
  await mkdir(dirname(making), { recursive: true, mode: PRIVATE });
  const exists = await withGit(at.rig, async ({ repo }) => {
    await forget(at, repo, dir);
    return (await commitOf(repo, `refs/heads/${branch}`)) !== null;
  });
  await checkOut(at, { folder: making, branch, base: exists ? null : record.base });
  await move(at.rig.commonDir, making, dir);
}

/** Takes away what is left of a making, or of a change of its branch, that was cut off. Throws `Failure` while a git goes on with it. */
export async function clear(at: Case, record: PolecatRecord): Promise<void> {
  const { commonDir } = at.rig;
  const { dir, making, aside } = foldersOf(at, record);
  // It may have been moved before git knew.
  for (const folder of [dir, aside]) await register(commonDir, folder);
  const ofMaking = isHalfMade(record) ? [making, ...(await partsOf(commonDir, record.uuid, [dir, aside]))] : [];
  for (const left of [...ofMaking, lockOf(commonDir, record)]) {
    if (!(await isThere(left))) continue;
    const busy = [...(await at.yard.standingIn(commonDir)), ...(await at.yard.standingIn(making))];
    if (busy.length > 0) throw new Failure(EXIT.failed, 'busy', `${busy.join(', ')} works on ${left}; wait for it`);
    await rm(left, { recursive: true, force: true });
  }
}

/** What the repository keeps of it, named after the folder it was made in, unless it stands there. git itself may not be able to read it. */
async function partsOf(commonDir: string, uuid: string, standing: readonly string[]): Promise<string[]> {
  const folder = join(commonDir, 'worktrees');
  const used = await Promise.all(standing.map((one) => gitDirOf(join(one, '.git'))));
  const names = (await isThere(folder)) ? await readdir(folder) : [];
  return names.flatMap((name) => {
    const path = join(folder, name);
    return name.includes(uuid) && !used.includes(path) ? [path] : [];
  });
}

/** Of a worktree that is not there git keeps what is on record, and refuses to make another one on its branch. */
export async function forget({ rig }: Case, repo: Git, folder: string): Promise<void> {
  if ((await isThere(folder)) || (await registeredAt(rig.commonDir, folder)) === null) return;
  await repo.run(['worktree', 'remove', '--force', '--force', folder]);
}
