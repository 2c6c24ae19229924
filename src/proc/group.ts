/**
 * Ends a program of ours that hangs, with all that it started: the process group that it leads (`detached`). The kernel
 * does not reuse a group's number while a member lives. A process that left the group is not included.
 */
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
