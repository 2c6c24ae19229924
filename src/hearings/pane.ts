/**
 * The target's pane (D-9, law 3): found by its ids, or a value that says why not.
 * 1. What tmux or the process table could not say is `unknown`; only what is proved gone is gone (law 1).
 * 2. While the agent's pid + start time lives, nothing is gone (law 12): one that outlived its pane is reported as
 *    that.
 * 3. A pane that a person moved to another session is in the person's hands: neither typed into nor cleared (law 6).
 */
import { isSameProc, type Exit, type Incarnation, type Obstacle } from '../../machines/protocol.ts';
import type { Processes } from '../ports/ports.ts';
import { isFault } from '../tmux/errors.ts';
import { exitOf, isPaneOf, makeTmuxReap } from '../tmux/panes.ts';
import type { TmuxClient } from '../tmux/client.ts';

export interface PaneDeps {
  readonly tmux: Pick<TmuxClient, 'query' | 'call' | 'sequence' | 'server'>;
  readonly processes: Processes;
}

export interface FoundPane {
  readonly kind: 'found';
  readonly paneId: string;
  /** The pane's own process: the agent where the town started it, a person's shell where it was adopted. */
  readonly panePid: number;
  /** Every session that shows this pane: its own, linked and grouped ones. */
  readonly sessionIds: readonly string[];
}

/** Why there is no pane to work with. */
export type Missing = Extract<Obstacle, { kind: 'gone' | 'replaced' | 'person' | 'paneless' | 'unknown' }>;

/** A user's hook may print lines of its own into a reply; only rows of ours count. */
const FORMAT = 'pane #{session_id} #{pane_id} #{pane_pid} #{pane_dead} s#{pane_dead_status} g#{pane_dead_signal}';
const ROW = /^pane (\$\d+) (%\d+) (\d*) ([01]?) s(\d*) g(\w*)$/;

interface Row {
  readonly sessionId: string;
  readonly panePid: number;
  readonly dead: boolean;
  /** null = tmux does not tell one (yet). */
  readonly exit: Exit | null;
}

/** Never rejects. */
export async function findPane(deps: PaneDeps, target: Incarnation): Promise<FoundPane | Missing> {
  try {
    return await find(deps, target);
  } catch (error) {
    return unknown(error);
  }
}

/** The words of an error as a value. */
export const unknown = (error: unknown): { readonly kind: 'unknown'; readonly why: string } => ({
  kind: 'unknown',
  why: error instanceof Error ? error.message : String(error),
});

async function find(deps: PaneDeps, target: Incarnation): Promise<FoundPane | Missing> {
  if (target.origin === 'detached') return withoutTmux(deps, target);
  const server = await deps.tmux.server();
  if (!isSameProc(server, target.server)) return withoutServer(deps, target, server !== null);
  const rows = await rowsOf(deps, target.paneId);
  const [row] = rows;
  if (row === undefined) return withoutPane(deps, target, `its pane ${target.paneId} is gone`, true);
  const sessionIds = rows.map((one) => one.sessionId);
  const isMoved = !sessionIds.includes(target.sessionId);
  if (deps.processes.alive(target.agent))
    return isMoved
      ? { kind: 'person', what: `a person moved its pane ${target.paneId} to session ${sessionIds.join(', ')}` }
      : { kind: 'found', paneId: target.paneId, panePid: row.panePid, sessionIds };
  const isReborn = target.origin === 'started' && !row.dead && row.panePid !== target.agent.pid;
  if (isReborn && deps.processes.proc(row.panePid) !== null) return { kind: 'replaced' };
  const exit = isPaneOf(row.panePid, target.agent.pid) ? await exitIn(deps, target.paneId, row) : null;
  return { kind: 'gone', paneStays: !isMoved, ...(exit !== null && { exit }) };
}

/** It never had a pane. While tmux is away its hearing waits (C-7); once that answers, it cannot be asked for good. */
async function withoutTmux({ tmux, processes }: PaneDeps, { agent, session }: Incarnation): Promise<Missing> {
  if (!processes.alive(agent)) return { kind: 'gone', paneStays: false };
  if ((await tmux.server().catch(() => null)) === null)
    return { kind: 'unknown', why: `${session} runs without tmux: it has no pane to look at or type into` };
  const what = `it was started without tmux, and has no pane; to end it: kill ${agent.pid}; a next start is in tmux`;
  return { kind: 'paneless', what };
}

/** The end of the pane's own process; tmux is made to notice it where it has not. */
async function exitIn(deps: PaneDeps, paneId: string, { exit }: Row): Promise<Exit | null> {
  if (exit !== null) return exit;
  await makeTmuxReap(deps.tmux);
  return (await rowsOf(deps, paneId))[0]?.exit ?? null;
}

async function rowsOf({ tmux }: Pick<PaneDeps, 'tmux'>, paneId: string): Promise<Row[]> {
  const rows = await tmux.query(['list-panes', '-a', '-f', `#{==:#{pane_id},${paneId}}`, '-F', FORMAT]);
  return rows.flatMap((row) => {
    const [, sessionId, id, pid, dead, status = '', signal = ''] = ROW.exec(row) ?? [];
    if (sessionId === undefined || id !== paneId) return [];
    return [{ sessionId, panePid: Number(pid), dead: dead === '1', exit: exitOf(status, signal) }];
  });
}

/** Another server answers, or none. The agent's own server may live unseen: then its pane is unknown. */
async function withoutServer(deps: PaneDeps, target: Incarnation, isServed: boolean): Promise<Missing> {
  const { agent, server } = target;
  const isHidden = deps.processes.alive(agent) && deps.processes.alive(server);
  if (isHidden) return { kind: 'unknown', why: `its tmux server ${server.pid} lives, but does not answer here` };
  return withoutPane(deps, target, 'its tmux server is gone', isServed);
}

/** The pane is not there. The agent may still live, and its name may have gone to another. */
async function withoutPane(
  { tmux, processes }: PaneDeps,
  { agent, session }: Incarnation,
  what: string,
  isServed: boolean,
): Promise<Missing> {
  if (processes.alive(agent)) {
    const lives = `its process ${agent.pid} lives on; to end it: town session kill ${session} --force`;
    return { kind: 'paneless', what: `${what}, but ${lives}` };
  }
  if (!isServed) return { kind: 'gone', paneStays: false };
  try {
    const names = await tmux.call(['list-sessions', '-F', '#{session_name}']);
    return names.split('\n').includes(session) ? { kind: 'replaced' } : { kind: 'gone', paneStays: false };
  } catch (error) {
    if (isFault(error, 'none')) return { kind: 'gone', paneStays: false };
    throw error;
  }
}
