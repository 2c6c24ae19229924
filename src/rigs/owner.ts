/**
 * Which town works in a repository (law 5): its root stands in the settings that all worktrees share, as `town.root`.
 * 1. That line only says where to look. Another root has the repository as long as a rig of its records is on it; a copy of a repository
 *    brings the line along, and no rig.
 * 2. A root that is gone, or moved here, has nothing any more. One that cannot be read may have it, and refuses nothing.
 */
import { realpath } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { realDisk } from '../../state/files/disk.ts';
import { shellWord } from '../../state/files/show-text.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { changeSetting, settingsOf } from '../git/settings.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { RIG_WORK } from './policy.ts';
import type { Case } from './yard.ts';

type At = { readonly rig: Pick<Case['rig'], 'repo' | 'commonDir'>; readonly yard: Pick<Case['yard'], 'root'> };

const KEY = 'town.root';

/** Another town that has the repository, as a sentence with what to type; null = there is none. */
export async function ownerTrouble(at: At): Promise<string | null> {
  const other = await otherOn(at);
  return other === null ? null : troubleText(at, other);
}

/** Throws `Failure` (5) where another town has the repository. */
export async function refuseOtherTown(at: At): Promise<void> {
  const text = await ownerTrouble(at);
  if (text !== null) throw new Failure(EXIT.refused, 'other_town', text);
}

/**
 * Puts on record that this town works in the repository: its rig is on record before, so that another one finds it there. Of two that claim
 * it in one instant git's lock lets one be the first. Throws `Failure` (5) where another one has it.
 */
export async function claimRepository(at: At): Promise<void> {
  const { rig, yard } = at;
  const kept = await rootOn(rig);
  if (kept === yard.root) return;
  await refuseOtherTown(at);
  // A repository whose settings cannot be written is as it was before: it tells no other town of this one.
  await untilWritten(() => write(at, kept));
  try {
    await refuseOtherTown(at);
  } catch (error) {
    await changeSetting(rig.commonDir, ['--unset-all', KEY, exactly(yard.root)]);
    throw error;
  }
}

/** Another process may hold git's lock of the settings. False = it could not be written in all this time. */
async function untilWritten(change: () => Promise<boolean>): Promise<boolean> {
  for (let tried = 0; tried < RIG_WORK.claims; tried += 1) {
    if (await change()) return true;
    await pause(RIG_WORK.lockEveryMs);
  }
  return false;
}

/** In the place of that value, if it is still there, else behind all others: the first one counts. */
const write = ({ rig, yard }: At, kept: string | null): Promise<boolean> =>
  changeSetting(rig.commonDir, [
    ...(kept === null ? ['--add'] : ['--replace-all']),
    KEY,
    yard.root,
    ...(kept === null ? [] : [exactly(kept)]),
  ]);

/** As an extended regular expression. */
const exactly = (value: string): string => `^${value.replaceAll(/[^\w/\-\u0080-\u{10ffff}]/gu, String.raw`\$&`)}$`;

/** It works there no more. Throws `Failure` (5) where its settings still say so. */
export async function leaveRepository({ rig, yard }: At): Promise<void> {
  if ((await rootOn(rig)) !== yard.root) return;
  if (await untilWritten(() => changeSetting(rig.commonDir, ['--unset-all', KEY, exactly(yard.root)]))) return;
  if ((await rootOn(rig)) !== yard.root) return;
  const line = `git -C ${shellWord(rig.repo)} config --unset-all ${KEY}`;
  throw new Failure(
    EXIT.refused,
    'settings_locked',
    `${KEY} stays in the settings of ${rig.repo}; take it out: ${line}`,
  );
}

/** null = none is on record, or the settings cannot be read. */
async function rootOn({ commonDir }: At['rig']): Promise<string | null> {
  const root = await settingsOf(commonDir).then(
    (settings) => settings.get(KEY)?.[0] ?? null,
    () => null,
  );
  return root && Buffer.from(root, 'latin1').toString();
}

const realOf = (path: string): Promise<string | null> => realpath(path).catch(() => null);

interface Other {
  readonly root: string;
  readonly rig: string;
}

async function otherOn({ rig, yard }: At): Promise<Other | null> {
  const kept = await rootOn(rig);
  if (kept === null || kept === yard.root) return null;
  const [root, own] = [await realOf(kept), await realOf(yard.root)];
  if (root === null || root === own) return null;
  const here = await realOf(rig.commonDir);
  const records = new RigRecords({ disk: realDisk(root, performance.timeOrigin) });
  const { found } = await records.rigs().catch(() => ({ found: [] }));
  for (const one of found) if ((await realOf(one.commonDir)) === here) return { root, rig: one.name };
  return null;
}

function troubleText({ rig: { repo } }: At, { root, rig }: Other): string {
  const there = `town --root ${shellWord(root)} rig remove ${rig}`;
  const taken = `git -C ${shellWord(repo)} config --unset-all ${KEY}`;
  return `the town of ${root} works in ${repo} already, as its rig ${rig}: two towns would give the same branches to two agents; work in that town, or give it up there: ${there}; to take it over all the same, for instance from a copy of that town: ${taken}`;
}
