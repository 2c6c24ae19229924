/** What work waits for that lies with the refinery, as it put that on record, and its words for people. */
import { refineryAddress } from '../../machines/rigs/names.ts';
import { aboutOf } from '../../machines/protocol/episode.ts';
import type { Bead } from '../../machines/ledger/bead.ts';
import { holderOf } from '../../machines/ledger/changes.ts';
import type { Disk } from '../../state/files/disk.ts';
import { ifUnread } from '../../state/files/strict-read.ts';
import { pullRequestOf, type PullRequest } from '../../state/rigs/pull-requests.ts';
import { waitingMergesOf } from '../../state/rigs/waiting-merges.ts';
import { handedLast, workOn } from '../../state/rigs/work.ts';
import { sinceText } from '../journal/when.ts';
import type { StandKind } from '../../machines/patrols/stands.ts';

/** Of work that lies with the refinery; null = there is none, or no record of it counts. */
export async function openRequestOf(disk: Pick<Disk, 'read'>, bead: Bead): Promise<PullRequest | null> {
  const { id, rig, assignee } = bead;
  if (rig === '' || assignee !== refineryAddress(rig) || holderOf(bead) === null) return null;
  const opened = await ifUnread(pullRequestOf(disk, { rig, of: id }), () => null);
  if (opened === null) return null;
  const work = await ifUnread(workOn(disk, { rig, of: id }), () => null);
  const handed = work && handedLast(work);
  return handed === null || handed.commit === opened.commit ? opened : null;
}

export const openText = ({ url, at }: Pick<PullRequest, 'url' | 'at'>, now?: number): string =>
  `its pull request is open ${sinceText(at, now)}${url === null ? '' : ` (${url})`}`;

/** Why the refinery could not merge a bead yet, in words; null = no reason is on record. */
export async function waitingText(disk: Pick<Disk, 'read'>, { id, rig, assignee }: Bead): Promise<string | null> {
  if (rig === '' || assignee !== refineryAddress(rig)) return null;
  const why = (await waitingMergesOf(disk, rig)).get(id);
  return why === undefined ? null : `the refinery tries again: ${why.replaceAll('\n', '; ')}`;
}

const CLOSED: StandKind = 'request-closed';

/** Whether this alert says that the pull request of a bead is over, and main does not have the work. */
export function saysClosed(episode: string, { rig, id }: Pick<Bead, 'rig' | 'id'>): boolean {
  const { kind, name } = aboutOf(episode);
  return kind === CLOSED && name === `${rig}/${id}`;
}
