/** What is read of a pane before it goes: its terminal and its whole history. Foreign text comes one-shot only. */
import { isSameProc, type Incarnation } from '../../machines/protocol.ts';
import type { Terminal } from './drain.ts';
import { isFault } from '../tmux/errors.ts';
import type { TmuxClient } from '../tmux/client.ts';

/** One pane of one server. */
type Pane = Pick<Incarnation, 'server' | 'paneId'>;

export interface PaneReader {
  /** Its terminal and its own process; null = the pane is gone or has none. Rejects when tmux does not say. */
  terminalOf(target: Pane): Promise<Terminal | null>;
  /** Path of its terminal; null = the pane is gone or has none. Rejects when tmux does not say. */
  ttyOf(target: Pane): Promise<string | null>;
  /** All its lines, from the first one kept; empty when the pane is gone. Rejects when tmux does not say. */
  scrollback(target: Pane): Promise<string>;
}

export function paneReader(tmux: TmuxClient): PaneReader {
  /** False only when it is proved that this pane is not there. */
  const isThere = async (target: Pane): Promise<boolean> => {
    if (!isSameProc(await tmux.server(), target.server)) return false;
    const panes = await tmux.query(['list-panes', '-a', '-F', '#{pane_id}']);
    return panes.includes(target.paneId);
  };
  const ofPane = async <T>(target: Pane, read: () => Promise<T>, gone: T): Promise<T> => {
    if (!(await isThere(target))) return gone;
    try {
      return await read();
    } catch (error) {
      if (isFault(error, 'refused') && !(await isThere(target))) return gone; // it went meanwhile
      throw error;
    }
  };
  const terminalOf = (target: Pane): Promise<Terminal | null> =>
    ofPane(
      target,
      async () => {
        const [row = ''] = await tmux.query(['display-message', '-p', '-t', target.paneId, '#{pane_pid} #{pane_tty}']);
        const [, pid, path] = /^(\d+) (\/dev\/[A-Za-z0-9/]+)$/.exec(row) ?? [];
        return path === undefined ? null : { path, pid: Number(pid) };
      },
      null,
    );
  return {
    terminalOf,
    ttyOf: async (target) => (await terminalOf(target))?.path ?? null,
    scrollback: (target) => ofPane(target, () => historyOf(tmux, target.paneId), ''),
  };
}

async function historyOf(tmux: TmuxClient, paneId: string): Promise<string> {
  const text = await tmux.call(['capture-pane', '-p', '-J', '-S', '-', '-E', '-', '-t', paneId]);
  // With -J tmux 3.2 fills lines up with blanks, which no program wrote.
  return text.replaceAll(/ +$/gm, '');
}
