/** Facts about a town that gives no answer, and about a guard that cannot act, found without asking them. */
import { PROCESS } from '../../ports/policy.ts';
import { STATE } from '../../../state/files/policy.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { runningOf } from '../../../state/process/pid-files.ts';
import { systemClock } from '../../ports/clock.ts';
import { heldText, heldWatch, cannotRun, whoIsThere } from '../../guard/liveness.ts';
import { createProcesses } from '../../proc/processes.ts';

const SECOND = 1_000;
const RETRY_MS = 100;

/** Of a command, where its town is. */
interface Place {
  readonly root: string;
  disk(): Promise<Disk>;
}

/** The town does not answer. `why`: one sentence with the known reason, and what to do. */
export type Silence =
  /** The process holds the root all the same. */
  | {
      readonly kind: 'silent';
      readonly pid: number;
      readonly guard_pid: number | null;
      /** Nothing is known against it: it may be about to listen. */
      readonly may_start: boolean;
      readonly why: string;
    }
  /** The town fell, and its guard starts it again. */
  | {
      readonly kind: 'falling';
      readonly guard_pid: number;
      /** ISO time; a past one = at once. */
      readonly back_at: string;
      readonly why: string;
    };

/** The state of a town that does not answer; null = none is there and none will be. */
export async function silenceOf(place: Place): Promise<Silence | null> {
  const processes = createProcesses();
  const running = runningOf(await place.disk(), STATE.maxRecordBytes);
  const { town, guard, came, left } = await whoIsThere(place.root, running, processes);
  if (town !== null) {
    const known = came ?? left ?? (cannotRun(processes, town) ? heldTown(town.pid) : null);
    const why = known ?? silentText(town.pid);
    return { kind: 'silent', pid: town.pid, guard_pid: guard?.pid ?? null, may_start: known === null, why };
  }
  if (guard === null || (await running.stopped()) !== null) return null;
  const post = await running.guard();
  const at = Date.parse(post?.nextTryAt ?? '');
  const now = Date.now();
  const waits = at > now; // Else it has not noticed yet, and what it says of an end is about an earlier one.
  const fall = waits ? `the town fell (${post?.lastExit ?? 'it is unknown how'})` : 'the town fell';
  const when = waits ? `in ${Math.ceil((at - now) / SECOND)} s` : 'at once';
  const why = `${fall} and is back ${when}: its guard (pid ${guard.pid}) starts it again, \`town down\` ends that`;
  return { kind: 'falling', guard_pid: guard.pid, back_at: new Date(waits ? at : now).toISOString(), why };
}

/** When to look again, in ms from now, where a town that does not answer is expected back by then; null = it is not. */
export function expectedIn(silence: Silence | null): number | null {
  if (silence?.kind === 'falling') return Math.max(RETRY_MS, Date.parse(silence.back_at) - Date.now());
  return silence?.may_start === true ? RETRY_MS : null;
}

/** A sentence about a town that does not answer, with what to do. */
export const whyNobody = async (place: Place): Promise<string> =>
  (await silenceOf(place))?.why ?? `the town is not running at ${place.root}; start it with \`town up\``;

const silentText = (pid: number): string =>
  `the town (pid ${pid}) has the root but does not answer: it starts, ends or hangs; ask again, see \`town daemon logs\`, or end it with \`town down\``;
const heldTown = (pid: number): string => `${heldText('town', pid)}, \`town down\` ends it`;

/** Resolves with why, once the town was seen unable to run for a while; never while it can, and never after `over`. */
export async function whyHeld(place: Place, over: AbortSignal): Promise<string> {
  const processes = createProcesses();
  const running = runningOf(await place.disk(), STATE.maxRecordBytes);
  const watch = heldWatch(systemClock, processes, PROCESS.watchEveryMs);
  while (!over.aborted) {
    const { town } = await whoIsThere(place.root, running, processes);
    if (town !== null && watch(town) === 'stays') return heldTown(town.pid);
    await systemClock.sleep(PROCESS.watchEveryMs, over);
  }
  return new Promise(() => undefined);
}

/** Why the guard does nothing; null = it can act, or there is none. */
export function guardFault(pid: number | null): string | null {
  const processes = createProcesses();
  const guard = pid === null ? null : processes.proc(pid);
  if (guard === null || !cannotRun(processes, guard)) return null;
  return `${heldText('guard', guard.pid)}; until then no guard restarts a fallen town`;
}
