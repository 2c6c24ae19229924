/**
 * A new guard takes the place of a guard and its town (`town restart`) or of a guard that waits (`town up`). The old guard goes first; the
 * old town only once this guard has the lock. So either of the two would bring the town back, and the command that asked may be killed.
 * An old town that no kill ends, since it waits for a disk, is guarded on: this guard starts the town once that one is gone.
 */
import type { Proc } from '../../machines/protocol.ts';
import type { Lock } from '../../state/process/lock.ts';
import type { Running } from '../../state/process/pid-files.ts';
import { systemClock } from '../ports/clock.ts';
import type { ProcessPolicy } from '../ports/policy.ts';
import { signal, untilEnded, type Signals } from './ending.ts';
import type { Predecessors } from './orders.ts';

export interface TakeoverNeeds {
  readonly processes: Signals;
  readonly running: Running;
  readonly policy: Pick<ProcessPolicy, 'downMs' | 'pollEveryMs'>;
  /** Takes the guard's lock; null = another guard has it. */
  readonly take: () => Promise<Lock | null>;
  /** The town that lives now; null = there is none. */
  readonly townNow: () => Promise<Proc | null>;
}

const isSame = (one: Proc | null, other: Proc | null): boolean =>
  one !== null && other !== null && one.pid === other.pid && one.started === other.started;

/** Resolves with whether this guard has the lock now; rejects where a guard does not end. */
export async function takeOver(
  { town, guard }: Predecessors,
  { processes, running, policy, take, townNow }: TakeoverNeeds,
): Promise<boolean> {
  /** False = it lives on. */
  const hasEnded = async (proc: Proc): Promise<boolean> => {
    const began = systemClock.now();
    if (!processes.alive(proc)) return true;
    signal(processes, proc, 'TERM');
    return (await untilEnded(processes, [proc], policy, began)).left.length === 0;
  };
  const end = async (proc: Proc): Promise<void> => {
    if (!(await hasEnded(proc))) throw new Error(`pid ${String(proc.pid)} did not end`);
  };
  if (guard !== null) await end(guard);
  for (const began = systemClock.now(); (await take()) === null;) {
    await systemClock.sleep(policy.pollEveryMs);
    // The old town brings itself a new guard where it misses its own. Another one's guard has the root by right.
    const post = await running.guard();
    if (post === null || !processes.alive(post)) {
      if (systemClock.now() - began > policy.downMs) return false;
    } else if (isSame(post.town, town)) await end(post);
    else return false;
  }
  if (town !== null && !(await hasEnded(town))) return true;
  // The old guard may have started another one in its last moment.
  const last = guard === null ? null : await townNow();
  if (last !== null && !(await isNew(last, guard, running))) await hasEnded(last);
  return true;
}

/** Whether a guard after `old` started it, and was killed: a town that has written its record is guarded on. */
async function isNew(town: Proc, old: Proc | null, running: Running): Promise<boolean> {
  const post = await running.guard();
  const said = await running.town();
  if (post === null || said.kind !== 'town') return false;
  return !isSame(post, old) && isSame(post.town, town) && isSame(said.town, town);
}
