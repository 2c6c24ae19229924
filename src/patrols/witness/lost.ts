/** Merged work of a rig that main lost to a forced push. An idle rig's remote is asked for that too, at a pace of its own. */
import { firstNames } from '../../../machines/kernel/span.ts';
import type { LostSeen } from '../../../machines/witness/observation.ts';
import type { Disk } from '../../../state/files/disk.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { beadsIn } from '../../ledger/walk.ts';
import { noteOf } from '../../../state/patrols/notes.ts';
import { order } from '../../ports/age.ts';
import { witnessOf } from '../memory/evidence.ts';
import { remember } from '../memory/notes.ts';
import type { LostWork } from '../../rigs/lost-work.ts';
import { wasMerged, worksOf, type MergedBead } from '../../rigs/merged-beads.ts';
import { RIG_WORK } from '../../rigs/policy.ts';
import type { Trees } from './trees.ts';

export interface LostNeeds {
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly rig: string;
  /** Wall ms. */
  readonly now: number;
  readonly trees: Pick<Trees, 'fetchMain' | 'lost'>;
  /** The remote is asked now. */
  readonly isAsked: boolean;
}

export type Pace = Pick<LostNeeds, 'ledger' | 'rig' | 'now' | 'isAsked'>;

/** A look at merged work that is asked again after a while, or where a caller wants it; null = git does not tell now. */
export function answerLately<Needs extends Pace, Seen>(
  look: (needs: Needs) => Promise<Seen>,
  everyMs: (needs: Needs) => number = () => RIG_WORK.lostForMs,
): (needs: Needs) => Promise<Seen | null> {
  const answers = new WeakMap<Ledger, Map<string, { readonly at: number; readonly seen: Seen | null }>>();
  return async (needs) => {
    const { ledger, rig, now, isAsked } = needs;
    const all = answers.get(ledger) ?? new Map<string, { readonly at: number; readonly seen: Seen | null }>();
    answers.set(ledger, all);
    const last = all.get(rig);
    const agoMs = now - (last?.at ?? -Infinity);
    if (last !== undefined && !isAsked && agoMs >= 0 && agoMs < everyMs(needs)) return last.seen;
    const seen = await look(needs).catch(() => null);
    all.set(rig, { at: now, seen });
    return seen;
  };
}

/** As long as a forced push is on record, each answer reads the rig's closed work. */
export const lostIn = answerLately<LostNeeds, LostSeen>(async (needs) => {
  const { trees } = needs;
  let all: Promise<readonly MergedBead[]> | null = null;
  const works = (): Promise<readonly MergedBead[]> => (all ??= mergedLately(needs));
  if ((await isDue(needs)) && (await works()).length > 0) await trees.fetchMain();
  const lost = await trees.lost(works);
  return lost.length === 0 ? [] : seenOf(lost, await works());
});

/** By the disk, since the thread that asks ends while a rig is idle. What is unknown is due. */
async function isDue({ disk, rig, now, isAsked }: LostNeeds): Promise<boolean> {
  const last = await noteOf(disk, witnessOf(rig), 'main-asked').catch(() => null);
  const agoMs = now - (last?.at ?? -Infinity);
  // A clock that went back makes nothing wait for long.
  if (!isAsked && agoMs >= 0 && agoMs < RIG_WORK.mainEveryMs) return false;
  // First: a remote that hangs is not asked in each cycle.
  await remember({ disk, now }, witnessOf(rig), 'main-asked', 'asked', '').catch(() => undefined);
  return true;
}

/** The newest first, of a few more than are shown. */
export async function mergedLately({
  ledger,
  disk,
  rig,
}: Pick<LostNeeds, 'ledger' | 'disk' | 'rig'>): Promise<readonly MergedBead[]> {
  const closed = await Array.fromAsync(beadsIn(ledger, { rig, statuses: ['closed'], isWisp: false }), (bead) =>
    wasMerged(bead) ? [bead] : [],
  );
  const byTime = closed.flat().toSorted((a, b) => order(Date.parse(b.closedAt)) - order(Date.parse(a.closedAt)));
  return worksOf(disk, byTime.slice(0, RIG_WORK.maxLost));
}

function seenOf(lost: readonly LostWork[], works: readonly MergedBead[]): LostSeen {
  return lost.map(({ branch, before, commits, line }) => {
    const beads = works.flatMap(({ bead, commit }) => (commits.includes(commit) ? [bead] : []));
    const titles = firstNames(
      beads.map(({ id, title }) => `${id} ${title}`),
      RIG_WORK.shownLost,
    );
    return { text: lostText({ branch, before, titles, line }), beads: beads.map(({ id }) => id) };
  });
}

interface Told extends Pick<LostWork, 'branch' | 'before' | 'line'> {
  readonly titles: string;
}

function lostText({ branch, before, titles, line }: Told): string {
  const short = before.slice(0, RIG_WORK.shortCommit);
  const how =
    line === null
      ? `both changed the same lines: merge ${short} into ${branch} by hand`
      : `to bring it back, type: ${line}`;
  return `a forced push took merged work out of ${branch}: ${titles}; its commits are kept: ${how}; to do one again instead: town bead reopen <id>; where ${branch} has one in another form: town bead reopen <id> && town bead close <id> --reason <why>`;
}
