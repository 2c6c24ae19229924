/**
 * `town down --purge` (F-2): takes back everything the town put into tmux. Call it when the town is gone.
 * 1. Agents keep running, in sessions that are plain tmux sessions afterwards; only panes whose agent ended are
 *    cleared, and only once what they show is in output/ (law 4).
 * 2. Every change is made by id, to what carries this root's mark; foreign sessions, hooks and options are not touched.
 */
import type { HandsPolicy } from '../ports/policy.ts';
import type { Disk } from '../../state/files/disk.ts';
import { readEpoch } from '../../state/process/epoch.ts';
import { paneKeeper, type KeepPane } from '../sessions/kept-output.ts';
import { readSessions } from '../overview/records.ts';
import { createProcesses } from '../proc/processes.ts';
import { changeAll, readAll, type Group } from '../tmux/batch.ts';
import { removePanes } from '../sessions/clear.ts';
import { takeAlong } from '../sessions/moved-root.ts';
import { isFault } from '../tmux/errors.ts';
import { SocketHold } from '../tmux/socket-hold.ts';
import { claimServer, ownerCondition, releaseServer, type Owner } from '../tmux/owner.ts';
import { readPanes, rootKey, serverOf, type PaneRow } from '../tmux/panes.ts';
import { isWatchedInTmux, standingSocket } from '../tmux/pinned.ts';
import { ControlTmux, type TmuxClient } from '../tmux/client.ts';
import { impossibleSocket } from '../tmux/socket.ts';

const MARK = /^(@town_[a-z]+)(?: |$)/;

export interface PurgeNeeds {
  readonly root: string;
  /** `[tmux] socket`: where the town is looked for when no record says where it is. */
  readonly socket: string;
  readonly policy: Pick<HandsPolicy, 'tmuxAnswerMs' | 'columns' | 'rows'>;
  readonly disk: Disk;
  /** Of an output file. */
  readonly maxBytes: number;
}

/** The words of a tmux server that has not one session left. */
const NO_SESSION = /^no current (target|session)$/;

/** Rejects with one sentence when something could not be taken back; doing it again is harmless. */
export async function purgeTmux(needs: PurgeNeeds): Promise<void> {
  await purgeServer(needs);
  await forgetSocket(needs);
}

/** What a town that was ended by force left beside its socket. */
async function forgetSocket({ root, socket, disk }: PurgeNeeds): Promise<void> {
  const processes = createProcesses();
  const self = processes.proc(process.pid);
  if (self === null) return;
  const hold = new SocketHold({ socketPath: await standingSocket(disk, socket), root, self, processes });
  await hold.check();
  await hold.release();
}

async function purgeServer({ root, socket, policy, disk, maxBytes }: PurgeNeeds): Promise<void> {
  const processes = createProcesses();
  const socketPath = await standingSocket(disk, socket);
  // No server ever stood there.
  if (impossibleSocket(socketPath) !== null) return;
  const tmux = new ControlTmux({ socketPath, policy, processes });
  const owner: Owner = { root, epoch: await readEpoch(disk) };
  // The command prints the result itself.
  const keep = paneKeeper({ tmux, disk, maxBytes, told: () => undefined, wall: Date.now });
  try {
    const sessions = (await readSessions(disk)).found.map(({ value }) => value);
    for (const { incarnation } of sessions.filter(isWatchedInTmux)) tmux.expect(incarnation.server);
    // An earlier start of this root may still stand there: what is ours is taken back by its owner only.
    await claimServer({ tmux, processes }, owner);
    await takeAlong({ tmux, root }, sessions);
    const rows = await readPanes(tmux, { key: rootKey(root) });
    await changeAll(tmux, rows.filter(({ hidden }) => hidden).map(endHidden(owner)));
    const ours = rows.filter((row) => row.ours);
    const agents = ours.filter(({ agentPane, started, unfinished }) => agentPane && (started || unfinished));
    const spent = agents.filter(({ dead, unfinished }) => dead || unfinished);
    const shown = await clearPanes(tmux, owner, keep, spent);
    await changeAll(tmux, [...agents.filter((row) => !spent.includes(row)), ...shown].map(freePane));
    await freeSessions(tmux, [...new Set(ours.map(({ sessionId }) => sessionId))]);
    await releaseServer({ tmux }, owner);
  } catch (error) {
    if (isFault(error, 'none') || isFault(error, 'absent')) return;
    const why = error instanceof Error ? error.message : String(error);
    if (NO_SESSION.test(why)) return releaseEmpty(tmux, owner);
    throw new Error(`the town is down, but tmux could not be cleaned up: ${why}; type it again`, { cause: error });
  }
}

/** It ends with its client anyway, a moment after a town that was ended by force. */
const endHidden =
  (owner: Owner) =>
  ({ sessionId }: PaneRow): Group => [
    ['if-shell', '-F', '-t', sessionId, ownerCondition(owner), `kill-session -t '${sessionId}'`],
  ];

/** Nothing is cleared before all is saved. Resolves with those that stay, since another session shows them too. */
async function clearPanes(
  tmux: TmuxClient,
  owner: Owner,
  keep: KeepPane,
  panes: readonly PaneRow[],
): Promise<readonly PaneRow[]> {
  if (panes.length === 0) return [];
  const server = await serverOf(tmux);
  const names = await tmux.call(['list-panes', '-a', '-F', '#{pane_id} #{session_name}']);
  const named = new Map(names.split('\n').map((line) => [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)]));
  for (const { paneId } of panes) {
    const name = named.get(paneId);
    if (name === undefined) continue; // It went by itself.
    const unsaved = await keep(name, { server, paneId });
    if (unsaved !== null)
      throw new Error(`what the dead pane ${paneId} of ${name} shows could not be saved: ${unsaved}`);
  }
  return removePanes(tmux, owner, panes);
}

const freePane = ({ paneId }: PaneRow): Group => [
  ['set-hook', '-p', '-u', '-t', paneId, 'pane-died'],
  ['set-option', '-p', '-u', '-t', paneId, 'remain-on-exit'],
];

async function freeSessions(tmux: TmuxClient, ids: readonly string[]): Promise<void> {
  // A dead pane may have been all of a session: then there is nothing to show.
  const shown = await readAll(
    tmux,
    ids.map((id) => [['if-shell', '-F', '-t', id, `#{==:#{session_id},${id}}`, `show-options -t '${id}'`]]),
  );
  // Where everybody's sessions are destroyed when unattached, an agent's would be gone with this option.
  const everybodys = await tmux.sequence([['show-options', '-g', '-v', 'destroy-unattached']]);
  const more = everybodys.stdout.trim() === 'off' ? ['destroy-unattached'] : [];
  const groups = ids.flatMap((id, at): Group[] => {
    const options = shown[at] ?? '';
    if (options === '') return [];
    const marks = options.split('\n').flatMap((line) => MARK.exec(line)?.[1] ?? []);
    return [[...marks, ...more].map((name) => ['set-option', '-u', '-t', id, name])];
  });
  await changeAll(
    tmux,
    groups.filter((group) => group.length > 0),
  );
}

/** Nothing of ours stands where no session is left. Mostly that server is about to end; with `exit-empty off` it stays. */
async function releaseEmpty(tmux: TmuxClient, owner: Owner): Promise<void> {
  try {
    await releaseServer({ tmux }, owner);
  } catch (error) {
    if (!isFault(error, 'unknown')) throw error; // it ended under the question
  }
}
