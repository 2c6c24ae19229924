/** `town daemon run`: this process becomes the town of its root, with the real engine in it. */
import { mistakeNow } from '../config/lasting.ts';
import type { Settings } from '../config/settings.ts';
import { removeOwnAtExit } from '../git/own-folders.ts';
import { engineOf, type EngineOptions } from './engine.ts';
import { runProcess } from '../guard/process.ts';
import type { RunOptions } from '../guard/town-process.ts';
import { version } from '../package.ts';

/** Runs until the town ends, and ends the process with the exit code: an order still in a hand must not hold it. */
export async function runTown(
  settings: Settings,
  { inspect, broken, again, ...options }: EngineOptions & Pick<RunOptions, 'guarded' | 'tell'>,
): Promise<never> {
  removeOwnAtExit();
  // Choices of `town up --set` stand in the environment, which outlives the process.
  const misread = (): string | null => mistakeNow(settings.root, 'the town goes on with the configuration that it has');
  const run = { ...options, version: version(), level: settings.log.level, misread };
  process.exit(await runProcess(settings, run, engineOf(settings, { inspect, broken, again })));
}
