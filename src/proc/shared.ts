/**
 * Daemons that serve several agents, and whose tools run below them (D-10). One look at one list of processes.
 * 1. A daemon belongs to no agent, and its starter's traces (environment, a place below it) prove nothing about its
 *    tools.
 * 2. Tools are attributed by thread. A thread is the target's if an agent of its own tree is at home in the thread's
 *    folder and uses that daemon, and no other living agent is at home there. Two agents in one folder cannot be told
 *    apart, so the thread is left.
 * 3. What is left though it may be the target's is named. So is the daemon, in which its work may go on.
 */
import { resolve, sep } from 'node:path';
import { roleIn, type Role, type Service } from '../screen/services.ts';
import { chainOf, type ByPid } from './ancestors.ts';
import { programOf } from './command.ts';
import type { Row, Source } from './source.ts';

/** What a process is to each service, by pid and start. */
export type Roles = Map<string, Map<Service, Role | null>>;

export type ProcessFacts = Pick<Source, 'command' | 'valueOf' | 'cwd'>;

/** `program`: what people call it. */
export interface Left {
  readonly row: Row;
  readonly program: string;
}

/** An agent that the daemon may serve. */
interface Client {
  readonly isOurs: boolean;
  /** null = unknown, so it may be anywhere. */
  readonly dir: string | null;
  readonly home: string | null;
}

export interface Question {
  /** Members of the tree so far. */
  readonly ours: ReadonlyMap<number, Row>;
  /** Threads of everybody's environment, which tell nothing. */
  readonly inherited: ReadonlySet<string>;
  /** It carries the target's mark, which an orphaned tool has from its daemon. null = orphans are not looked for. */
  readonly isMarked: ((row: Row) => boolean) | null;
}

interface Thread {
  readonly rows: Row[];
  /** Where it is at home, as its wrappers say. */
  readonly homes: Set<string>;
  /** Working folders of its tools; null = hidden. */
  readonly dirs: Set<string | null>;
  /** Of the daemons that run it. */
  readonly daemons: Set<string | null>;
}

export class Shared {
  readonly #byPid: ByPid;
  readonly #source: ProcessFacts;
  readonly #services: readonly Service[];
  readonly #roles: Roles;

  /** `roles`: what earlier looks found, which a program that another one took the place of makes wrong. */
  constructor(byPid: ByPid, source: ProcessFacts, services: readonly Service[], roles: Roles = new Map()) {
    this.#byPid = byPid;
    this.#source = source;
    this.#services = services;
    this.#roles = roles;
  }

  /** It works for several, or keeps what does. */
  isShared(row: Row): boolean {
    return this.#services.some((service) => this.#isShared(service, row));
  }

  /** What a daemon started, or a tool of one that was orphaned. */
  isBelow(row: Row, inherited: Question['inherited']): boolean {
    if (chainOf(this.#byPid, row).some((one) => this.isShared(one))) return true;
    return this.#services.some((service) => this.#threadOf(service, row, inherited) !== null);
  }

  /** Threads that these name in their environment: a town that was started in a tool has that tool's. */
  threadsOf(rows: readonly Row[]): ReadonlySet<string> {
    const none = new Set<string>();
    const values = rows.flatMap((row) => this.#services.map((service) => this.#threadOf(service, row, none)));
    return new Set(values.filter((value) => value !== null));
  }

  /** Tools of ours, and what is left. */
  work(question: Question): { readonly own: readonly Row[]; readonly left: readonly Left[] } {
    const found = this.#services.map((service) => this.#workOf(service, question));
    return { own: found.flatMap(({ own }) => own), left: found.flatMap(({ left }) => left) };
  }

  #workOf(service: Service, question: Question): { own: Row[]; left: Left[] } {
    const { ours } = question;
    const isAgent = (row: Row): boolean => this.#role(service, row)?.is === 'agent';
    // Without an agent of its own in the tree no thread can be the target's; otherwise all processes must be looked
    // at.
    if (![...ours.values()].some(isAgent)) return { own: [], left: [] };
    const living = [...this.#byPid.values()].filter(({ zombie }) => !zombie);
    const clients = living.filter(isAgent).map((row) => this.#client(service, row, ours.has(row.pid)));
    const homes = new Set(clients.flatMap(({ isOurs, home }) => (isOurs ? [home] : [])));
    const own: Row[] = [];
    const left: Left[] = living.flatMap((row) => this.#daemonOf(service, row, homes, question));
    for (const thread of this.#threads(service, living, question)) {
      const side = sideOf(thread, clients);
      if (side === 'ours') own.push(...thread.rows);
      const isPossible = [...thread.daemons].some((home) => homes.has(home));
      if (side === 'unclear' && isPossible) left.push(...this.#named(thread));
    }
    return { own, left };
  }

  /** If its clients are unknown, it counts as its starter's at least. */
  #daemonOf(service: Service, row: Row, homes: ReadonlySet<string | null>, { ours, isMarked }: Question): Left[] {
    const role = this.#role(service, row);
    if (role?.is !== 'daemon') return [];
    const serves =
      service.threads === null
        ? isMarked?.(row) === true || chainOf(this.#byPid, row).some(({ pid }) => ours.has(pid))
        : homes.has(this.#homeOf(service, row));
    return serves ? [{ row, program: role.label }] : [];
  }

  /** Processes not yet proved ours, by thread; a thread with only strangers' orphans is left out. */
  #threads(service: Service, living: readonly Row[], { ours, inherited, isMarked }: Question): Thread[] {
    const threads = new Map<string, Thread>();
    for (const row of living) {
      if (ours.has(row.pid)) continue;
      const daemon = chainOf(this.#byPid, row).find((one) => this.#isShared(service, one));
      if (daemon === row || (daemon === undefined && isMarked === null)) continue;
      const name = this.#threadOf(service, row, inherited);
      if (name === null) continue;
      const thread = threads.get(name) ?? { rows: [], homes: new Set(), dirs: new Set(), daemons: new Set() };
      threads.set(name, thread);
      thread.rows.push(row);
      if (daemon === undefined && isMarked?.(row) !== true) continue;
      const role = this.#role(service, row);
      const cwd = this.#source.cwd(row.pid);
      if (role?.is === 'wrapper') thread.homes.add(resolve(cwd ?? sep, role.dir));
      else thread.dirs.add(cwd);
      thread.daemons.add(this.#homeOf(service, daemon ?? row));
    }
    return [...threads.values()].filter(({ daemons }) => daemons.size > 0);
  }

  #named({ rows }: Thread): Left[] {
    const pids = new Set(rows.map(({ pid }) => pid));
    const tops = rows.filter(({ ppid }) => !pids.has(ppid));
    return tops.map((row) => ({ row, program: programOf(this.#source.command(row.pid)) }));
  }

  #client(service: Service, row: Row, isOurs: boolean): Client {
    const role = this.#role(service, row);
    const cwd = this.#source.cwd(row.pid);
    const told = role?.is === 'agent' ? role.dir : null;
    const dir = told === null ? cwd : cwd === null ? null : resolve(cwd, told);
    return { isOurs, dir, home: this.#homeOf(service, row) };
  }

  #isShared(service: Service, row: Row): boolean {
    const is = this.#role(service, row)?.is;
    return is === 'daemon' || is === 'keeper';
  }

  #role(service: Service, row: Row): Role | null {
    const known = this.#roles.get(keyOf(row)) ?? new Map<Service, Role | null>();
    this.#roles.set(keyOf(row), known);
    const before = known.get(service);
    if (before !== undefined) return before;
    const command = row.zombie ? null : this.#source.command(row.pid);
    const role = command === null ? null : roleIn(service, command);
    known.set(service, role);
    return role;
  }

  #threadOf({ threads }: Service, row: Row, inherited: ReadonlySet<string>): string | null {
    const thread = threads === null ? null : this.#source.valueOf(row, threads.name);
    return thread === null || inherited.has(thread) ? null : thread;
  }

  #homeOf({ threads }: Service, row: Row): string | null {
    for (const name of threads?.home ?? []) {
      const value = this.#source.valueOf(row, name);
      if (value !== null) return `${name}=${value}`;
    }
    return null;
  }
}

const keyOf = ({ pid, start }: Row): string => `${pid} ${start}`;

/** Forgets who is gone. */
export function keepLiving(roles: Roles, rows: readonly Row[]): void {
  const living = new Set(rows.map(keyOf));
  for (const key of roles.keys()) if (!living.has(key)) roles.delete(key);
}

/** Whose thread it is, as far as folders tell. */
function sideOf({ homes, dirs, daemons }: Thread, clients: readonly Client[]): 'ours' | 'others' | 'unclear' {
  const isHere = ({ dir }: Client): boolean =>
    dir === null || homes.has(dir) || (homes.size === 0 && [...dirs].some((one) => one === null || isWithin(one, dir)));
  const here = clients.filter(isHere);
  const ours = here.filter(({ isOurs, dir, home }) => isOurs && dir !== null && daemons.has(home));
  const others = here.filter(({ isOurs }) => !isOurs);
  if (ours.length === 0) return others.some(({ dir }) => dir !== null) ? 'others' : 'unclear';
  return others.length === 0 ? 'ours' : 'unclear';
}

const isWithin = (path: string, dir: string): boolean =>
  path === dir || path.startsWith(dir === sep ? sep : `${dir}${sep}`);
