/** What is known of a town that gives no answer, and of a guard that cannot act, without their word. */
import { STATE } from '../../machines/policy.ts';
import { runningOf } from '../../state/running.ts';
import { heldText, isHeld, whoIsThere } from '../guard/present.ts';
import { createProcesses } from '../proc/processes.ts';
import type { Context } from './context.ts';

export interface Silence {
  readonly pid: number;
  readonly guard_pid: number | null;
  /** One sentence: why, as far as it can be told, and what to do. */
  readonly why: string;
}

/** The town that has the root, though nobody answers; null = none has. */
export async function silentTown(context: Context): Promise<Silence | null> {
  const processes = createProcesses();
  const running = runningOf(await context.disk(), STATE.mostRecordBytes);
  const { town, guard } = await whoIsThere(context.root, running, processes);
  if (town === null) return null;
  const why = isHeld(processes, town)
    ? `${heldText('town', town.pid)}, \`town down\` ends it`
    : `the town (pid ${town.pid}) has the root but does not answer: it starts, ends or hangs; ask again, see \`town daemon logs\`, or end it with \`town down\``;
  return { pid: town.pid, guard_pid: guard?.pid ?? null, why };
}

/** Why the guard does nothing; null = it can act, or there is none. */
export function guardFault(pid: number | null): string | null {
  const processes = createProcesses();
  const guard = pid === null ? null : processes.proc(pid);
  if (guard === null || !isHeld(processes, guard)) return null;
  return `${heldText('guard', guard.pid)}; until then nobody brings a fallen town back`;
}
