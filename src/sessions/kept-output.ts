/**
 * What a dead pane still shows, kept in output/<session>.log before the pane is cleared where no hearing rescued it
 * (law 4): by the same reading as a rescue, and bounded like the output of agents without a pane.
 * 1. Kept means durable. A failure is alerted as an episode and returned as a sentence: then the pane must stay.
 * 2. A tmux that gives no answer is no such sentence: it rejects, and the order is tried again.
 */
import type { Incarnation } from '../../machines/protocol.ts';
import { fingerprint } from '../../state/files/checksum.ts';
import type { Disk } from '../../state/files/disk.ts';
import { addOutput } from '../../state/sessions/output.ts';
import { paneReader } from '../hearings/pane-text.ts';
import type { TmuxClient } from '../tmux/client.ts';
import { TmuxError } from '../tmux/errors.ts';

/** Why the pane's text could not be kept; null = it is, or there is none. Rejects with TmuxError when tmux did not answer. */
export type KeepPane = (session: string, pane: Pick<Incarnation, 'server' | 'paneId'>) => Promise<string | null>;

export interface PaneKeeperDeps {
  readonly tmux: TmuxClient;
  readonly disk: Disk;
  /** Of an output file. */
  readonly maxBytes: number;
  /** Tells a person that it could not be kept, or that it can again (null). */
  readonly told: (session: string, why: string | null) => void;
  readonly wall: () => number;
}

export function paneKeeper({ tmux, disk, maxBytes, told, wall }: PaneKeeperDeps): KeepPane {
  const { scrollback } = paneReader(tmux);
  /** What was kept last of each session: an order that is done twice adds it once. */
  const kept = new Map<string, string>();
  return async (session, pane) => {
    try {
      const text = await scrollback(pane);
      const name = `${pane.server.pid}/${pane.paneId}/${fingerprint(text)}`;
      if (text.trim() !== '' && kept.get(session) !== name) {
        const heading = `${new Date(wall()).toISOString()} ${session}, pane ${pane.paneId}, before it was cleared`;
        await addOutput(disk, session, { heading, text }, maxBytes);
        kept.set(session, name);
      }
    } catch (error) {
      if (error instanceof TmuxError && error.fault !== 'refused') throw error;
      const why = error instanceof Error ? error.message : String(error);
      told(session, why);
      return why;
    }
    told(session, null);
    return null;
  };
}
