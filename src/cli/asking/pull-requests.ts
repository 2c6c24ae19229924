/** Pull requests that wait for their merge on the host, for a list that does without them where the ledger does not tell. */
import { FILES } from '../../../state/files/layout.ts';
import { requestedWork } from '../../../state/rigs/pull-requests.ts';
import { beadsCalled } from '../../ledger/walk.ts';
import type { OpenAlert } from '../../overview/open-alerts.ts';
import type { PullRequestView } from '../../overview/rigs.ts';
import { openRequestOf, saysClosed } from '../../rigs/pull-request.ts';
import type { Context } from '../context.ts';
import { withLedger } from './ledger.ts';

/** By rig; without those that an alert tells of. Never rejects. */
export async function openRequests(
  context: Context,
  alerts: readonly OpenAlert[] | null,
): Promise<ReadonlyMap<string, readonly PullRequestView[]>> {
  const found = new Map<string, PullRequestView[]>();
  try {
    const disk = await context.disk();
    const ids = await requestedWork(disk);
    if (ids.length === 0 || (await disk.stat(FILES.ledger)) === null) return found;
    for (const bead of await withLedger(context, (ledger) => beadsCalled(ledger, ids))) {
      const opened = await openRequestOf(disk, bead);
      if (opened === null || alerts?.some(({ episode }) => saysClosed(episode, bead)) === true) continue;
      const { id, title, rig } = bead;
      const view = {
        bead: id,
        title,
        branch: opened.branch,
        url: opened.url,
        opened_at: new Date(opened.at).toISOString(),
      };
      found.set(rig, [...(found.get(rig) ?? []), view]);
    }
    return found;
  } catch {
    return found;
  }
}
