/**
 * Who reads the keys of a pane (D-8): the leader of its terminal's foreground process group. Text typed at an interactive
 * shell is run, so a shell in front is never typed into, also when the agent lives behind it (law 12).
 */
import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import type { ProcessTable } from '../proc/processes.ts';
import type { Program } from '../screen/screen.ts';

export interface Foreground {
  readonly program: Program | null;
  readonly isShell: boolean;
}

/** proc(5): `tpgid` is field 8; the first after the name is field 3. */
const TPGID = 8 - 3;

/** Throws when it cannot be told. A group whose leader has ended is a pipeline's, and no shell. */
export async function foregroundOf(processes: Pick<ProcessTable, 'describe'>, pid: number): Promise<Foreground> {
  const leader = await foregroundGroup(pid);
  const found = leader > 0 ? processes.describe(leader) : null;
  return { program: found, isShell: found?.interactiveShell ?? false };
}

async function foregroundGroup(pid: number): Promise<number> {
  if (process.platform !== 'linux') return Number((await execa('ps', ['-o', 'tpgid=', '-p', String(pid)])).stdout);
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(
    stat
      .slice(stat.lastIndexOf(')') + 1)
      .trim()
      .split(' ')[TPGID],
  );
}
