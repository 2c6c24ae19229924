/**
 * Codex's own word: the server of its CODEX_HOME says of each thread whether a turn runs, and whether that waits for a
 * person. A thread names no terminal, so one counts only where it can be no other's:
 * 1. One agent of the town runs in that folder with that home.
 * 2. One thread began there since that agent did, or is the one that it was started to go on with. Those of terminals that
 *    ended stay loaded.
 * 3. When that thread was seen first, no terminal of a person's ran Codex in that folder.
 * 4. What an agent began for a part of its work asks on the same screen.
 * `idle` says only that no turn runs, and a turn that failed does not say why: a limit, a login or an error shows on the
 * screen alone.
 */
import { uptime } from 'node:os';
import { join } from 'node:path';
import type { Proc, WallMs } from '../../machines/protocol.ts';
import type { SaidState } from '../../machines/sessions/agent-state.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { Clock } from '../ports/ports.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Packs } from '../screen/packs.ts';
import { lastActs, untilInRollout } from './codex-work.ts';
import type { Asked } from './question.ts';
import { codexAsks, type CodexAsks } from './codex-asks.ts';
import { codexGives } from './codex-gives.ts';
import { codexServer, type CodexServer, type Thread } from './codex-server.ts';
import type { Ear, Heard, ProgramPort } from './port.ts';
import { SOURCES } from './policy.ts';
import { standingFile } from './standing-file.ts';

const CODEX = 'codex';
const SOURCE = 'codex server';
const SOCKET = ['app-server-control', 'app-server-control.sock'];
const SECOND = 1_000;

/** What an active thread waits for, in words. */
const WAITS: Readonly<Record<string, string>> = { waitingOnApproval: 'an approval', waitingOnUserInput: 'an answer' };

type Processes = Pick<
  ProcessTable,
  'alive' | 'children' | 'commandOf' | 'cwdOf' | 'describe' | 'proc' | 'ttyOf' | 'variableOf'
>;

interface Around {
  readonly processes: Processes;
  readonly packs: Pick<Packs, 'kindOf'>;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
}

/** One agent of the town. */
interface Agent {
  readonly proc: Proc;
  readonly cwd: string;
  /** In wall ms, by the machine's own ticks. */
  readonly startedAt: WallMs;
  /** The thread that it was started to go on with; null = with none. */
  readonly resumes: string | null;
}

/** One home: its server, and the agents of the town that use it. */
interface Home {
  readonly server: CodexServer;
  readonly agents: Map<number, Agent>;
  /** Threads by id: whether each could be a person's when it was seen first. */
  readonly isDoubtful: Map<string, boolean>;
}

export function codexPort({ processes, packs, clock }: Around): ProgramPort {
  const homes = new Map<string, Home>();
  return {
    kind: CODEX,
    open: (proc) => {
      // Only Linux shows start times as ticks.
      const place = process.platform === 'linux' ? socketOf(processes, proc) : null;
      const cwd = place === null ? null : processes.cwdOf(proc);
      if (place === null || cwd === null) return null;
      const home = homes.get(place) ?? {
        server: codexServer(place, () => clock.now()),
        agents: new Map<number, Agent>(),
        isDoubtful: new Map<string, boolean>(),
      };
      homes.set(place, home);
      const resumes = resumedIn(processes.commandOf(proc.pid)?.argv ?? []);
      const agent = { proc, cwd, startedAt: startOf(proc, clock.wall()), resumes };
      home.agents.set(proc.pid, agent);
      const heeded = { agent, place, asks: codexAsks(place) };
      return { place, hear: hearer(home, heeded, { processes, packs, clock }) };
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

/** `codex resume <id>`; its options may stand before. */
const resumedIn = (argv: readonly string[]): string | null => argv[argv.indexOf('resume') + 1 || argv.length] ?? null;

interface Heeded {
  readonly agent: Agent;
  /** Of the socket of its home. */
  readonly place: string;
  readonly asks: CodexAsks;
}

function hearer(home: Home, { agent, place, asks }: Heeded, around: Around): Ear['hear'] {
  const { processes, clock } = around;
  const workOf = standingFile();
  const actedIn = lastActs();
  return async () => {
    const at = clock.wall();
    for (const [pid, { proc }] of home.agents) if (!lives(processes, proc)) home.agents.delete(pid);
    const folders = new Set(Array.from(home.agents.values(), ({ cwd }) => cwd));
    const threads = await home.server.threads(({ cwd }) => folders.has(cwd));
    const isAlone = [...home.agents.values()].filter(({ cwd }) => cwd === agent.cwd).length === 1;
    // Asked after its server was.
    if (threads === null || !isAlone || !lives(processes, agent.proc)) return null;
    const thread = threadOf(threads, agent);
    if (thread === null || (await mayBePersons(home, thread, agent, around))) return null;
    const heard = heardOf(thread, threads, at);
    const waiting = [...withParts(thread, threads)].filter(isWaiting).map(({ id }) => id);
    const asked = await asks.of(waiting);
    if (asked !== null) return asking(heard, asked);
    const { path } = thread;
    const isAtWork = heard.word?.state === 'working' && typeof path === 'string';
    // Its file grows with each step of a turn.
    if (isAtWork) return { ...heard, ...(await workOf(path, untilInRollout(path), at)) };
    const changedAt = await actedIn(heard.books?.program === 'codex' ? heard.books.files : []);
    const rests = { ...heard, ...(changedAt !== null && { changedAt }) };
    return heard.word?.state === 'idle' ? { ...rests, gives: codexGives(place, thread.id) } : rests;
  };
}

/** In whole seconds, as threads are dated. */
const isSince = (thread: Thread, { startedAt }: Agent): boolean => begunAt(thread) >= Math.floor(startedAt / SECOND);

/** As the thread's id was made, which holds its time (UUID version 7): one that had no turn yet is dated as of now. */
function begunAt({ id, createdAt }: Thread): number {
  const [, high = '', low = ''] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return high === '' ? createdAt : Math.floor(parseInt(high + low, 16) / SECOND);
}

/** null = none, or more than one, can be its thread. */
function threadOf(threads: readonly Thread[], agent: Agent): Thread | null {
  const own = threads.filter(
    (one) => one.cwd === agent.cwd && one.threadSource === 'user' && !one.ephemeral && one.parentThreadId === null,
  );
  const [thread, other] = own.filter((one) => one.id === agent.resumes || isSince(one, agent));
  return thread === undefined || other !== undefined ? null : thread;
}

/** Whether it is not proved to be the agent's. A thread that the agent was started with is. */
async function mayBePersons(
  { agents, isDoubtful }: Home,
  { id }: Thread,
  agent: Agent,
  around: Around,
): Promise<boolean> {
  if (id === agent.resumes) return false;
  const known = isDoubtful.get(id);
  if (known !== undefined) return known;
  const doubt = await hasStranger(agents, agent, around).catch(() => true);
  if (isDoubtful.size >= SOURCES.maxThreads) isDoubtful.clear();
  isDoubtful.set(id, doubt);
  return doubt;
}

/** Whether a terminal that is no agent's of the town runs Codex in that folder. Rejects where the processes cannot be seen. */
async function hasStranger(agents: Home['agents'], { cwd }: Agent, { processes, packs }: Around): Promise<boolean> {
  const own = new Set(Array.from(agents.values(), ({ proc }) => orNull(() => processes.ttyOf(proc.pid))));
  return [...(await processes.children()).values()].flat().some((pid) => {
    const tty = orNull(() => processes.ttyOf(pid));
    if (tty === null || own.has(tty)) return false;
    const command = orNull(() => processes.commandOf(pid));
    if (command === null || packs.kindOf(command) !== CODEX) return false;
    const proc = processes.proc(pid);
    return proc !== null && processes.cwdOf(proc) === cwd;
  });
}

function heardOf(thread: Thread, threads: readonly Thread[], at: WallMs): Heard {
  const said = saidBy(thread, withParts(thread, threads));
  const word = said && { by: 'program' as const, source: SOURCE, since: null, at, rule: null, ...said };
  const files = [...withParts(thread, threads)].flatMap(({ path }) => path ?? []);
  const isTold = typeof thread.path === 'string';
  return {
    conversation: thread.id,
    word,
    ...(isTold && { books: { program: 'codex', files } }),
  };
}

/** The thread, those that its agent began, and those that theirs did. */
function withParts(thread: Thread, threads: readonly Thread[]): ReadonlySet<Thread> {
  const all = new Set([thread]);
  for (const { id } of all) for (const one of threads) if (one.parentThreadId === id) all.add(one);
  return all;
}

/** With what it asks in its words. */
function asking({ word, ...heard }: Heard, asked: Asked): Heard {
  const detail = `${word?.detail ?? 'it'}: ${asked.question}`.slice(0, SOURCES.maxDetailChars);
  return { ...heard, word: word && { ...word, detail }, asked };
}

const isWaiting = ({ status }: Thread): boolean => status.type === 'active' && status.activeFlags.length > 0;

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
