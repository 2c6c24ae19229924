/** What runs below a process, named and ended when a run hangs. */
import { execFileSync } from 'node:child_process';
import { createProcesses } from '../src/proc/processes.ts';
import { codeOf } from '../state/files/disk.ts';

/** Every process of this user, as a tree, with what each waits for. */
export function allProcesses(): string {
  return execFileSync(
    'ps',
    ['-U', String(process.getuid?.()), '--forest', '-o', 'pid,ppid,etimes,time,stat,wchan:20,args'],
    { encoding: 'utf8' },
  );
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error; // It ended by itself.
  }
}

/** Sends a signal to every living descendant of a process; the process itself gets none. */
export async function signalBelow(top: number, signal: NodeJS.Signals): Promise<void> {
  const children = await createProcesses().children();
  const below = (pid: number): readonly number[] =>
    (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  for (const pid of below(top)) send(pid, signal);
}
