/** Sessions straight from tmux, without any record (C-8): which of these names lives there, and under which uuid of ours. */
import type { Incarnation, Discovered } from '../../machines/protocol.ts';
import type { Processes } from '../ports/ports.ts';
import { isFault } from '../tmux/errors.ts';
import { lifeIn } from '../sessions/life-mark.ts';
import { isManagedName, readPanesIfAny, rootKey, type PaneRow } from '../tmux/panes.ts';
import type { TmuxClient } from '../tmux/client.ts';

export interface FindDeps {
  readonly tmux: TmuxClient;
  readonly processes: Pick<Processes, 'proc'>;
  readonly root: string;
}

/** What was found; `life` is complete where it lives and is ours. */
export interface Found extends Discovered {
  readonly incarnation: Incarnation | null;
}

const UUID = /^[0-9a-f-]{36}$/;

/** Never rejects: what is unknown is `unknown`. */
export async function findSession(deps: FindDeps, name: string): Promise<Found> {
  const found = (life: Found['life'], uuid: string | null = null): Found => ({ name, life, uuid, incarnation: null });
  if (!isManagedName(name)) return found('foreign');
  try {
    const rows = (await readPanesIfAny(deps.tmux, { name, key: rootKey(deps.root) })) ?? [];
    const named = rows.filter((row) => row.named);
    if (named.length === 0) return found('absent');
    const agent = named.find((row) => row.ours && row.agentPane && row.started);
    if (agent === undefined) return found(named.some((row) => row.ours) ? 'dead' : 'foreign');
    const proc = agent.dead ? null : deps.processes.proc(agent.pid);
    const uuid = await uuidOf(deps.tmux, agent);
    if (proc === null || uuid === null) return found('dead', uuid);
    const incarnation = await lifeIn(deps.tmux, agent, { uuid, session: name, agent: proc, origin: 'started' });
    return { name, life: 'alive', uuid, incarnation };
  } catch (error) {
    // Without a tmux there is nothing in it (C-7); one that gives no answer is another matter.
    return found(isFault(error, 'none') || isFault(error, 'absent') ? 'absent' : 'unknown');
  }
}

async function uuidOf(tmux: TmuxClient, { sessionId }: PaneRow): Promise<string | null> {
  const [uuid = ''] = await tmux.query(['show-options', '-t', sessionId, '-q', '-v', '@town_incarnation']);
  return UUID.test(uuid) ? uuid : null;
}
