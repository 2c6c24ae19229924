/**
 * The port `Processes` over a platform's source, and the questions other hands have about processes.
 * 1. Identity is pid + start time + boot; it is checked again right before every signal (law 3).
 * 2. Never signalled: pid 1 and below, the town, its group, its ancestors, a daemon that serves several agents. Such a call is
 *    a `SignalRefused`; so is listing the tree of an agent that is the town, above it, or the tmux server itself.
 * 3. What is unknown throws `ProcessUnknown`; no method takes it for "gone" (law 1).
 */
import type { Incarnation, Proc } from '../../machines/protocol.ts';
import type { Load, Processes, Tree } from '../ports/ports.ts';
import { ancestorsOf, byPidOf } from './ancestors.ts';
import { isInteractiveShell, type Description } from './command.ts';
import { familyOf, groupsOf } from './family.ts';
import { stoppedIn, type AgentInPane, type StoppedProcess } from './stopped.ts';
import { linuxSource } from './linux.ts';
import { macosSource } from './macos.ts';
import type { Roles } from './shared.ts';
import { codeOf } from '../../state/files/disk.ts';
import { ProcessUnknown, type Command, type Row, type Source } from './source.ts';
import { survivorsIn, type SurvivorsOf } from './survivors.ts';
import { isDaemon, loadOf, usageOf, type Ground, type ProcessesOptions } from './trees.ts';

export { ProcessUnknown } from './source.ts';
export type { Command } from './source.ts';
export type { Description } from './command.ts';

/** This process may not be signalled by us, or the system does not let us. It lives on and has to be named. */
export class SignalRefused extends Error {
  override readonly name = 'SignalRefused';
}

export interface Tool extends Command {
  readonly pid: number;
}

/** `Processes` and what adoption, screens and rescue ask besides. All throw `ProcessUnknown` when it is unknown. */
export interface ProcessTable extends Processes {
  /** null = gone. */
  commandOf(pid: number): Command | null;
  /** Whether it is kept from running: stopped, or waiting for a disk. False = it can run, or has ended. */
  cannotRun(proc: Proc): boolean;
  /** Who of this agent is kept from running, so that nothing reads what is typed in its pane; null = all can run. */
  stoppedOf(agent: AgentInPane): Promise<StoppedProcess | null>;
  /** null = gone or a zombie. */
  describe(pid: number): Description | null;
  /** Path of the controlling terminal; null = none, or gone. */
  ttyOf(pid: number): string | null;
  /** Its working folder, as a path; null = gone, or hidden. */
  cwdOf(proc: Proc): string | null;
  /** The mark (`markOf`) of the file that it runs; null = gone, hidden, or this system does not tell. */
  runningMarkOf(proc: Proc): string | null;
  /** Of the environment it was started with; null = it has no such variable, or it is gone, or hidden. */
  variableOf(proc: Proc, name: string): string | null;
  /** What each of these agents and its descendants take, all from one pass; null = it is gone. */
  loadOf(agents: readonly Proc[]): Promise<(Load | null)[]>;
  /** Pids of living children by their parent's, from one pass over all processes. */
  children(): Promise<ReadonlyMap<number, readonly number[]>>;
  /** What an agent runs for itself: descendants that lead a process group of their own, and its own tools below a daemon. */
  groupsBelow(agent: Proc): Promise<Tool[]>;
  readonly survivorsOf: SurvivorsOf;
  /** Every living process that was started with exactly this `NAME=value`, below any parent; never our own group. */
  carrying(entry: string): Promise<Proc[]>;
  /** Every living process with such a command; never our own. */
  startedAs(isSo: (command: Command) => boolean): Promise<Proc[]>;
}

export function createProcesses(options: ProcessesOptions = {}): ProcessTable {
  const { source = platformSource(), own = process.pid, services = () => [] } = options;
  const ground = { source, own, services };
  // A hearing looks every second, and only a sign of life depends on it: each process is looked up once.
  const roles: Roles = new Map();
  const living = (pid: number): Row | null => {
    const row = source.row(pid);
    return row === null || row.zombie ? null : row;
  };
  const found = (proc: Proc): Row | null => {
    const row = living(proc.pid);
    return row !== null && source.same(row, proc) ? row : null;
  };
  return {
    proc: (pid) => {
      const row = living(pid);
      return row && source.proc(row);
    },
    alive: (proc) => {
      const told = source.followed?.lives(proc) ?? null;
      if (told !== null) return told;
      const lives = found(proc) !== null;
      if (lives) source.followed?.follow(proc);
      return lives;
    },
    treeOf: async (target, tty, listed) => (await familyIn(ground, target, tty, listed ?? [])).tree,
    familyOf: (target, tty, listed) => familyIn(ground, target, tty, listed ?? []),
    refusal: (target) => refusalOfLife(source, own, target, (pid) => source.row(pid)),
    signal: (proc, signal) => send(ground, found(proc), signal),
    usageOf: (agents) => usageOf(ground, agents),
    loadOf: (agents) => loadOf(ground, agents),
    cannotRun: (proc) => (found(proc)?.cannotRun ?? null) !== null,
    stoppedOf: (agent) => stoppedIn(ground, agent),
    commandOf: (pid) => (living(pid) === null ? null : source.command(pid)),
    describe: (pid) => describe(source, living(pid)),
    ttyOf: (pid) => ttyPath(source, living(pid)),
    cwdOf: (proc) => (found(proc) === null ? null : source.cwd(proc.pid)),
    runningMarkOf: (proc) => (found(proc) === null ? null : (source.runningMark?.(proc.pid) ?? null)),
    variableOf: (proc, name) => {
      const row = found(proc);
      return row && source.valueOf(row, name);
    },
    children: () => childrenOf(source),
    groupsBelow: (agent) => groupsBelow(ground, agent, roles),
    survivorsOf: (of, kinOf) => survivorsIn(ground, of, kinOf),
    carrying: (entry) => carrying(source, own, entry),
    startedAs: async (isSo) => {
      const rows = (await source.rows()).filter(({ zombie, pid }) => !zombie && pid !== own);
      const isMeant = (command: Command | null): boolean => command !== null && isSo(command);
      return rows.filter(({ pid }) => isMeant(source.command(pid))).map((row) => source.proc(row));
    },
  };
}

/** Living processes whose working folder is this one or lies below it, this one left out. Throws when it is unknown. */
export async function standingIn(folder: string, source = platformSource(), own = process.pid): Promise<Tool[]> {
  const rows = (await source.rows()).filter(({ pid, zombie }) => !zombie && pid !== own);
  const standing = rows.filter(({ pid }) => {
    const cwd = source.cwd(pid);
    return cwd === folder || cwd?.startsWith(`${folder}/`) === true;
  });
  return toolsOf(source, standing);
}

const toolsOf = (source: Source, rows: readonly Row[]): Tool[] =>
  rows.flatMap(({ pid }) => {
    const command = source.command(pid);
    return command === null ? [] : [{ pid, ...command }];
  });

/** What this system tells. Throws `ProcessUnknown` on one that is not known. */
export function platformSource(): Source {
  if (process.platform === 'linux') return linuxSource();
  if (process.platform === 'darwin') return macosSource();
  throw new ProcessUnknown(`Townwatch cannot tell processes apart on ${process.platform}; it runs on linux and darwin`);
}

async function familyIn(
  { source, own, services }: Ground,
  target: Incarnation,
  tty: string | null,
  listed: readonly Proc[],
): Promise<Tree> {
  const rows = await source.rows();
  const byPid = byPidOf(rows);
  if (!byPid.has(own))
    throw new ProcessUnknown(`the list of processes lacks the town's own pid ${own}; it proves nothing`);
  const refusal = refusalOfLife(source, own, target, (pid) => byPid.get(pid) ?? null);
  if (refusal !== null) throw new SignalRefused(refusal);
  const terminal = tty === null ? null : source.terminal(tty);
  const { members, excluded } = familyOf(rows, { target, tty: terminal, listed, own, services: services() }, source);
  return {
    tree: members.map((row) => source.proc(row)),
    excluded: excluded.map(({ row, program }) => ({ ...source.proc(row), program })),
  };
}

type Signal = 'TERM' | 'KILL' | 'USR1' | 'HUP';

function send(ground: Ground, row: Row | null, signal: Signal): boolean {
  if (row === null) return false;
  const { source, own } = ground;
  const why = refusalOf((pid) => source.row(pid), own, row);
  const refusal = why ?? (isDaemon(ground, row) ? 'it serves other agents too' : null);
  if (refusal !== null) throw new SignalRefused(`pid ${row.pid} gets no ${signal}: ${refusal}`);
  return deliver(row, signal);
}

/**
 * KILL for the town of a guard, TERM for the guard of a town. Identity alone counts between the two: one started the other, which the rules for agents take for a
 * reason to refuse. False = it is gone.
 */
export const killTown = (town: Proc, source = platformSource()): boolean => sendTo(town, 'KILL', source);
export const endGuard = (guard: Proc, source = platformSource()): boolean => sendTo(guard, 'TERM', source);

function sendTo({ pid, started }: Proc, signal: Signal, source: Source): boolean {
  const row = pid > 1 ? source.row(pid) : null;
  return row !== null && !row.zombie && source.same(row, { pid, started }) && deliver(row, signal);
}

function deliver(row: Row, signal: Signal): boolean {
  try {
    process.kill(row.pid, `SIG${signal}`);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    throw new SignalRefused(`pid ${row.pid} got no ${signal}: the system refused it (${codeOf(error)})`, {
      cause: error,
    });
  }
}

type RowOf = (pid: number) => Row | null;

function refusalOf(rowOf: RowOf, own: number, row: Row): string | null {
  if (row.pid <= 1) return 'it is the system itself';
  if (row.pid === own) return 'it is the town itself';
  const self = rowOf(own);
  if (self === null) throw new ProcessUnknown(`the town's own pid ${own} cannot be found; nothing is signalled`);
  if (ancestorsOf({ get: rowOf }, own).includes(row.pid)) return 'the town runs below it';
  return row.pgid === self.pgid ? "it is in the town's own process group" : null;
}

/** Without its agent nothing of a life is ended: what it runs would be started again, and its pane not be cleared. */
function refusalOfLife(source: Source, own: number, target: Incarnation, rowOf: RowOf): string | null {
  const { agent, server, session, origin } = target;
  const row = rowOf(agent.pid);
  if (row === null || row.zombie || !source.same(row, agent)) return null;
  const isServer = origin !== 'detached' && agent.pid === server.pid;
  const why = isServer ? 'it is the tmux server' : refusalOf(rowOf, own, row);
  return why && `this town cannot end the agent ${session} (pid ${agent.pid}): ${why}`;
}

function describe(source: Source, row: Row | null): Description | null {
  const command = row && source.command(row.pid);
  if (row === null || command === null) return null;
  const tty = ttyPath(source, row);
  return { ...command, pid: row.pid, ppid: row.ppid, tty, interactiveShell: isInteractiveShell(command, tty) };
}

function ttyPath(source: Source, row: Row | null): string | null {
  return row === null || row.tty === null ? null : source.terminalPath(row.tty);
}

async function groupsBelow({ source, services }: Ground, agent: Proc, roles: Roles): Promise<Tool[]> {
  const rows = await source.rows();
  const row = rows.find((one) => source.same(one, agent));
  const apart = row === undefined ? [] : groupsOf(rows, row, source, { services: services(), roles });
  return toolsOf(source, apart);
}

async function carrying(source: Source, own: number, entry: string): Promise<Proc[]> {
  const rows = await source.rows();
  const group = rows.find(({ pid }) => pid === own)?.pgid;
  const others = rows.filter(({ zombie, pgid }) => !zombie && pgid !== group);
  return others.filter((row) => source.marked(row, entry)).map((row) => source.proc(row));
}

async function childrenOf(source: Source): Promise<ReadonlyMap<number, readonly number[]>> {
  const children = new Map<number, number[]>();
  for (const { pid, ppid, zombie } of await source.rows())
    if (!zombie) children.set(ppid, [...(children.get(ppid) ?? []), pid]);
  return children;
}
