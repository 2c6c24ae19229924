/** The topmost process of a pane's tree that is as wished: an agent below its shell, not what the agent runs. */
import type { Proc } from '../../machines/protocol.ts';
import type { Description, ProcessTable } from './processes.ts';

export type Children = ReadonlyMap<number, readonly number[]>;

/** `top` itself included; null = there is none. Throws `ProcessUnknown`. */
export function topmost(
  processes: Pick<ProcessTable, 'proc' | 'describe'>,
  children: Children,
  top: number,
  wish: (process: Description) => boolean,
): Proc | null {
  for (let level: readonly number[] = [top]; level.length > 0;) {
    for (const pid of level) {
      const process = processes.describe(pid);
      const proc = process !== null && wish(process) ? processes.proc(pid) : null;
      if (proc !== null) return proc;
    }
    level = level.flatMap((pid) => children.get(pid) ?? []);
  }
  return null;
}
