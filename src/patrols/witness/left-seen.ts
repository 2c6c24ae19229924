/** What a polecat left, as its witness sees it: where its end is decided, and what was kept of one that is being taken away. */
import { HELD_STATUSES, type Bead } from '../../../machines/ledger/bead.ts';
import { isClosedBy } from '../../../machines/ledger/changes.ts';
import type { LeftSeen } from '../../../machines/patrols/observation.ts';
import { addressOf, branchOf, isSameAgent } from '../../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import type { WorktreeFacts } from '../../../machines/rigs/worktree.ts';
import type { FormerWork } from '../../../machines/witness/former-work.ts';
import type { PolecatSeen, TreeState } from '../../../machines/witness/observation.ts';
import type { Disk } from '../../../state/files/disk.ts';
import type { Notes } from '../../../state/patrols/notes.ts';
import { agoOf } from '../memory/notes.ts';
import { handoverOf, readyLine } from './refinery-work.ts';
import type { Trees } from './trees.ts';
import { age, order } from '../../ports/age.ts';

interface Looking {
  readonly disk: Disk;
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
async function leftAtHandover({ disk }: Looking, record: PolecatRecord): Promise<LeftSeen> {
  const { rig, name, bead, uuid, tip, base } = record;
  const kept = await handoverOf(disk, rig, bead ?? name);
  if (kept?.uuid === uuid && kept.commit !== null) return { is: 'work', branch: kept.branch, commit: kept.commit };
  if (tip === null || tip === base) return { is: 'nothing' };
  return { is: 'work', branch: branchOf(record), commit: tip };
}

type Seen = Pick<PolecatSeen, 'isHookClosed' | 'closedMs' | 'closedToldMs'>;

/** Whether the work that it was started for is closed, and whether it knows. */
export function closedSeen(bead: Bead | undefined, notes: Notes, now: number): Seen {
  if (bead?.status !== 'closed') return { isHookClosed: false, closedMs: null, closedToldMs: null };
  const closedAt = Date.parse(bead.closedAt);
  const closedMs = Number.isNaN(closedAt) ? null : age(closedAt, now);
  return { isHookClosed: true, closedMs, closedToldMs: agoOf(notes.closed, now) };
}

/** What became of the bead that it was started for, where it is on its hook no more. */
export function formerOf(
  record: PolecatRecord,
  bead: Bead | undefined,
  { hooked, left }: { readonly hooked: Bead | undefined; readonly left: LeftSeen },
): FormerWork | null {
  if (record.bead === null || hooked !== undefined) return null;
  // It names no bead: a request about closed work is taken back.
  const again = left.is === 'work' ? readyLine(record.rig, left) : '';
  return { ...formerWork(record, record.bead, bead), again };
}

function formerWork(record: PolecatRecord, id: string, bead: Bead | undefined): Omit<FormerWork, 'again'> {
  if (bead === undefined) return { bead: id, is: 'other', text: `${id} is in the ledger no more` };
  const agent = addressOf(record);
  const { status, title, assignee } = bead;
  const name = `${id} (${title})`;
  // An earlier polecat of the name may have closed it.
  if (isClosedBy(bead, agent) && order(Date.parse(bead.closedAt)) >= order(record.at))
    return { bead: id, is: 'done', text: `${agent} closed ${name} itself` };
  const isAside = isSameAgent(assignee, agent) && HELD_STATUSES.includes(status);
  if (isAside) return { bead: id, is: 'aside', text: `${name} was set aside` };
  const holder = assignee === '' ? '' : `, and ${assignee} has it`;
  return { bead: id, is: 'other', text: `${name} is ${status}${status === 'closed' ? '' : holder}` };
}
