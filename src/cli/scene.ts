/**
 * What tmux shows now: every session, its panes and their processes. Looks only, starts no server.
 * Rows that an agent could forge hold only ids and numbers; names come in a call of their own.
 */
import type { Settings } from '../config/settings.ts';
import { createProcesses } from '../proc/processes.ts';
import { isFault } from '../tmux/errors.ts';
import { socketPath } from '../tmux/socket.ts';
import { ControlTmux } from '../tmux/tmux.ts';

export interface PaneSeen {
  readonly paneId: string;
  readonly pid: number;
  readonly dead: boolean;
}

export interface SessionSeen {
  readonly sessionId: string;
  readonly name: string;
  /** Clients that are attached, the town's own not counted. */
  readonly attached: number;
  readonly panes: readonly PaneSeen[];
}

export interface Scene {
  readonly socketPath: string;
  /** Without the town's hidden session. Empty when there is a fault. */
  readonly sessions: readonly SessionSeen[];
  /** tmux gave no answer, or is not installed: nothing is known. null = it answered, or no server runs. */
  readonly fault: string | null;
}

const NAMES = '#{session_id} #{?@town_hidden,1,0} #{session_attached} #{session_name}';
const PANES = '#{session_id} #{pane_id} #{pane_pid} #{pane_dead}';

function parsePanes(text: string): Map<string, PaneSeen[]> {
  const panes = new Map<string, PaneSeen[]>();
  for (const row of text.split('\n')) {
    const [, sessionId = '', paneId = '', pid, dead] = /^(\$\d+) (%\d+) (\d+) ([01]?)$/.exec(row) ?? [];
    if (sessionId === '') continue;
    panes.set(sessionId, [...(panes.get(sessionId) ?? []), { paneId, pid: Number(pid), dead: dead === '1' }]);
  }
  return panes;
}

function parseSessions(text: string, panes: ReadonlyMap<string, PaneSeen[]>): SessionSeen[] {
  return text.split('\n').flatMap((row) => {
    const [, sessionId = '', hidden, attached, name = ''] = /^(\$\d+) ([01]) (\d+) (.*)$/.exec(row) ?? [];
    if (sessionId === '' || hidden === '1') return [];
    return [{ sessionId, name, attached: Number(attached), panes: panes.get(sessionId) ?? [] }];
  });
}

/** Never rejects: what tmux cannot tell is a `fault`. */
export async function seeTmux(settings: Pick<Settings, 'tmux' | 'hands'>): Promise<Scene> {
  const path = socketPath(settings.tmux.socket);
  const tmux = new ControlTmux({ socketPath: path, policy: settings.hands, processes: createProcesses() });
  try {
    const panes = await tmux.sequence([['list-panes', '-a', '-F', PANES]]);
    const names = await tmux.sequence([['list-sessions', '-F', NAMES]]);
    const refused = panes.refused ?? names.refused;
    if (refused !== null && names.stdout === '') return { socketPath: path, sessions: [], fault: refused };
    return { socketPath: path, sessions: parseSessions(names.stdout, parsePanes(panes.stdout)), fault: null };
  } catch (error) {
    if (isFault(error, 'none')) return { socketPath: path, sessions: [], fault: null };
    return { socketPath: path, sessions: [], fault: error instanceof Error ? error.message : String(error) };
  }
}
