/** What a polecat left, as its witness sees it: where its end is decided, and what was kept of one that is being taken away. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { LeftSeen } from '../../../machines/patrols/observation.ts';
import { addressOf, branchOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import type { WorktreeFacts } from '../../../machines/rigs/worktree.ts';
import type { PolecatSeen, TreeState } from '../../../machines/witness/observation.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { agoOf, ofLife, toldOnce } from '../memory/evidence.ts';
import { handoverOf } from './handed.ts';
import type { Trees } from './trees.ts';
import { age } from '../../ports/age.ts';
import { newestOf } from '../../ledger/walk.ts';

interface Looking {
  readonly ledger: Ledger;
  readonly now: number;
  readonly trees: Pick<Trees, 'left'>;
}

interface Decided {
  readonly facts: WorktreeFacts;
  readonly tree: TreeState;
  /** What becomes of it is decided now. */
  readonly isEnding: boolean;
  /** It has a bead on its hook. */
  readonly hasWork: boolean;
}

/** Where its end is decided: with dirt in it, or somewhere else, it does not end, and only its work is asked about. */
export async function leftSeen(
  looking: Looking,
  record: PolecatRecord,
  { facts, tree, isEnding, hasWork }: Decided,
): Promise<LeftSeen> {
  if (!isEnding) return NOT_SEEN;
  if (tree === 'going') return leftAtHandover(looking, record);
  if (facts.place !== 'there' || (tree === 'dirty' && !hasWork)) return NOT_SEEN;
  return looking.trees.left(record, facts);
}
export const NOT_SEEN: LeftSeen = { is: 'unknown' };

/** Its worktree is gone, or stands aside: what was seen of it was kept before. */
async function leftAtHandover({ ledger }: Looking, record: PolecatRecord): Promise<LeftSeen> {
  const { rig, name, bead, uuid, tip, base } = record;
  const kept = await handoverOf(ledger, rig, bead ?? name);
  if (kept?.uuid === uuid && kept.commit !== null) return { is: 'work', branch: kept.branch, commit: kept.commit };
  if (tip === null || tip === base) return { is: 'nothing' };
  return { is: 'work', branch: branchOf(record), commit: tip };
}

type Seen = Pick<PolecatSeen, 'isHookClosed' | 'closedMs' | 'closedToldMs'>;

/** Whether the work that it was started for is closed, and whether it knows. */
export async function closedSeen(looking: Looking, record: PolecatRecord, bead: Bead | undefined): Promise<Seen> {
  if (bead?.status !== 'closed') return { isHookClosed: false, closedMs: null, closedToldMs: null };
  const closedAt = Date.parse(bead.closedAt);
  const closedMs = Number.isNaN(closedAt) ? null : age(closedAt, looking.now);
  return { isHookClosed: true, closedMs, closedToldMs: await toldMs(looking, record, 'closed') };
}

export const emptyToldMs = async (looking: Looking, record: PolecatRecord, left: LeftSeen): Promise<number | null> =>
  left.is === 'nothing' ? toldMs(looking, record, 'empty') : null;

/** This polecat, and not an earlier one of the name. */
async function toldMs(
  { ledger, now }: Looking,
  record: PolecatRecord,
  what: Parameters<typeof toldOnce>[2],
): Promise<number | null> {
  const newest = await newestOf(ledger, toldOnce(record.rig, addressOf(record), what));
  return agoOf(ofLife(record, newest), now);
}
