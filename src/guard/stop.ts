/**
 * `town down`: sets the latch, then ends town and guard; agents keep running (C-13, F-2). The latch comes first, so that
 * neither of the two brings the other back. Signals go to verified processes only.
 */
import type { Proc } from '../../machines/protocol.ts';
import { realDisk, textOf } from '../../state/files/disk.ts';
import { runningOf, type Running } from '../../state/process/pid-files.ts';
import { systemClock } from '../ports/clock.ts';
import { createProcesses } from '../proc/processes.ts';
import { removeSocket, socketPath } from '../../state/process/socket-path.ts';
import { connectTown } from '../socket/client.ts';
import { awayTo } from './displace.ts';
import { ORDERLY_SHARE, signal, untilEnded, type Signals } from './ending.ts';
import type { TownSettings } from './launch.ts';
import { cannotRun } from './liveness.ts';
import { purgeTmux } from './purge.ts';
import { whoRuns } from './start.ts';

export interface Stopped {
  /** What was running; null = it was not. */
  readonly pid: number | null;
  readonly guardPid: number | null;
  /** Those that had to be ended by force. */
  readonly forced: readonly number[];
  /** Of both, those that were stopped or waited for a disk, so that they could not end by themselves. */
  readonly held: readonly number[];
  /** Those that are still there: ended by nothing, or not ours to signal. */
  readonly left: readonly number[];
  /** Why the latch could not be set, so that a starter does not see that the town was stopped; null = it was set. */
  readonly unlatched: string | null;
}

export interface StopOptions {
  readonly purge?: boolean;
  /** Told what stood in the way and was put away. */
  readonly say?: (text: string) => void;
}

/**
 * Resolves within `downMs`, or a little later when the machine or a disk is slow. `purge` also takes back
 * what the town put into tmux, and rejects with one sentence when that fails.
 */
export async function stopTown(
  settings: TownSettings,
  { purge = false, say = () => undefined }: StopOptions = {},
): Promise<Stopped> {
  const disk = realDisk(settings.root, systemClock.now());
  const running = runningOf(disk, settings.state.maxRecordBytes, awayTo(disk, say));
  const processes = createProcesses();
  const began = systemClock.now();
  const latching = running.latch(
    `town down, ${new Date(systemClock.wall()).toISOString()}; \`town up\` starts it again`,
  );
  const fault = await latching.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  const { town, guard } = await whoRuns(settings, running, processes);
  const both = [town, guard].filter((proc) => proc !== null);
  // A full disk must not keep a town running: then both are ended at once, before one can bring the other back.
  if (fault !== null && both.length === 0) throw fault.error;
  const held = both.filter((proc) => cannotRun(processes, proc));
  if (guard !== null) signal(processes, guard, 'TERM');
  if (town !== null) await askToEnd(settings, processes, town);
  const { forced, left } = await untilEnded(processes, both, settings.process, began);
  await dropRecords(running, processes);
  if (purge && left.length === 0) {
    for (const name of ['town', 'hooks', 'guard'] as const)
      removeSocket(socketPath(settings.root, settings.process.maxSocketPathBytes, name));
    const { root, tmux, hands: policy } = settings;
    await purgeTmux({ root, socket: tmux.socket, policy, disk, maxBytes: settings.process.logBytes });
  }
  const pids = (procs: readonly Proc[]): number[] => procs.map(({ pid }) => pid);
  const unlatched = fault === null ? null : textOf(fault.error);
  const ended = { forced: pids(forced), held: pids(held), left: pids(left) };
  return { pid: town?.pid ?? null, guardPid: guard?.pid ?? null, ...ended, unlatched };
}

/** Records of processes that are no more. */
async function dropRecords(running: Running, processes: Signals): Promise<void> {
  const said = await running.town();
  const guard = await running.guard();
  if (said.kind === 'town' && !processes.alive(said.town)) await running.endTown(said.town);
  if (guard !== null && !processes.alive(guard)) await running.dropGuard(guard);
}

async function askToEnd(settings: TownSettings, processes: Signals, town: Proc): Promise<void> {
  try {
    const client = await connectTown(settings.root, settings.process);
    const limit = new AbortController();
    // A hung town must not cost the whole time; it is ended by signal.
    await Promise.race([client.stop(), systemClock.sleep(settings.process.downMs * (1 - ORDERLY_SHARE), limit.signal)]);
    limit.abort();
    client.close();
  } catch {
    // It does not listen (yet, or any more): the signal says the same.
  }
  signal(processes, town, 'TERM');
}
