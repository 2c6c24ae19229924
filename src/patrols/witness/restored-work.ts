/**
 * Open work that was handed over, while its bead does not know that: a backup took the ledger's place since (P-8). The record of work,
 * which no backup of the ledger replaces, tells it. Work that was begun again since, or that a person opened again, is none of it.
 */
import { isReady } from '../../../machines/patrols/dispatch.ts';
import type { WorkSeen } from '../../../machines/patrols/observation.ts';
import type { HandedSeen } from '../../../machines/witness/observation.ts';
import type { Disk } from '../../../state/files/disk.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { ifUnread } from '../../../state/files/strict-read.ts';
import { handedLast, recordedOf, workOn, type Handover } from '../../../state/rigs/work.ts';
import { knowsHanded } from '../../ledger/branches.ts';
import { beadsCalled } from '../../ledger/walk.ts';
import type { Trees } from './trees.ts';

interface RestoredNeeds {
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly rig: string;
  /** Wall ms. */
  readonly now: number;
  readonly trees: Pick<Trees, 'merged'>;
  /** So often the remote is asked about the same work. */
  readonly everyMs: number;
}

/** The work, with what is known of main where its bead does not know of a handover. */
export async function withRestored(needs: RestoredNeeds, work: readonly WorkSeen[]): Promise<readonly WorkSeen[]> {
  const open = work.flatMap((one) => (isReady(one) ? [one.id] : []));
  const handovers = open.length === 0 ? new Map<string, Handover>() : await unknownHandovers(needs, open);
  const commits = [...handovers.values()].flatMap((one) =>
    one.commit ? [{ commit: one.commit, base: one.main }] : [],
  );
  const merged = await mergedLately(needs, commits);
  return work.map((one) => {
    const handover = handovers.get(one.id);
    if (handover === undefined) return one;
    const is = merged.get(handover.commit ?? '') ?? 'unknown';
    if (is === 'no' || is === 'dropped') return one;
    return { ...one, isInMain: is === 'yes' ? 'yes' : 'unknown' };
  });
}

/** By its bead. A record that cannot be read is another's to see (due-work.ts). */
async function unknownHandovers(
  { ledger, disk, rig }: RestoredNeeds,
  open: readonly string[],
): Promise<ReadonlyMap<string, Handover>> {
  const found = new Map<string, Handover>();
  for (const of of await recordedOf(disk, rig, open)) {
    const work = await ifUnread(workOn(disk, { rig, of }), () => null);
    const handover = work && handedLast(work);
    if (handover !== null) found.set(of, handover);
  }
  for (const bead of await beadsCalled(ledger, [...found.keys()])) {
    const handover = found.get(bead.id);
    if (handover && knowsHanded(bead, handover)) found.delete(bead.id);
  }
  return found;
}

type Merged = ReadonlyMap<string, HandedSeen['isMerged']>;
interface Answer {
  readonly at: number;
  /** The commits that git was asked about. */
  readonly about: string;
  readonly merged: Merged;
}
/** By rig. A town that starts asks at once. */
const answers = new WeakMap<Ledger, Map<string, Answer>>();

/** Each look at the remote is a fetch, and such work may wait for room for hours. */
async function mergedLately(
  { ledger, rig, now, trees, everyMs }: RestoredNeeds,
  works: Parameters<Trees['merged']>[0],
): Promise<Merged> {
  if (works.length === 0) return new Map();
  const all = answers.get(ledger) ?? new Map<string, Answer>();
  answers.set(ledger, all);
  const about = works.map(({ commit }) => commit).join(' ');
  const last = all.get(rig);
  const agoMs = now - (last?.at ?? -Infinity);
  // A clock that went back makes nothing wait for long.
  if (last?.about === about && agoMs >= 0 && agoMs < everyMs) return last.merged;
  const merged = await trees.merged(works);
  all.set(rig, { at: now, about, merged });
  return merged;
}
