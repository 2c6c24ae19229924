/** Everything that is on the tmux server, for people: `status`, `watch` and the first `up`. Nothing here decides. */
import type { ProcessTable } from '../proc/processes.ts';
import { isManagedName, readPanesIfAny, rootKey } from './panes.ts';
import type { PaneRow } from './panes.ts';
import type { TmuxDoor } from './tmux.ts';

export interface ListedPane {
  readonly paneId: string;
  readonly pid: number;
  readonly dead: boolean;
  /** What runs in it, from the system's list of processes; null = gone or hidden. */
  readonly command: readonly string[] | null;
}

export interface ListedSession {
  /** As tmux shows it; tmux keeps control characters out of names. */
  readonly name: string;
  readonly sessionId: string;
  /** Whether the town could manage a session of that name. */
  readonly manageable: boolean;
  /** Whose it is. */
  readonly managed: 'here' | 'elsewhere' | 'nobody';
  /** The root that says it is its own; null = nobody. */
  readonly root: string | null;
  /** Whether `managed: here` was started by the town or adopted; null elsewhere. */
  readonly origin: 'started' | 'adopted' | null;
  readonly panes: readonly ListedPane[];
}

export interface ForeignDeps {
  readonly tmux: TmuxDoor;
  readonly processes: Pick<ProcessTable, 'commandOf'>;
  readonly root: string;
}

/** All sessions but our hidden one; null = no server runs. Rejects with TmuxError when that is unknown. */
export async function listForeign(deps: ForeignDeps): Promise<ListedSession[] | null> {
  const rows = await readPanesIfAny(deps.tmux, { key: rootKey(deps.root) });
  if (rows === null) return null;
  const ids = [...new Set(rows.filter(({ hidden }) => !hidden).map(({ sessionId }) => sessionId))];
  const sessions = await Promise.all(ids.map((id) => describe(deps, id, rows)));
  return sessions.filter((session) => session !== null);
}

async function describe(
  { tmux, processes }: ForeignDeps,
  id: string,
  rows: readonly PaneRow[],
): Promise<ListedSession | null> {
  const { stdout, refused } = await tmux.sequence([
    ['display-message', '-p', '-t', `${id}:`, '#{session_id} #{session_name}'],
    ['show-options', '-q', '-v', '-t', id, '@town_root'],
  ]);
  const own = rows.filter(({ sessionId }) => sessionId === id);
  const [first] = own;
  const text = stdout.replace(/\n$/, '');
  const [head = ''] = text.split('\n', 1);
  if (refused !== null || first === undefined || !head.startsWith(`${id} `)) return null; // It ended between the calls.
  const root = text.slice(head.length + 1);
  const name = head.slice(id.length + 1);
  return {
    name,
    sessionId: id,
    manageable: isManagedName(name),
    managed: first.ours ? 'here' : root === '' ? 'nobody' : 'elsewhere',
    root: root === '' ? null : root,
    origin: first.ours ? (first.started ? 'started' : 'adopted') : null,
    panes: own.map(({ paneId, pid, dead }) => ({
      paneId,
      pid,
      dead,
      command: dead ? null : (processes.commandOf(pid)?.argv ?? null),
    })),
  };
}
