/**
 * What a platform can tell about processes. A source never guesses: what it cannot tell, it throws (law 1).
 * A zombie is no living process; rows carry it only because its children still name it as their parent.
 */
import type { Ms, Proc } from '../../machines/protocol.ts';
import { codeOf } from '../../state/files/disk.ts';

/** One process as the kernel lists it. */
export interface Row {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** Pid of its session's leader; 0 = the platform does not tell. */
  readonly sid: number;
  /** Controlling terminal, in the source's own spelling (see `terminal`); null = none. */
  readonly tty: string | null;
  readonly zombie: boolean;
  /** What keeps it from running: it was stopped (SIGSTOP, a debugger), or waits for a disk; null = nothing. */
  readonly cannotRun: 'stopped' | 'disk' | null;
  /** User + system time so far. */
  readonly cpuMs: Ms;
  /** Memory that it has in RAM; what it shares with others counts whole. */
  readonly residentBytes: number;
  /** Start time in the source's own spelling; only `Source.proc` and `Source.same` read it. */
  readonly start: string;
}

/** The words a process was started with. `exe` is null where the platform hides it. */
export interface Command {
  readonly comm: string;
  readonly argv: readonly string[];
  readonly exe: string | null;
}

/** Every method throws when the answer is unknown (EMFILE, permission, no `ps`). */
export interface Source {
  /** null = no process has this pid. A zombie is returned. */
  row(pid: number): Row | null;
  /** One pass over all processes. Those that come or go meanwhile may be missing. */
  rows(): Promise<Row[]>;
  proc(row: Row): Proc;
  /** Whether this row is the very process that `proc` names. */
  same(row: Row, proc: Proc): boolean;
  /** Whether it was started with exactly this `NAME=value` in its environment. Unreadable = no: it is not proved ours. */
  marked(row: Row, entry: string): boolean;
  /** The value of this variable in the environment it was started with; null = it has none, or unreadable. */
  valueOf(row: Row, name: string): string | null;
  /** The pid of the tmux server whose pane it was born in, as its environment says; null = in none, or unreadable. */
  tmuxOf(row: Row): number | null;
  /** A tmux server: all panes below it have its first starter's environment. */
  isTmuxServer(row: Row): boolean;
  /** The spelling of `Row.tty` for a terminal's path; null = there is no such terminal. */
  terminal(path: string): string | null;
  /** The path of a `Row.tty`; null = it has none. */
  terminalPath(tty: string): string | null;
  /** null = gone. */
  command(pid: number): Command | null;
  /** Its working folder; null = gone, or hidden. */
  cwd(pid: number): string | null;
  /** The mark (`markOf`) of the file that it runs, also once that is deleted; null = gone, or hidden. Absent = the platform does not tell. */
  runningMark?(pid: number): string | null;
  /** Looks at the same processes again and again for little, where the platform can. */
  readonly followed?: Follower;
}

export interface Follower {
  /** Whether it lives; a zombie does not. null = it is not followed, or unknown: look it up by its number. */
  lives(proc: Proc): boolean | null;
  follow(proc: Proc): void;
}

/** The answer could not be found out. Never to be taken for "gone". */
export class ProcessUnknown extends Error {
  override readonly name = 'ProcessUnknown';
}

/** The process ended between two calls. */
export function isGone(error: unknown): boolean {
  return ['ENOENT', 'ESRCH'].includes(codeOf(error));
}
