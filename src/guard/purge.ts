/**
 * `town down --purge` (F-2): takes back everything the town put into tmux. Call it when the town is gone.
 * 1. Agents keep running, in sessions that are plain tmux sessions afterwards; only panes whose agent ended are cleared, and
 *    only once what they show is in output/ (law 4).
 * 2. Every change is made by id, to what carries this root's mark; nobody else's session, hook or option is touched.
 */
import type { HandsPolicy } from '../../machines/policy.ts';
import type { Disk } from '../../state/disk.ts';
import { readEpoch } from '../../state/epoch.ts';
import { paneKeeper } from '../hands/keep.ts';
import { readSessions } from '../overview/records.ts';
import { createProcesses } from '../proc/processes.ts';
import type { KeepPane } from '../rescue/output.ts';
import { removePane } from '../tmux/clear.ts';
import { isFault } from '../tmux/errors.ts';
import { claimServer, ownerCondition, releaseServer, type Owner } from '../tmux/owner.ts';
import { readPanes, readPanesIfAny, rootKey, serverOf, type PaneRow } from '../tmux/panes.ts';
import { isWatchedInTmux, standingSocket } from '../tmux/pinned.ts';
import { ControlTmux, type TmuxDoor } from '../tmux/tmux.ts';

const MARK = /^(@town_[a-z]+)(?: |$)/;

export interface PurgeNeeds {
  readonly root: string;
  /** `[tmux] socket`: where the town is looked for when no record says where it is. */
  readonly socket: string;
  readonly policy: Pick<HandsPolicy, 'tmuxAnswerMs' | 'columns' | 'rows'>;
  readonly disk: Disk;
  /** Of an output file. */
  readonly mostBytes: number;
}

/** Rejects with one sentence when something could not be taken back; doing it again is harmless. */
export async function purgeTmux({ root, socket, policy, disk, mostBytes }: PurgeNeeds): Promise<void> {
  const processes = createProcesses();
  const tmux = new ControlTmux({ socketPath: await standingSocket(disk, socket), policy, processes });
  const owner: Owner = { root, epoch: await readEpoch(disk) };
  // Whoever typed it is told.
  const keep = paneKeeper({ tmux, disk, mostBytes, told: () => Promise.resolve(), wall: Date.now });
  try {
    const sessions = (await readSessions(disk)).found.map(({ value }) => value);
    for (const { incarnation } of sessions.filter(isWatchedInTmux)) tmux.expect(incarnation.server);
    // An earlier start of this root may still stand there: what is ours is taken back by its owner only.
    await claimServer({ tmux, processes }, owner);
    const rows = await readPanes(tmux, { key: rootKey(root) });
    for (const { sessionId } of rows.filter(({ hidden }) => hidden)) await endHidden(tmux, owner, sessionId);
    const ours = rows.filter((row) => row.ours);
    for (const row of ours) await freePane(tmux, owner, keep, row);
    for (const id of new Set(ours.map(({ sessionId }) => sessionId))) await freeSession(tmux, id);
    await releaseServer({ tmux }, owner);
  } catch (error) {
    if (isFault(error, 'none') || isFault(error, 'absent')) return;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the town is down, but tmux could not be cleaned up: ${why}; type it again`, { cause: error });
  }
}

/** It ends with its client anyway, a moment after a town that was ended by force. */
async function endHidden(tmux: TmuxDoor, owner: Owner, sessionId: string): Promise<void> {
  await tmux.sequence([['if-shell', '-F', '-t', sessionId, ownerCondition(owner), `kill-session -t '${sessionId}'`]]);
}

async function freePane(tmux: TmuxDoor, owner: Owner, keep: KeepPane, row: PaneRow): Promise<void> {
  const { paneId, agentPane, started, unfinished, dead } = row;
  if (!agentPane || !(started || unfinished)) return;
  if (dead || unfinished) {
    const name = await tmux.call(['display-message', '-p', '-t', paneId, '#{session_name}']);
    const unsaved = await keep(name, { server: await serverOf(tmux), paneId });
    if (unsaved !== null)
      throw new Error(`what the dead pane ${paneId} of ${name} shows could not be saved: ${unsaved}`);
    await removePane(tmux, owner, paneId, async () => {
      const now = (await readPanesIfAny(tmux)) ?? [];
      return now.find((one) => one.paneId === paneId && one.pid === row.pid) ?? null;
    });
    return;
  }
  await tmux.sequence([
    ['set-hook', '-p', '-u', '-t', paneId, 'pane-died'],
    ['set-option', '-p', '-u', '-t', paneId, 'remain-on-exit'],
  ]);
}

async function freeSession(tmux: TmuxDoor, id: string): Promise<void> {
  const { stdout, refused } = await tmux.sequence([['show-options', '-t', id]]);
  // Its panes may have been all of it.
  if (refused !== null) return;
  const marks = stdout.split('\n').flatMap((line) => MARK.exec(line)?.[1] ?? []);
  // Where everybody's sessions are destroyed when unattached, an agent's would be gone with this option.
  const everybodys = await tmux.sequence([['show-options', '-g', '-v', 'destroy-unattached']]);
  const options = everybodys.stdout.trim() === 'off' ? [...marks, 'destroy-unattached'] : marks;
  if (options.length === 0) return;
  await tmux.sequence(options.map((name) => ['set-option', '-u', '-t', id, name]));
}
