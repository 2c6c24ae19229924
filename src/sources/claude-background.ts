/**
 * Agents of `claude --bg`: Claude Code's own daemon runs them, without a pane. Each is known by its process and by the file
 * that this process wrote about itself, never by the daemon's list: an entry may outlive its agent.
 */
import type { Background, Proc } from '../../machines/protocol.ts';
import type { SaidState } from '../../machines/sessions/agent-state.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { Children } from '../proc/below.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Packs } from '../screen/packs.ts';
import { configFolder, readSessionFile, STATES } from './claude.ts';

export interface BackgroundAgent extends Background {
  readonly proc: Proc;
  /** The name that its program gives it: the words of its task, or a person's. Foreign text. */
  readonly name: string;
  /** null = its program does not tell it yet. */
  readonly state: SaidState | null;
  /** Its folder; null = not told. */
  readonly dir: string | null;
}

interface Needs {
  readonly processes: Pick<ProcessTable, 'alive' | 'describe' | 'proc' | 'variableOf'>;
  readonly packs: Pick<Packs, 'kindOf'>;
  readonly children: Children;
}

/** All that run on this machine as far as the system shows their processes, by their ids. */
export async function backgroundAgents({ processes, packs, children }: Needs): Promise<BackgroundAgent[]> {
  const pids = [...children.values()].flat();
  const found = await Promise.all(
    pids.map(async (pid) => {
      const program = orNull(() => processes.describe(pid));
      const proc = program === null || packs.kindOf(program) !== 'claude' ? null : orNull(() => processes.proc(pid));
      return proc === null ? null : agentOf(processes, proc);
    }),
  );
  return found.filter((one) => one !== null).toSorted((one, other) => one.id.localeCompare(other.id));
}

async function agentOf(processes: Needs['processes'], proc: Proc): Promise<BackgroundAgent | null> {
  const folder = orNull(() => configFolder(processes, proc));
  const file = folder && (await readSessionFile(folder.path, proc));
  if (folder === null || file?.kind !== 'bg' || file.jobId === undefined) return null;
  if (orNull(() => processes.alive(proc)) !== true) return null;
  const { jobId: id, name = '', status, cwd = null } = file;
  const state = status === undefined ? null : STATES[status];
  return { program: 'claude', id, config: folder.isChosen ? folder.path : null, proc, name, state, dir: cwd };
}
