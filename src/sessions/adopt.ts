/**
 * The order `adoptSession`: a person's session is watched from now on. Nothing is started, typed or ended there.
 * 1. The life is the agent's own process, found in the pane's tree; the pane's shell is never it.
 * 2. A session of another root is refused by name.
 * 3. What an agent's own program runs in the background has no pane: the process is the life, as for one without tmux (C-7).
 */
import type { Incarnation, OutcomeBody, Proc } from '../../machines/protocol.ts';
import { placeOf } from '../../machines/sessions/background.ts';
import { hashOf } from '../../state/sessions/tokens.ts';
import type { OrderOf, Perform } from '../ports/ports.ts';
import { topmost } from '../proc/below.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { namesOf } from '../screen/agents.ts';
import type { Packs } from '../screen/packs.ts';
import { keepLife, lifeIn } from './life-mark.ts';
import { backgroundAgents } from '../sources/claude-background.ts';
import { runningProgram, type ProgramSource } from './program-file.ts';
import type { StartDeps } from './start.ts';
import { rootsOf } from '../tmux/owner.ts';
import { isManagedName, readPanesIfAny, rootKey, type PaneRow } from '../tmux/panes.ts';

export interface AdoptDeps extends Pick<StartDeps, 'tmux' | 'owner' | 'claim' | 'tokenFor'> {
  readonly processes: Pick<ProcessTable, 'proc' | 'describe' | 'children'> & ProgramSource;
  readonly packs: Pick<Packs, 'kindOf'>;
}

type Order = OrderOf<'adoptSession'>;
type Adopted = Extract<OutcomeBody, { type: 'SESSION_ADOPTED' | 'SESSION_NOT_ADOPTED' }>;

/** Rejects when tmux or a process gave no answer. */
export function adoptSession(deps: AdoptDeps): Perform<OrderOf<'adoptSession'>> {
  return async (order): Promise<Adopted> => {
    const { name, place } = order;
    if (!isManagedName(name))
      return not(`the name ${JSON.stringify(name)} cannot be managed; rename it in tmux first`, 2);
    return place?.includes(':') === true ? adoptInBackground(deps, order, place) : adoptInPane(deps, order);
  };
}

async function adoptInPane(deps: AdoptDeps, order: Order): Promise<Adopted> {
  const { name, place, process, uuid } = order;
  const rows = await readPanesIfAny(deps.tmux, { name, uuid, key: rootKey(deps.owner.root) });
  const pane = paneOf(rows ?? [], place);
  if (pane === undefined) return not(`tmux has no ${place ?? `session ${name}`}; see: town watch`, 2);
  if (place !== undefined && rows?.some(({ named, sessionId }) => named && sessionId !== pane.sessionId) === true)
    return not(`tmux has another session ${name} already; give another --as`, 2);
  const claim = await deps.claim();
  if (claim.kind !== 'owned') return not(claim.kind === 'refused' ? claim.why : 'the tmux server ended meanwhile', 5);
  const foreign = await otherRoot(deps, pane);
  if (foreign !== null) return not(`it belongs to the town of ${foreign}; release it there first`, 5);
  if (pane.ours && pane.started && pane.agentPane && !pane.dead)
    return not('this town started it; see: town session status', 1);
  if (pane.dead) return not('its pane is dead: there is no agent in it', 1);
  const agent = await agentIn(deps, pane.pid, process);
  if (agent === null) return not(notFound(process), 1);
  await mark(deps, order, pane);
  return adopted(deps, order, pane, agent);
}

/** The pane that is meant: by its id, or the one of the session that is in use. */
function paneOf(rows: readonly PaneRow[], place: string | undefined): PaneRow | undefined {
  if (place?.startsWith('%') === true) return rows.find(({ paneId }) => paneId === place);
  const panes = rows.filter(({ named, sessionId }) => (place === undefined ? named : sessionId === place));
  return panes.find((row) => row.ours && row.agentPane && row.incarnate) ?? panes.find((row) => row.active);
}

function not(why: string, exit: 1 | 2 | 5): Adopted {
  return { type: 'SESSION_NOT_ADOPTED', why, exit };
}

function notFound(process: string | null): string {
  return process === null
    ? 'only a shell runs in its active pane, no agent that is known; start the agent there or name it with --process'
    : `no process ${JSON.stringify(process)} runs in its active pane; look with ps and give its name with --process`;
}

async function adopted(
  deps: AdoptDeps,
  { name, uuid, tags, process }: Order,
  pane: PaneRow,
  agent: Proc,
): Promise<Adopted> {
  const incarnation = await lifeIn(deps.tmux, pane, { uuid, session: name, agent, origin: 'adopted' });
  const dir = deps.processes.cwdOf(agent);
  if (dir === null) return not(`its agent (pid ${agent.pid}) ended meanwhile`, 1);
  const spec = { name, command: [], dir, tags, restart: 'temporary', process } as const;
  await keepLife(deps.tmux, deps.tokenFor, { spec, incarnation });
  const program = runningProgram(deps.processes, agent);
  const tokenHash = hashOf(deps.tokenFor(uuid));
  return { type: 'SESSION_ADOPTED', incarnation, tokenHash, dir, ...(program !== null && { program }) };
}

/** Its process alone is the life: there is nothing in tmux to mark. */
async function adoptInBackground(deps: AdoptDeps, { name, uuid }: Order, place: string): Promise<Adopted> {
  const { processes, packs, tokenFor } = deps;
  const all = await backgroundAgents({ processes, packs, children: await processes.children() });
  const found = all.find((one) => placeOf(one) === place);
  if (found === undefined) return not(`no agent ${place} runs in the background; see: town watch`, 2);
  const { program, id, config, proc: agent } = found;
  const dir = found.dir ?? processes.cwdOf(agent);
  if (dir === null) return not(`it (pid ${agent.pid}) ended meanwhile`, 1);
  const ids = { uuid, session: name, server: agent, sessionId: '', paneId: '', agent } as const;
  const incarnation: Incarnation = { ...ids, origin: 'detached' };
  const file = runningProgram(processes, agent);
  return {
    type: 'SESSION_ADOPTED',
    incarnation,
    tokenHash: hashOf(tokenFor(uuid)),
    dir,
    background: { program, id, config },
    ...(file !== null && { program: file }),
  };
}

/** The root that owns the session; null = none, or ours. */
async function otherRoot({ tmux, owner }: AdoptDeps, { sessionId }: PaneRow): Promise<string | null> {
  const root = await tmux.call(['show-options', '-q', '-v', '-t', sessionId, '@town_root']);
  return root === '' || rootsOf(root).includes(owner.root) ? null : root;
}

async function mark({ tmux, owner }: AdoptDeps, { uuid }: Order, { sessionId, paneId }: PaneRow): Promise<void> {
  const marks = {
    '@town_key': rootKey(owner.root),
    '@town_root': owner.root,
    '@town_incarnation': uuid,
    '@town_pane': paneId,
  };
  const isNone = ['set-option', '-q', '-u', '-t', sessionId, '@town_started'];
  const set = Object.entries(marks).map(([name, value]) => ['set-option', '-t', sessionId, name, value]);
  // A person's pane beside the dead one of an agent that the town started: what is in it is no agent of ours.
  await tmux.sequence([...set, isNone]);
}

/** The topmost process below the pane (itself included) that has the name, or is an agent that is known. */
async function agentIn({ processes, packs }: AdoptDeps, panePid: number, wanted: string | null): Promise<Proc | null> {
  const found = topmost(processes, await processes.children(), panePid, (process) =>
    wanted === null ? packs.kindOf(process) !== null : namesOf(process).includes(wanted),
  );
  if (found !== null || wanted !== null) return found;
  const own = processes.describe(panePid);
  return own !== null && !own.interactiveShell ? processes.proc(panePid) : null;
}
