/** How town and guard are ended from outside: in order first, by force after most of `downMs`. Signals go to verified processes only. */
import type { Ms, Proc } from '../../machines/protocol.ts';
import { systemClock } from '../ports/clock.ts';
import type { ProcessPolicy } from '../ports/policy.ts';
import type { Processes } from '../ports/ports.ts';
import { SignalRefused } from '../proc/processes.ts';

/** Of `downMs`, the part that an orderly end may take before force is used. */
export const ORDERLY_SHARE = 0.7;

export type Signals = Pick<Processes, 'alive' | 'signal'>;

/** False when it was gone, or may not be signalled by us: then it is still there at the end, and named. */
export function signal(processes: Signals, proc: Proc, name: 'TERM' | 'KILL'): boolean {
  try {
    return processes.signal(proc, name);
  } catch (error) {
    if (error instanceof SignalRefused) return false;
    throw error;
  }
}

export interface Ended {
  /** Those that had to be ended by force. */
  readonly forced: readonly Proc[];
  readonly left: readonly Proc[];
}

/** Waits for the end of those who were told to end at `began`, and uses force on the others. */
export async function untilEnded(
  processes: Signals,
  procs: readonly Proc[],
  { downMs, pollEveryMs }: Pick<ProcessPolicy, 'downMs' | 'pollEveryMs'>,
  began: Ms,
): Promise<Ended> {
  const until = async (ms: Ms): Promise<Proc[]> => {
    while (procs.some((proc) => processes.alive(proc)) && systemClock.now() - began < ms) {
      await systemClock.sleep(pollEveryMs);
    }
    return procs.filter((proc) => processes.alive(proc));
  };
  const forced = (await until(downMs * ORDERLY_SHARE)).filter((proc) => signal(processes, proc, 'KILL'));
  // Who was killed late, on a machine that is busy, still needs a moment to be gone.
  const left = await until(Math.max(downMs, systemClock.now() - began + downMs * (1 - ORDERLY_SHARE)));
  return { forced, left };
}
