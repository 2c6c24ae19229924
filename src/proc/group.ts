/**
 * Ends a program of ours that hangs, with all that it started: the process group that it leads (`detached`). The kernel gives the
 * number of a group to nobody else while one of it lives. Who has left the group is not among them.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ms } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';

const LOOK_MS = 50;

/** TERM, so that it takes back its locks; KILL for whoever is left after the grace. */
export async function endGroup(leader: number, graceMs: Ms): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!signalled(leader, signal)) return;
    for (const until = performance.now() + graceMs; performance.now() < until;) {
      await pause(LOOK_MS);
      if (!signalled(leader, 0)) return;
    }
  }
}

/** False = nobody of it is left. */
const signalled = (leader: number, signal: NodeJS.Signals | 0): boolean =>
  orNull(() => process.kill(-leader, signal)) ?? false;
