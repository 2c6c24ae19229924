/** `town daemon run`: this process becomes the town of its root, with the real engine in it. */
import type { Settings } from '../config/settings.ts';
import { engineOf, type EngineOptions } from './engine.ts';
import { runProcess } from '../guard/process.ts';
import { version } from '../package.ts';

export interface DaemonOptions extends EngineOptions {
  /** Started by a guard: it keeps one. */
  readonly guarded: boolean;
  /** Prints why no town runs here; one line on stderr unless it is given. */
  readonly tell?: (exit: number, text: string) => void;
}

/** Runs until the town ends, and ends the process with the exit code: an order still in a hand must not hold it. */
export async function runTown(settings: Settings, options: DaemonOptions): Promise<never> {
  const { guarded, inspect, broken, again, tell } = options;
  process.exit(
    await runProcess(
      settings,
      { guarded, version: version(), level: settings.log.level, ...(tell !== undefined && { tell }) },
      engineOf(settings, { inspect, broken, again }),
    ),
  );
}
