/**
 * The order `scan`: what became of each life that the town knows, from one `list-panes -a` and the processes' start
 * times.
 * 1. While an agent's pid + start time lives, it is not gone, even if its pane is (law 12): alive or unknown.
 * 2. "Server gone" is proved by the recorded server's pid + start time, never by silence (law 1).
 * 3. An exit that neither tmux nor a hearing's record can tell is unknown, never clean.
 */
import { isSameProc, type Exit, type Incarnation, type OutcomeBody } from '../../machines/protocol.ts';
import type { Proc, SeenSession, Spared, WaitingStart } from '../../machines/protocol.ts';
import type { OrderOf, Perform, Processes } from '../ports/ports.ts';
import { orNull } from '../../state/files/or-null.ts';
import { isFault } from '../tmux/errors.ts';
import {
  isManagedName,
  isPaneOf,
  makeTmuxReap,
  readPanes,
  rememberingRows,
  serverOf,
  type PaneRow,
} from '../tmux/panes.ts';
import type { TmuxClient } from '../tmux/client.ts';

export interface ScanDeps {
  readonly tmux: TmuxClient;
  readonly processes: Pick<Processes, 'alive'>;
  /** Whether a durable kill intent names this life. */
  readonly maybeSignalled: (uuid: string) => Promise<boolean>;
  readonly sparedBy: (uuid: string) => Spared | null;
  /** How this life ended, as a hearing read it in the pane that it cleared since; null = none did. */
  readonly exitOf: (uuid: string) => Promise<Exit | null>;
  /** Names of those whose start nothing keeps from being made any more. Never rejects. */
  readonly freeOf: (waits: readonly WaitingStart[]) => Promise<readonly string[]>;
}

type Seen = Extract<OutcomeBody, { type: 'SESSIONS_SEEN' }>;
type Rows = ReturnType<typeof rememberingRows>;
type Finding = Pick<SeenSession, 'life' | 'exit'>;
/** One look at everything: each process is looked at once, each pane is found by its id. */
interface View {
  /** null = no server answers. */
  readonly server: Proc | null;
  readonly panes: ReadonlyMap<string, PaneRow>;
  /** null = unknown. */
  readonly lives: (proc: Proc) => boolean | null;
}

const UNKNOWN: Finding = { life: 'unknown', exit: null };
const UNTOLD: Exit = { kind: 'unknown' };

/** Never rejects for what tmux does: no answer is the finding `unknown`. */
export function scanSessions(deps: ScanDeps): Perform<OrderOf<'scan'>> {
  const rows = rememberingRows();
  const scan = seeLives(deps, rows);
  return async (order) => {
    const outcome = await scan(order);
    if (order.waits === undefined || outcome.server === 'unknown') return outcome;
    const free = await deps.freeOf(order.waits);
    return free.length === 0 ? outcome : { ...outcome, free };
  };
}

function seeLives(deps: ScanDeps, rows: Rows): (order: OrderOf<'scan'>) => Promise<Seen> {
  return async ({ known }) => {
    for (const { server } of known) deps.tmux.expect(server);
    let view: View;
    try {
      view = await look(deps, known, rows);
    } catch (error) {
      if (!isFault(error, 'none')) return seen(deps, known, 'unknown', () => UNKNOWN);
      view = { server: null, panes: new Map(), lives: lookOnce(deps.processes) };
    }
    if (known.length === 0) return { type: 'SESSIONS_SEEN', server: view.server === null ? 'none' : 'up', seen: [] };
    const findings = new Map<string, Finding>();
    const servers: ReturnType<typeof serverState>[] = [];
    for (const life of known) {
      const state = serverState(life, view);
      servers.push(state);
      const found = judge(life, state, view);
      findings.set(
        life.uuid,
        found ?? { life: (await nameLives(deps, life.session)) ? 'replaced' : 'absent', exit: UNTOLD },
      );
    }
    const server = (['gone', 'unknown'] as const).find((state) => servers.includes(state)) ?? 'up';
    return seen(deps, known, server, ({ uuid }) => findings.get(uuid) ?? UNKNOWN);
  };
}

async function seen(
  { maybeSignalled, sparedBy, exitOf }: ScanDeps,
  known: readonly Incarnation[],
  server: Seen['server'],
  of: (life: Incarnation) => Finding,
): Promise<Seen> {
  const sessions = known.map(async (one): Promise<SeenSession> => {
    const { session: name, uuid } = one;
    const { life, exit } = of(one);
    const spared = sparedBy(uuid);
    const about = { name, uuid, life, ...(spared !== null && { spared }) };
    if (life === 'alive' || life === 'unknown') return { ...about, exit, maybeSignalled: false };
    const known = exit?.kind === 'unknown' ? await exitOf(uuid) : null;
    return { ...about, exit: known ?? exit, maybeSignalled: await maybeSignalled(uuid) };
  });
  return { type: 'SESSIONS_SEEN', server, seen: await Promise.all(sessions) };
}

async function look(deps: ScanDeps, known: readonly Incarnation[], { parse, next }: Rows): Promise<View> {
  const view = async (): Promise<View> => {
    next();
    const all = await readPanes(deps.tmux, {}, parse);
    const lives = lookOnce(deps.processes);
    const server = known.find(isWhoAnswered(all, lives))?.server ?? (await serverOf(deps.tmux));
    // A server that came between the two questions is seen by the next scan.
    const rows = all.filter(({ serverPid }) => serverPid === server.pid);
    return { server, panes: new Map(rows.map((row) => [row.paneId, row])), lives };
  };
  const first = await view();
  if (!known.some((life) => exitIsMissing(life, first))) return first;
  await makeTmuxReap(deps.tmux);
  return view();
}

/** The server that answered is the recorded one: its rows bear that pid, and that process lives. One question less a scan. */
function isWhoAnswered(rows: readonly PaneRow[], lives: View['lives']): (life: Incarnation) => boolean {
  return ({ server }) => rows[0]?.serverPid === server.pid && lives(server) === true;
}

/** Its agent is gone, the pane is there, and tmux has neither status nor signal: it has not reaped the child yet. */
function exitIsMissing(life: Incarnation, { panes, lives }: View): boolean {
  const row = panes.get(life.paneId);
  return row !== undefined && isPaneOf(row.pid, life.agent.pid) && row.exit === null && lives(life.agent) === false;
}

/** Asks for each process once: a hundred agents are looked at every two seconds. */
function lookOnce(processes: ScanDeps['processes']): View['lives'] {
  const told = new Map<number, { readonly started: string; readonly lives: boolean | null }>();
  return (proc) => {
    const before = told.get(proc.pid);
    if (before?.started === proc.started) return before.lives;
    const lives = orNull(() => processes.alive(proc));
    told.set(proc.pid, { started: proc.started, lives });
    return lives;
  };
}

function serverState({ server }: Incarnation, view: View): 'up' | 'gone' | 'unknown' {
  if (isSameProc(view.server, server)) return 'up';
  // It lives but another one answers here, or none: two worlds, and this life is in the one that we do not see.
  return view.lives(server) === false ? 'gone' : 'unknown';
}

/** null = its pane is not there, and only the session's name says whether a foreign session took its place. */
function judge(life: Incarnation, server: 'up' | 'gone' | 'unknown', view: View): Finding | null {
  if (server === 'unknown') return UNKNOWN;
  const agentLives = view.lives(life.agent);
  if (agentLives === null) return UNKNOWN;
  const row = server === 'up' ? view.panes.get(life.paneId) : undefined;
  // An agent that outlives its pane is out of our sight and reach; starting another beside it would be wrong.
  if (agentLives) return row === undefined ? UNKNOWN : { life: 'alive', exit: null };
  if (row === undefined) return server === 'up' ? null : { life: 'absent', exit: UNTOLD };
  const isItsOwn = isPaneOf(row.pid, life.agent.pid);
  if (life.origin === 'started' && !isItsOwn) return { life: 'replaced', exit: UNTOLD };
  return { life: 'dead', exit: (isItsOwn ? row.exit : null) ?? UNTOLD };
}

async function nameLives({ tmux }: ScanDeps, name: string): Promise<boolean> {
  if (!isManagedName(name)) return false;
  const found = await tmux.query(['display-message', '-p', '-t', `=${name}:`, '#{session_id}']).catch(() => ['']);
  return /^\$\d+$/.test(found[0] ?? '');
}
