/**
 * Commands in a root of Gas Town (C-12): each that writes is refused before it does anything, whether a daemon of Gas Town runs or
 * not. A town of ours that runs there since before the mark came is served, so that its agents can answer and `down` ends it.
 */
import { STATE } from '../../../state/files/policy.ts';
import { GasTownRoot, isGasTown } from '../../../state/files/gas-town.ts';
import { ConfigError } from '../../config/errors.ts';
import type { Context } from '../context.ts';

/** null = it is refused, by the command itself: `alive` answers all the same in a root that others may write. */
function rootOf(context: Context): string | null {
  try {
    return context.root;
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

/** Throws GasTownRoot (5). */
export async function refuseGasTown(context: Context): Promise<void> {
  const root = rootOf(context);
  if (root === null || !isGasTown(root)) return;
  const { whoIsThere } = await import('../../guard/liveness.ts');
  const { runningOf } = await import('../../../state/process/pid-files.ts');
  const { createProcesses } = await import('../../proc/processes.ts');
  const running = runningOf(await context.disk(), STATE.maxRecordBytes);
  const { town, guard } = await whoIsThere(root, running, createProcesses());
  if (town !== null || guard !== null) return;
  throw new GasTownRoot(root);
}
