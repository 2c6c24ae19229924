/**
 * Who reads the keys of a pane (D-8): the leader of its terminal's foreground process group. Text typed at an interactive
 * shell is run, so a shell in front is never typed into, also when the agent lives behind it (law 12).
 */
import { foregroundGroup } from '../proc/foreground.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Program } from '../screen/screen.ts';

export interface Foreground {
  readonly program: Program | null;
  readonly isShell: boolean;
}

/** Rejects when it is unknown. A group whose leader has ended is a pipeline's, and no shell. */
export async function foregroundOf(processes: Pick<ProcessTable, 'describe'>, pid: number): Promise<Foreground> {
  const leader = await foregroundGroup(pid);
  const found = leader === null ? null : processes.describe(leader);
  return { program: found, isShell: found?.interactiveShell ?? false };
}
