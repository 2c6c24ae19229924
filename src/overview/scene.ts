/**
 * What tmux shows now: every session, its panes and their processes. Looks only, starts no server.
 * Rows hold ids and numbers; the only foreign text is a session's name, in which tmux leaves no line break.
 */
import { NO_PID } from '../tmux/panes.ts';
import { textOf, type Disk } from '../../state/files/disk.ts';
import type { Settings } from '../config/settings.ts';
import { createProcesses } from '../proc/processes.ts';
import { isFault } from '../tmux/errors.ts';
import { standingSocket } from '../tmux/pinned.ts';
import { ControlTmux } from '../tmux/client.ts';

/** Where tmux is, and how long it may take to answer. */
export type Place = Pick<Settings, 'tmux' | 'hands'>;

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

/** A row's first letter tells its kind; a session's name, which is the only foreign text, comes last. */
const NAMES = 'S #{session_id} #{?@town_hidden,1,0} #{session_attached} #{session_name}';
const PANES = 'P #{session_id} #{pane_id} #{pane_pid} #{pane_dead}';

function parsePanes(rows: readonly string[]): Map<string, PaneSeen[]> {
  const panes = new Map<string, PaneSeen[]>();
  for (const row of rows) {
    const [, sessionId = '', paneId = '', pid, dead] = /^P (\$\d+) (%\d+) (\d*) ([01]?)$/.exec(row) ?? [];
    if (sessionId === '') continue;
    panes.set(sessionId, [
      ...(panes.get(sessionId) ?? []),
      { paneId, pid: pid === '' ? NO_PID : Number(pid), dead: dead === '1' },
    ]);
  }
  return panes;
}

function parse(text: string): SessionSeen[] {
  const rows = text.split('\n');
  const panes = parsePanes(rows);
  return rows.flatMap((row) => {
    const [, sessionId = '', hidden, attached, name = ''] = /^S (\$\d+) ([01]) (\d+) (.*)$/.exec(row) ?? [];
    if (sessionId === '' || hidden === '1') return [];
    return [{ sessionId, name, attached: Number(attached), panes: panes.get(sessionId) ?? [] }];
  });
}

/** By this door. Never rejects: what tmux cannot tell is a `fault`. */
export async function see(tmux: Pick<ControlTmux, 'sequence' | 'socketPath'>): Promise<Scene> {
  const path = tmux.socketPath;
  try {
    const { stdout, refused } = await tmux.sequence([
      ['list-panes', '-a', '-F', PANES],
      ['list-sessions', '-F', NAMES],
    ]);
    if (refused !== null && stdout === '') return { socketPath: path, sessions: [], fault: refused };
    return { socketPath: path, sessions: parse(stdout), fault: null };
  } catch (error) {
    if (isFault(error, 'none')) return { socketPath: path, sessions: [], fault: null };
    return { socketPath: path, sessions: [], fault: textOf(error) };
  }
}

/** A door of our own, without a running town, to where the sessions of the root on this disk stand. */
export async function doorTo({ tmux, hands }: Place, disk: Disk): Promise<ControlTmux> {
  const socketPath = await standingSocket(disk, tmux.socket);
  return new ControlTmux({ socketPath, policy: hands, processes: createProcesses() });
}

/** By one call. */
export const seeTmux = async (place: Place, disk: Disk): Promise<Scene> => see(await doorTo(place, disk));
