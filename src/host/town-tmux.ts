/**
 * The tmux server as the running town has it. Owns: the control client, who may kill, whether tmux is there at all.
 * The right to kill is read anew each time: the epoch on disk and the owner of the tmux server are ours.
 */
import { readEpoch } from '../../state/process/epoch.ts';
import type { Settings } from '../config/settings.ts';
import type { Host } from './host.ts';
import type { Announce } from '../ports/ports.ts';
import { isFault, NO_SERVER, TmuxError } from '../tmux/errors.ts';
import { claimServer, townLives, type Claim, type Owner } from '../tmux/owner.ts';
import type { SocketHold } from '../tmux/socket-hold.ts';
import { socketPath } from '../tmux/socket.ts';
import { ControlTmux } from '../tmux/client.ts';
import { StatusOption } from '../tmux/status-option.ts';
// Loaded from the start: the package may be gone when the town has to connect anew.
import '../tmux/control.ts';

export interface TownTmux {
  readonly tmux: ControlTmux;
  readonly owner: Owner;
  readonly shown: StatusOption;
  claim(): Promise<Claim>;
  mayKill(): Promise<boolean>;
  /** Resolves when the control client is up and the server is ours; rejects with why not. */
  connect(): Promise<void>;
  /** Why another living town keeps us out, as a sentence; null = none is known to. */
  refusal(): Promise<string | null>;
  /** Why the town is degraded; null = tmux is there and no other town keeps us out. */
  degradedBy(): string | null;
  /** Whether the last thing heard of tmux is that its program is not there. A server that another root owns is no absence. */
  isAbsent(): boolean;
  close(): Promise<void>;
}

const NO_TMUX =
  'tmux is not installed: agents run without panes, none is nudged or heard, and warrants wait; install it (apt-get install tmux)';

export function createTownTmux(settings: Settings, host: Host, announce: Announce, hold: SocketHold): TownTmux {
  const { processes, disk, logger } = host;
  const tmux = new ControlTmux({
    socketPath: socketPath(settings.tmux.socket),
    policy: settings.hands,
    processes,
    lost: (why) => announce({ type: 'LOST', what: 'tmux', why }),
    notice: () => announce({ type: 'CHANGED', what: 'sessions' }),
  });
  const owner: Owner = { root: settings.root, epoch: host.epoch };
  /** An older epoch of our own root never lives: we hold its lock. */
  const lives = (other: Owner): boolean => other.root !== owner.root && townLives(other, processes);
  const claim = async (): Promise<Claim> => {
    const held = await hold.check();
    if (held.kind === 'closed') throw new TmuxError('unknown', held.why);
    if (held.kind === 'held') return { kind: 'refused', by: held.root ?? 'an unknown process', why: held.why };
    return claimServer({ tmux, processes, lives }, owner);
  };
  const shown = new StatusOption({ tmux, owner });
  let isAbsent = false;
  let keptOutBy: string | null = null;
  const noting = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      const result = await work();
      isAbsent = false;
      return result;
    } catch (error) {
      isAbsent = isFault(error, 'absent');
      throw error;
    }
  };
  return {
    tmux,
    owner,
    shown,
    claim,
    // Without a server there is no other owner: what outlived it is still ours to end, process by process.
    mayKill: async () => (await readEpoch(disk)) === host.epoch && (await claim()).kind !== 'refused',
    connect: async () => {
      if ((await noting(() => tmux.connect())) === 'none') throw new Error(NO_SERVER);
      const claimed = await claim();
      keptOutBy = claimed.kind === 'refused' ? claimed.why : null;
      if (keptOutBy !== null) throw new Error(keptOutBy);
      if (!tmux.connected) throw new Error('the control client ended while the server was claimed'); // its LOST came too early
      shown.again();
    },
    refusal: async () => {
      try {
        const claimed = await noting(claim);
        return claimed.kind === 'refused' ? claimed.why : null;
      } catch (error) {
        logger.warn({ err: error }, 'the tmux server could not be claimed yet');
        return null; // nothing is touched before it is: every kill asks again
      }
    },
    degradedBy: () => (isAbsent ? NO_TMUX : (hold.trouble ?? keptOutBy)),
    isAbsent: () => isAbsent,
    close: () => shown.close().then(() => tmux.close()),
  };
}
