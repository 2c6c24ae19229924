/** Whether a process lives, where not knowing is a value too (law 1). */
import type { Proc } from '../../machines/protocol.ts';
import type { Processes } from '../ports/ports.ts';

/** null = it cannot be told, whatever keeps it from being. */
export function livesNow(processes: Pick<Processes, 'alive'>, proc: Proc): boolean | null {
  try {
    return processes.alive(proc);
  } catch {
    return null;
  }
}
