/**
 * Who has a root, for whoever gets no answer from its town or wants its guard to act: by the records, else by the kernel's
 * list of locks. Looks only. Light: `town status` pays for it.
 */
import type { Ms, Proc } from '../../machines/protocol.ts';
import { lockHolder } from '../../state/lock.ts';
import type { Running } from '../../state/running.ts';
import type { Clock } from '../ports.ts';
import type { ProcessTable } from '../proc/processes.ts';

/** Those that live. */
export interface Present {
  readonly town: Proc | null;
  readonly guard: Proc | null;
}

const procOf = ({ pid, started }: Proc): Proc => ({ pid, started });

async function whoIsRecorded(running: Running, { alive }: Pick<ProcessTable, 'alive'>): Promise<Present> {
  const said = await running.town();
  const post = await running.guard();
  const guard = post !== null && alive(post) ? procOf(post) : null;
  // A town that has not written daemon.pid yet is known to its guard.
  const named = said.kind === 'town' && alive(said.town) ? said.town : (post?.town ?? null);
  return { guard, town: named !== null && alive(named) ? procOf(named) : null };
}

/** As `whoIsRecorded`; a town that nobody recorded is known by its lock, where the system lists those. */
export async function whoIsThere(
  root: string,
  running: Running,
  processes: Pick<ProcessTable, 'alive' | 'proc'>,
): Promise<Present> {
  const { town, guard } = await whoIsRecorded(running, processes);
  const holder = town === null ? await lockHolder(root).catch(() => null) : null; // What cannot be looked at names nobody.
  return { guard, town: holder === null ? town : processes.proc(holder) };
}

/** What a process that cannot run does not do, and the way out. */
export const heldText = (what: 'town' | 'guard', pid: number): string =>
  `the ${what} (pid ${String(pid)}) is stopped or waits for a disk; \`kill -CONT ${String(pid)}\` continues a stopped one`;

/** False also where it cannot be told: nobody is called stopped on that. */
export function isHeld(processes: Pick<ProcessTable, 'held'>, proc: Proc): boolean {
  try {
    return processes.held(proc);
  } catch {
    return false;
  }
}

/** Sees that town or guard cannot run, for longer than a disk usually takes. */
export class HeldWatch {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #processes: Pick<ProcessTable, 'held'>;
  readonly #afterMs: Ms;
  readonly #since = new Map<number, number>();

  constructor(clock: Pick<Clock, 'now'>, processes: Pick<ProcessTable, 'held'>, afterMs: Ms) {
    this.#clock = clock;
    this.#processes = processes;
    this.#afterMs = afterMs;
  }

  /** `held`: it cannot run just now; `stays`: so it was found for `afterMs` and more. */
  look(proc: Proc): 'free' | 'held' | 'stays' {
    if (!isHeld(this.#processes, proc)) {
      this.#since.delete(proc.pid);
      return 'free';
    }
    const now = this.#clock.now();
    const since = this.#since.get(proc.pid) ?? now;
    this.#since.set(proc.pid, since);
    return now - since >= this.#afterMs ? 'stays' : 'held';
  }
}
