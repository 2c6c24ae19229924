/**
 * Which processes hold a root, for callers that get no answer from its town or want its guard to act: by the kernel's list of locks,
 * else by the records. Looks only. Light: `town status` pays for it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Ms, Proc } from '../../machines/protocol.ts';
import { FILES } from '../../state/files/layout.ts';
import { shellWord } from '../../state/files/show-text.ts';
import { isSameFolder } from '../../state/process/copied-root.ts';
import { lockHolder } from '../../state/process/lock.ts';
import type { Running, TownPost } from '../../state/process/pid-files.ts';
import type { Clock } from '../ports/ports.ts';
import type { ProcessTable } from '../proc/processes.ts';

/** Those that live. */
export interface Present {
  readonly town: Proc | null;
  readonly guard: Proc | null;
  /** In words, and what to type: the town's folder was moved here while it ran … */
  readonly came: string | null;
  /** … or away from here, or removed: a start here makes another town. null = nothing is known of that. */
  readonly left: string | null;
}

const procOf = ({ pid, started }: Proc): Proc => ({ pid, started });

async function whoIsRecorded(root: string, running: Running, { alive }: Pick<ProcessTable, 'alive'>): Promise<Present> {
  const said = await running.town();
  const post = await running.guard();
  const guard = post !== null && alive(post) ? procOf(post) : null;
  const own = said.kind === 'town' && alive(said.town) ? said.town : null;
  // A town that has not written daemon.pid yet is known to its guard.
  const named = own ?? post?.town ?? null;
  const town = named !== null && alive(named) ? procOf(named) : null;
  const came = own === null ? null : cameText(root, own);
  const left = own === null && guard !== null ? leftText(root, guard) : null;
  return { guard, town, came, left };
}

/** Its folder came here from where it was started. A copy brings no record (`isOfAnotherRoot`). */
function cameText(here: string, { pid, root }: TownPost): string | null {
  if (root === null || root === here || isSameFolder(root, here)) return null;
  return `the folder of the town (pid ${String(pid)}) was moved from ${root} to ${here} while it ran; \`town --root ${shellWord(here)} restart\` starts it here`;
}

/** A guard takes its lock before it writes its record, and puts back the record alone where its folder is gone. */
function leftText(here: string, { pid }: Proc): string | null {
  if (existsSync(join(here, FILES.guardLock))) return null;
  return `the folder of the town that guard ${String(pid)} keeps was moved or removed from ${here} while it ran; \`town --root DIR restart\` starts it where it is now, \`town --root ${shellWord(here)} down\` ends it`;
}

/** As `whoIsRecorded`; the town is the process that holds its lock, if the system lists locks: a record may name another one. */
export async function whoIsThere(
  root: string,
  running: Running,
  processes: Pick<ProcessTable, 'alive' | 'proc'>,
): Promise<Present> {
  const { town, ...others } = await whoIsRecorded(root, running, processes);
  const holder = await lockHolder(root).catch(() => null); // An unreadable lock names no process.
  return { ...others, town: holder === null ? town : processes.proc(holder) };
}

/** What a process that cannot run does not do, and the way out. */
export const heldText = (what: 'town' | 'guard', pid: number): string =>
  `the ${what} (pid ${String(pid)}) is stopped or waits for a disk; \`kill -CONT ${String(pid)}\` continues a stopped one`;

/** False also if unknown: that is no proof that a process is stopped. */
export function cannotRun(processes: Pick<ProcessTable, 'cannotRun'>, proc: Proc): boolean {
  try {
    return processes.cannotRun(proc);
  } catch {
    return false;
  }
}

/**
 * Sees that town or guard cannot run, for longer than a disk usually takes. `held`: it cannot run just now; `stays`: so it was
 * found for `afterMs` and more.
 */
export function heldWatch(
  clock: Pick<Clock, 'now'>,
  processes: Pick<ProcessTable, 'cannotRun'>,
  afterMs: Ms,
): (proc: Proc) => 'free' | 'held' | 'stays' {
  const since = new Map<number, number>();
  return (proc) => {
    if (!cannotRun(processes, proc)) {
      since.delete(proc.pid);
      return 'free';
    }
    const began = since.get(proc.pid) ?? clock.now();
    since.set(proc.pid, began);
    return clock.now() - began >= afterMs ? 'stays' : 'held';
  };
}
