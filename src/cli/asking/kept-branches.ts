/** Branches of earlier attempts that stay on the remote after the work was merged: main lacks what they hold, or the remote kept them. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { RigRecord } from '../../../machines/rigs/records.ts';
import { choicesOf } from '../../rigs/choices.ts';
import { RIG_WORK } from '../../rigs/policy.ts';
import { textOf } from '../../../state/files/disk.ts';
import { workOn } from '../../../state/rigs/work.ts';
import { keptOf, type KeptBranch } from '../../rigs/earlier-branches.ts';
import { wasMerged } from '../../rigs/merged-beads.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { recordsOf } from './yard.ts';

/** By bead; as the remote was fetched last. What cannot be told is noted, and hides nothing else. */
export async function keptBranches(
  context: Context,
  rigs: readonly RigRecord[],
  beads: readonly Bead[],
): Promise<ReadonlyMap<string, readonly KeptBranch[]>> {
  const kept = new Map<string, readonly KeptBranch[]>();
  const [disk, records] = [await context.disk(), await recordsOf(context)];
  const merged = beads.filter(wasMerged);
  if (merged.length === 0) return kept;
  const settings = await context.settings();
  // Else they stay because a person wants it.
  const isDeleted = (rig: RigRecord): boolean =>
    choicesOf(settings, rig).merging.deletesBranch && settings.patrols.witness.push;
  for (const bead of merged) {
    const rig = rigs.find(({ name }) => name === bead.rig);
    if (rig === undefined) continue;
    try {
      const found = await keptOf({ rig, yard: { records } }, await workOn(disk, { rig: rig.name, of: bead.id }), disk);
      const named = found.filter(({ isMerged }) => !isMerged || isDeleted(rig));
      if (named.length > 0) kept.set(bead.id, named);
    } catch (error) {
      note(`which branches earlier attempts at ${bead.id} left is unknown: ${textOf(error)}`);
    }
  }
  return kept;
}

/** A sentence without its stop. */
export function keptText(kept: readonly KeptBranch[]): string {
  const named = (isMerged: boolean): string =>
    kept
      .filter((one) => one.isMerged === isMerged)
      .map(({ branch, commit }) => `${branch} at ${commit.slice(0, RIG_WORK.shortCommit)}`)
      .join(', ');
  const [lacking, merged] = [named(false), named(true)];
  return [
    ...(lacking ? [`main lacks what earlier attempts left on the remote, as fetched last: ${lacking}`] : []),
    ...(merged ? [`main has it; the remote did not delete it, as fetched last: ${merged}`] : []),
  ].join('; ');
}

/** For a person, with the line that deletes them. */
export async function keptNotes(context: Context, bead: Bead): Promise<readonly string[]> {
  const { found: rigs } = await (await recordsOf(context)).rigs();
  const all = [...(await keptBranches(context, rigs, [bead])).values()];
  return all.map((kept) => `${keptText(kept)}; to delete: ${kept.map(({ line }) => line).join(' && ')}`);
}
