/**
 * Codex's own word: the server of its CODEX_HOME says of each thread whether a turn runs, and whether that waits for a
 * person. A thread names no terminal, so one counts only where it can be no other's:
 * 1. One agent of the town runs in that folder with that home.
 * 2. One thread began there since that agent did. Those of terminals that ended stay loaded.
 * 3. What an agent began for a part of its work asks on the same screen.
 * `idle` says only that no turn runs, and a turn that failed does not say why: a limit, a login or an error shows on the
 * screen alone.
 */
import { stat } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import type { Proc, WallMs } from '../../machines/protocol.ts';
import type { SaidState } from '../../machines/sessions/agent-state.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { Clock } from '../ports/ports.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { codexServer, type CodexServer, type Thread } from './codex-server.ts';
import type { Ear, Heard, ProgramPort } from './port.ts';
import { SOURCES } from './policy.ts';

const SOURCE = 'codex server';
const SOCKET = ['app-server-control', 'app-server-control.sock'];
const SECOND = 1_000;

/** What an active thread waits for, in words. */
const WAITS: Readonly<Record<string, string>> = { waitingOnApproval: 'an approval', waitingOnUserInput: 'an answer' };

type Processes = Pick<ProcessTable, 'alive' | 'variableOf' | 'cwdOf'>;

interface Around {
  readonly processes: Processes;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
}

/** One agent of the town. */
interface Agent {
  readonly proc: Proc;
  readonly cwd: string;
  /** In wall ms, by the machine's own ticks. */
  readonly startedAt: WallMs;
}

/** One home: its server, and the agents of the town that use it. */
interface Home {
  readonly server: CodexServer;
  readonly agents: Map<number, Agent>;
}

export function codexPort(processes: Processes, clock: Around['clock']): ProgramPort {
  const homes = new Map<string, Home>();
  return {
    kind: 'codex',
    open: (proc) => {
      // Only Linux shows start times as ticks.
      const place = process.platform === 'linux' ? socketOf(processes, proc) : null;
      const cwd = place === null ? null : processes.cwdOf(proc);
      if (place === null || cwd === null) return null;
      const home = homes.get(place) ?? {
        server: codexServer(place, () => clock.now()),
        agents: new Map<number, Agent>(),
      };
      homes.set(place, home);
      const agent = { proc, cwd, startedAt: startOf(proc, clock.wall()) };
      home.agents.set(proc.pid, agent);
      return { place, hear: hearer(home, agent, { processes, clock }) };
    },
  };
}

/** null = hidden. */
function socketOf(processes: Processes, proc: Proc): string | null {
  const user = processes.variableOf(proc, 'HOME');
  const home = processes.variableOf(proc, 'CODEX_HOME') ?? (user === null ? null : join(user, '.codex'));
  return home?.startsWith('/') === true ? join(home, ...SOCKET) : null;
}

/** Whether the very process lives; one that cannot be told does not count as living. */
const lives = (processes: Processes, proc: Proc): boolean => orNull(() => processes.alive(proc)) === true;

function startOf({ started }: Proc, now: WallMs): WallMs {
  const ticks = Number(started.split('@')[0]);
  return now - (uptime() - ticks / SOURCES.ticksPerSecond) * SECOND;
}

function hearer(home: Home, agent: Agent, { processes, clock }: Around): Ear['hear'] {
  return async () => {
    const at = clock.wall();
    for (const [pid, { proc }] of home.agents) if (!lives(processes, proc)) home.agents.delete(pid);
    const folders = new Set(Array.from(home.agents.values(), ({ cwd }) => cwd));
    const threads = await home.server.threads(({ cwd }) => folders.has(cwd));
    const isAlone = [...home.agents.values()].filter(({ cwd }) => cwd === agent.cwd).length === 1;
    // Asked after its server was.
    if (threads === null || !isAlone || !lives(processes, agent.proc)) return null;
    return withProgress(heardIn(threads, agent, at), threads);
  };
}

/** Its file grows with each step of a turn. */
async function withProgress(heard: Heard | null, threads: readonly Thread[]): Promise<Heard | null> {
  if (heard?.word?.state !== 'working') return heard;
  const { path, updatedAt } = threads.find(({ id }) => id === heard.conversation) ?? {};
  const found = typeof path === 'string' ? await stat(path).catch(() => null) : null;
  if (found === null) return heard;
  return { ...heard, progress: `${updatedAt ?? ''} ${found.size}` };
}

/** In whole seconds, as threads are dated. */
const isSince = ({ createdAt }: Thread, { startedAt }: Agent): boolean => createdAt >= Math.floor(startedAt / SECOND);

/** null = none, or more than one, can be its thread. */
function heardIn(threads: readonly Thread[], agent: Agent, at: WallMs): Heard | null {
  const own = threads.filter(
    (one) => one.cwd === agent.cwd && one.threadSource === 'user' && !one.ephemeral && one.parentThreadId === null,
  );
  const [thread, other] = own.filter((one) => isSince(one, agent));
  if (thread === undefined || other !== undefined) return null;
  const said = saidBy(thread, withParts(thread, threads));
  const word = said && { by: 'program' as const, source: SOURCE, since: null, at, rule: null, ...said };
  return { conversation: thread.id, word };
}

/** The thread, those that its agent began, and those that theirs did. */
function withParts(thread: Thread, threads: readonly Thread[]): ReadonlySet<Thread> {
  const all = new Set([thread]);
  for (const { id } of all) for (const one of threads) if (one.parentThreadId === id) all.add(one);
  return all;
}

/** null = nothing that is known here. */
function saidBy(
  { status: { type } }: Thread,
  all: ReadonlySet<Thread>,
): { readonly state: SaidState; readonly detail: string | null } | null {
  const flags = [...all].flatMap(({ status }) => (status.type === 'active' ? status.activeFlags : []));
  const waits = flags.map((flag) => WAITS[flag]);
  if (waits.includes(undefined)) return null;
  const [detail] = waits;
  if (detail !== undefined) return { state: 'asks', detail };
  switch (type) {
    case 'active':
      return { state: 'working', detail: null };
    case 'idle':
      return { state: 'idle', detail: null };
    default:
      return null;
  }
}
