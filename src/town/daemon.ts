/** `town daemon run`: this process becomes the town of its root, with the real engine in it. */
import type { Settings } from '../config/settings.ts';
import { engineOf } from './engine.ts';
import { runProcess } from '../guard/process.ts';
import { version } from '../package.ts';

export interface DaemonOptions {
  /** Started by a guard: it keeps one. */
  readonly guarded: boolean;
  /** Opens the inspector's port, whatever the configuration says of the dashboard. */
  readonly inspect: boolean;
  /** What is wrong with town.toml, when `settings` are the last good ones; null = they are its own. */
  readonly broken: string | null;
  /** Not the first start of its guard. */
  readonly again: boolean;
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
