/**
 * The town as a process: one per root, with an epoch, a control socket, a guard and an orderly end. What it does in there is
 * the engine's. Order of start: latch, lock, epoch, socket, engine. Order of end: intake, engine, socket, lock.
 * 1. A process without the lock touches nothing (C-12). One that sees a newer epoch ends, and leaves every file to its successor.
 * 2. An error that no part caught is logged and ends the process with 1; the guard starts it again.
 */
import { realDisk, textOf } from '../../state/files/disk.ts';
import { GasTownRoot, mustNotBeGasTown } from '../../state/files/gas-town.ts';
import { FILES, FOLDERS } from '../../state/files/layout.ts';
import { LockRefused, takeLock, type Lock } from '../../state/process/lock.ts';
import type { Refused as RefusedFile } from '../../state/files/quarantine.ts';
import { runningOf } from '../../state/process/pid-files.ts';
import { systemClock } from '../ports/clock.ts';
import { createProcesses } from '../proc/processes.ts';
import { print } from '../terminal/streams.ts';
import { awayTo, clearPlaces } from './displace.ts';
import { EXIT } from './exits.ts';
import type { MakeEngine } from '../host/host.ts';
import type { TownSettings } from './launch.ts';

import { refuse as exitWith, TownProcess, type RunOptions } from './town-process.ts';

/** Runs a town until it ends; resolves with the exit code (`EXIT`). Refusals are printed. */
export async function runProcess(settings: TownSettings, options: RunOptions, makeEngine: MakeEngine): Promise<number> {
  const disk = realDisk(settings.root, systemClock.now());
  const say = (text: string): void => print(`${text}\n`, 'stderr');
  const refused: RefusedFile[] = [];
  const away = awayTo(disk, say, (file) => refused.push(file));
  const running = runningOf(disk, settings.state.maxRecordBytes, away);
  const processes = createProcesses();
  let lock: Lock | null = null;
  const refuse = (exit: number, text: string): number => exitWith(options, exit, text);
  try {
    mustNotBeGasTown(settings.root);
    const unwritable = await disk.mkdir(FOLDERS.daemon).then(() => null, textOf);
    if (unwritable !== null)
      return refuse(EXIT.usage, `${settings.root} cannot be written: ${unwritable}; choose another root with --root`);
    const stopped = await running.stopped();
    if (stopped !== null) {
      const exit = options.guarded ? EXIT.done : EXIT.refused;
      return refuse(exit, `the town is stopped: ${stopped}`);
    }
    lock = await takeLock({
      root: settings.root,
      disk,
      maxBytes: settings.state.maxRecordBytes,
      isAlive: (pid) => processes.proc(pid) !== null,
    });
    await clearPlaces(settings.root, disk, away, [FILES.daemonLog, FILES.deaths, FILES.socket]);
    return await new TownProcess(settings, options, { disk, running, lock, refused }).run(makeEngine);
  } catch (error) {
    if (error instanceof LockRefused || error instanceof GasTownRoot) return refuse(EXIT.refused, error.message);
    return refuse(EXIT.failed, `the town could not be started: ${textOf(error)}`);
  } finally {
    lock?.release();
  }
}
