/** What dead panes show, kept by the same reading as a rescue and bounded like the output of agents without a pane (law 4). */
import type { Disk } from '../../state/files/disk.ts';
import { addOutput } from '../../state/sessions/output.ts';
import { outputKeeper, type KeepPane, type KeeperDeps } from './kept-output.ts';
import type { TmuxDoor } from '../tmux/client.ts';
import { paneReader } from '../hearings/pane-text.ts';

export interface PaneKeeperDeps extends Pick<KeeperDeps, 'told' | 'wall'> {
  readonly tmux: TmuxDoor;
  readonly disk: Disk;
  /** Of an output file. */
  readonly maxBytes: number;
}

export function paneKeeper({ tmux, disk, maxBytes, told, wall }: PaneKeeperDeps): KeepPane {
  const { scrollback } = paneReader(tmux);
  return outputKeeper({
    scrollback,
    told,
    wall,
    add: (session, output) => addOutput(disk, session, output, maxBytes),
  });
}
