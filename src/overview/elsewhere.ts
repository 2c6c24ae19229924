/** Agents below tmux servers that are not looked at, by the processes alone: no other server is asked anything. */
import type { Children } from '../proc/below.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Packs } from '../screen/packs.ts';
import { isSameSocket } from '../tmux/socket.ts';

export interface Elsewhere {
  /** Path of the socket, as the agents there have it. */
  readonly socket: string;
  /** Panes in which a program runs that a pack knows. */
  readonly agents: number;
}

interface Eyes {
  readonly processes: Pick<ProcessTable, 'proc' | 'describe' | 'variableOf'>;
  readonly packs: Pick<Packs, 'kindOf'>;
  readonly children: Children;
}

/** By their socket's path. What the system hides is not counted. */
export function agentsElsewhere({ processes, packs, children }: Eyes, own: string): Elsewhere[] {
  const panes = new Map<string, Set<string>>();
  for (const pid of [...children.values()].flat()) {
    const program = processes.describe(pid);
    const proc = program === null || packs.kindOf(program) === null ? null : processes.proc(pid);
    const socket = proc === null ? '' : socketIn(processes.variableOf(proc, 'TMUX'));
    if (proc === null || socket === '' || isSameSocket(socket, own)) continue;
    const pane = processes.variableOf(proc, 'TMUX_PANE') ?? `${pid}`;
    panes.set(socket, (panes.get(socket) ?? new Set()).add(pane));
  }
  return Array.from(panes, ([socket, of]) => ({ socket, agents: of.size })).toSorted((one, other) =>
    one.socket.localeCompare(other.socket),
  );
}

/** The variable has the socket, the server's pid and the session's number. */
const socketIn = (text: string | null): string => text?.replace(/,\d+,\d+$/, '') ?? '';
