/**
 * A machine in miniature: processes that fork, leave their session, become tmux servers, die and leave their pids to others.
 * It knows by birth who is the agent's and who is not; what the town concludes, it concludes from the rows alone.
 * As in a kernel, no pid is given again while it names a process, a group or a session.
 */
import fc from 'fast-check';
import type { Proc } from '../../machines/protocol.ts';
import type { Row, Source } from '../../src/proc/source.ts';

interface Process extends Row {
  /** The incarnation that its environment names. */
  readonly mark: string | null;
  /** The tmux server that its environment names. */
  readonly bornIn: number | null;
  readonly isServer: boolean;
  /** The truth: born of the agent, and of no tmux server on the way. */
  readonly isOurs: boolean;
  /** TERM does not end it. */
  readonly isDeaf: boolean;
  /** Does not wait for its children: they stay as zombies. */
  readonly isLazy: boolean;
}

export const move = fc.record({
  kind: fc.constantFrom('fork', 'fork', 'fork', 'exit', 'exit', 'reap'),
  who: fc.nat(1_000),
  isNear: fc.boolean(),
  pid: fc.nat(1_000),
  leaves: fc.boolean(),
  scrubs: fc.boolean(),
  serves: fc.nat(9).map((n) => n === 0),
  isDeaf: fc.boolean(),
  isLazy: fc.boolean(),
});
export type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

export const UUID = '11111111-2222-4333-8444-555555555555';
const SYSTEM = 1;
const SERVER = 10;
const SHELL = 20;
export const TOWN = 30;
export const AGENT = 100;
/** So few that the dead leave theirs to the living all the time. */
const PIDS = Array.from({ length: 14 }, (_, n) => AGENT + n);
const PANE = 'pts/1';
const ELSEWHERE = 'pts/2';

export class Crowd {
  readonly #all = new Map<number, Process>();
  #births = 0;
  /** The start of the agent itself: its pid may become another process's. */
  readonly #agent: string;

  /** The agent leads the session of its pane, or is a job of a person's shell there. */
  constructor(isAdopted: boolean) {
    const flags = { isServer: false, isOurs: false, isDeaf: true, isLazy: false };
    const apart = { tty: null, mark: null, bornIn: null, ...flags } as const;
    this.#born({ ...apart, pid: SYSTEM, ppid: 0, pgid: SYSTEM, sid: SYSTEM });
    this.#born({ ...apart, pid: SERVER, ppid: SYSTEM, pgid: SERVER, sid: SERVER, isServer: true });
    const tty = isAdopted ? PANE : ELSEWHERE;
    this.#born({ ...apart, pid: SHELL, ppid: SERVER, pgid: SHELL, sid: SHELL, tty });
    this.#born({ ...apart, pid: TOWN, ppid: SHELL, pgid: TOWN, sid: SHELL, tty });
    this.#born({ ...apart, pid: TOWN + 1, ppid: TOWN, pgid: TOWN, sid: SHELL, tty });
    const agent = { ...apart, pid: AGENT, pgid: AGENT, tty: PANE, bornIn: SERVER, isOurs: true };
    const born = isAdopted ? { mark: null, ppid: SHELL, sid: SHELL } : { mark: UUID, ppid: SERVER, sid: AGENT };
    this.#born({ ...agent, ...born });
    this.#agent = this.procOf(AGENT).started;
  }

  readonly source: Source = {
    row: (pid) => this.#all.get(pid) ?? null,
    rows: () => Promise.resolve([...this.#all.values()]),
    proc: ({ pid, start }) => ({ pid, started: start }),
    same: ({ pid, start }, proc) => pid === proc.pid && start === proc.started,
    marked: ({ pid, zombie }, entry) => !zombie && entry === `TOWN_INCARNATION=${this.#all.get(pid)?.mark ?? ''}`,
    valueOf: () => null,
    tmuxOf: ({ pid }) => this.#all.get(pid)?.bornIn ?? null,
    isTmuxServer: ({ pid }) => this.#all.get(pid)?.isServer === true,
    terminal: (path) => path,
    terminalPath: (tty) => tty,
    command: () => null,
    cwd: () => null,
  };

  readonly pane = PANE;

  at(pid: number): Process | null {
    return this.#all.get(pid) ?? null;
  }

  procOf(pid: number): Proc {
    return { pid, started: this.#all.get(pid)?.start ?? 'none' };
  }

  get living(): Process[] {
    return [...this.#all.values()].filter(({ zombie }) => !zombie);
  }

  /** Those of the agent's that the town can know: the agent, who has its mark or was listed, who is below them or in their sessions. */
  known(listed: readonly Proc[] = []): Process[] {
    const names = new Set(listed.map(({ started }) => started));
    const ours = this.living.filter(({ isOurs }) => isOurs);
    let known = ours.filter(({ start, mark }) => start === this.#agent || mark === UUID || names.has(start));
    for (let before = -1; before !== known.length;) {
      before = known.length;
      const pids = new Set(known.map(({ pid }) => pid));
      known = ours.filter((one) => known.includes(one) || pids.has(one.ppid) || pids.has(one.sid));
    }
    return known;
  }

  move({ kind, who, isNear, ...how }: Move): void {
    const living = this.living.filter(({ pid }) => ![SYSTEM, SERVER, SHELL, TOWN].includes(pid));
    const parents = [...this.living.filter(({ pid }) => pid === SHELL || pid === SERVER), ...living];
    // Half of it happens among the youngest, so that there are families.
    const pick = <T>(all: readonly T[]): T | undefined =>
      all.at(isNear ? -1 - (who % 3) : who % Math.max(1, all.length));
    const [parent, one] = [pick(parents), pick(living)];
    if (kind === 'fork' && parent !== undefined) this.#fork(parent, how);
    if (kind === 'exit' && one !== undefined) this.end(one.pid);
    if (kind === 'reap') for (const { pid, zombie } of this.#all.values()) if (zombie) this.#all.delete(pid);
  }

  /** A signal's work; whether there was such a process. */
  signalled(pid: number, signal: string): boolean {
    const one = this.#all.get(pid);
    if (one === undefined) return false;
    if (!one.zombie && (signal === 'SIGKILL' || !one.isDeaf)) this.end(pid);
    return true;
  }

  end(pid: number): void {
    const one = this.#all.get(pid);
    if (one === undefined) return;
    for (const child of [...this.#all.values()].filter(({ ppid }) => ppid === pid)) {
      if (child.zombie) this.#all.delete(child.pid);
      else this.#all.set(child.pid, { ...child, ppid: SYSTEM });
    }
    if (this.#all.get(one.ppid)?.isLazy === true) this.#all.set(pid, { ...one, zombie: true });
    else this.#all.delete(pid);
  }

  #fork(
    parent: Process,
    { pid: nth, leaves, scrubs, serves, isDeaf, isLazy }: Omit<Move, 'kind' | 'who' | 'isNear'>,
  ): void {
    const taken = new Set([...this.#all.values()].flatMap(({ pid, pgid, sid }) => [pid, pgid, sid]));
    const free = PIDS.filter((pid) => !taken.has(pid));
    const pid = free[nth % Math.max(1, free.length)];
    if (pid === undefined) return;
    const mark = scrubs ? null : parent.mark;
    const bornIn = parent.isServer ? parent.pid : parent.bornIn;
    const isOurs = parent.isOurs && !serves;
    const group = leaves || parent.isServer ? { pgid: pid, sid: pid, tty: null } : parent;
    const { pgid, sid, tty } = serves ? { pgid: pid, sid: pid, tty: null } : group;
    // A process that becomes a tmux server leaves its parent first.
    const ppid = serves ? SYSTEM : parent.pid;
    this.#born({ pid, ppid, pgid, sid, tty, mark, bornIn, isServer: serves, isOurs, isDeaf, isLazy });
  }

  #born(one: Omit<Process, 'start' | 'zombie' | 'cannotRun' | 'cpuMs' | 'residentBytes'>): void {
    this.#births += 1;
    const fresh = { start: String(this.#births), zombie: false, cannotRun: null, cpuMs: 0, residentBytes: 0 };
    this.#all.set(one.pid, { ...one, ...fresh });
  }
}
