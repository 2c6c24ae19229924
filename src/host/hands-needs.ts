/** What all hands of a running town are made from. */
import type { NoteOptions } from '../../state/watchdog/records.ts';
import type { Quarantine } from '../../state/files/quarantine.ts';
import type { Store } from '../../state/store.ts';
import type { Settings } from '../config/settings.ts';
import type { Host } from './host.ts';
import type { Announce } from '../ports/ports.ts';
import type { SocketHold } from '../tmux/socket-hold.ts';

export interface HandsNeeds {
  readonly settings: Settings;
  /** What was wrong with town.toml when the town came up; null = nothing. */
  readonly broken: string | null;
  readonly host: Host;
  readonly store: Store;
  readonly quarantine: Quarantine;
  readonly announce: Announce;
  /** On the tmux socket of `settings`. */
  readonly hold: SocketHold;
}

export const notesOf = ({ host: { disk }, quarantine }: HandsNeeds): NoteOptions => ({ disk, quarantine });
