/**
 * A program of ours with all that it started, the process group that it leads (`detached`): whether it moves anything, and its end where
 * it hangs. The kernel does not reuse a group's number while a member lives. A process that left the group is not included.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ms } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';

const LOOK_MS = 50;

/** TERM, so that it takes back its locks; KILL for the rest after the grace. */
export async function endGroup(leader: number, graceMs: Ms): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!signalled(leader, signal)) return;
    for (const until = performance.now() + graceMs; performance.now() < until;) {
      await pause(LOOK_MS);
      if (!signalled(leader, 0)) return;
    }
  }
}

/** False = none of the group is left. */
const signalled = (leader: number, signal: NodeJS.Signals | 0): boolean =>
  orNull(() => process.kill(-leader, signal)) ?? false;

/** Of a line of /proc/<pid>/stat, behind the program's name, which may hold any signs: state, parent, group. */
const GROUP = /^.*\) \S+ \d+ (\d+) /s;

/**
 * Bytes that its processes read and wrote so far, in files, pipes and sockets; the kernel counts those of a process that ended for its
 * parent. null = this system does not tell.
 */
export function trafficOf(leader: number): number | null {
  const members = orNull(() => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && groupOf(pid) === leader));
  const moved = members?.map((pid) => orNull(() => bytesIn(readFileSync(`/proc/${pid}/io`, 'utf8'))));
  const known = moved?.filter((bytes) => bytes !== null) ?? [];
  return known.length === 0 ? null : known.reduce((sum, bytes) => sum + bytes, 0);
}

const groupOf = (pid: string): number | null =>
  orNull(() => Number(GROUP.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]));

const bytesIn = (io: string): number =>
  [...io.matchAll(/^[rw]char: (\d+)$/gm)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
