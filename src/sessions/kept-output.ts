/**
 * What a dead pane still shows, kept in output/<session>.log before the pane is cleared where no hearing rescued it (law 4).
 * 1. Kept means durable. What cannot be kept is told as an episode and given back as a sentence: then the pane must stay.
 * 2. A tmux that gives no answer is no such sentence: it rejects, and the order is tried again.
 */
import type { Incarnation } from '../../machines/protocol.ts';
import { fingerprint } from '../../state/files/checksum.ts';
import { TmuxError } from '../tmux/errors.ts';

export type DeadPane = Pick<Incarnation, 'server' | 'paneId'>;
/** Why the pane's text could not be kept; null = it is, or there is none. Rejects with TmuxError when tmux did not answer. */
export type KeepPane = (session: string, pane: DeadPane) => Promise<string | null>;

export interface KeeperDeps {
  /** All its lines; empty when the pane is gone. */
  readonly scrollback: (pane: DeadPane) => Promise<string>;
  /** Makes it durable or rejects. */
  readonly add: (session: string, output: { readonly heading: string; readonly text: string }) => Promise<void>;
  /** Tells a person that it could not be kept, or that it can again (null). */
  readonly told: (session: string, why: string | null) => void;
  readonly wall: () => number;
}

export function outputKeeper(deps: KeeperDeps): KeepPane {
  /** What was kept last of each session: an order that is done twice adds it once. */
  const kept = new Map<string, string>();
  return async (session, pane) => {
    try {
      const text = await deps.scrollback(pane);
      const name = `${pane.server.pid}/${pane.paneId}/${fingerprint(text)}`;
      if (text.trim() !== '' && kept.get(session) !== name) {
        const heading = `${new Date(deps.wall()).toISOString()} ${session}, pane ${pane.paneId}, before it was cleared`;
        await deps.add(session, { heading, text });
        kept.set(session, name);
      }
    } catch (error) {
      if (error instanceof TmuxError && error.fault !== 'refused') throw error;
      const why = error instanceof Error ? error.message : String(error);
      deps.told(session, why);
      return why;
    }
    deps.told(session, null);
    return null;
  };
}
