/**
 * This town's hold on its tmux socket (`state/process/socket-claim.ts`): taken before anything of tmux is touched, looked at again
 * whenever the server is claimed. The owner option of a server (owner.ts) is the second line: it tells tmux itself who may kill.
 */
import { dirname } from 'node:path';
import type { Ms, Proc } from '../../machines/protocol.ts';
import { realDisk, textOf } from '../../state/files/disk.ts';
import { shellWord } from '../../state/files/show-text.ts';
import { SocketClaim, type Holder } from '../../state/process/socket-claim.ts';
import type { Clock, Processes } from '../ports/ports.ts';
import { asLabel, canonicalSocket } from './socket.ts';

/** `held`: by another process. `closed`: unknown, since it cannot be locked. `why`: a sentence that says what to do. */
export type Held =
  | { readonly kind: 'ours' }
  | { readonly kind: 'held'; readonly root: string | null; readonly why: string }
  | { readonly kind: 'closed'; readonly why: string };

export interface HoldOptions {
  /** Absolute; any of its names. */
  readonly socketPath: string;
  readonly root: string;
  readonly self: Proc;
  readonly processes: Pick<Processes, 'alive'>;
}

export class SocketHold {
  readonly #options: HoldOptions;
  readonly #path: string;
  readonly #claim: SocketClaim;
  #last: Held = { kind: 'ours' };
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: HoldOptions) {
    this.#options = options;
    this.#path = canonicalSocket(options.socketPath);
    this.#claim = claimAt(options.socketPath, options.processes);
  }

  /** Why the town does not have its socket, as it was found last; null = it has it. */
  get trouble(): string | null {
    return this.#last.kind === 'ours' ? null : this.#last.why;
  }

  /** Takes the socket, or finds that it is still ours. Never rejects. */
  check(): Promise<Held> {
    // One after the other: two that take it at once would be rivals of each other.
    const look = this.#turn.then(async () => (this.#last = await this.#look()));
    this.#turn = look;
    return look;
  }

  /** Looks again and again until `stop`, so that a lock whose file was swept away is soon a lock again. */
  async attend(clock: Pick<Clock, 'sleep'>, everyMs: Ms, stop: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(everyMs, stop);
      if (stop.aborted) return;
      await this.check();
    }
  }

  /**
   * As `check`, for a start: it waits for a process that only looks, for an earlier town of this root about to see its
   * successor, and for a holder that has not written its name yet.
   */
  async take(clock: Pick<Clock, 'now' | 'sleep'>, limitMs: Ms, everyMs: Ms): Promise<Held> {
    const until = clock.now() + limitMs;
    for (;;) {
      const found = await this.check();
      const mayPass = found.kind === 'held' && (found.root === null || found.root === this.#options.root);
      if (!mayPass || clock.now() >= until) return found;
      await clock.sleep(everyMs);
    }
  }

  async release(): Promise<void> {
    await this.#turn;
    await this.#claim.release();
  }

  async #look(): Promise<Held> {
    const { root, self, socketPath } = this.#options;
    const closed = (error: unknown): Held => {
      const why = `the tmux socket ${socketPath} cannot be kept from other towns: ${textOf(error).replace(/\.$/, '')}; set [tmux] socket to a path in a folder of your own`;
      return { kind: 'closed', why };
    };
    try {
      // tmux makes the folder of a named socket, and no other.
      if (asLabel(this.#path) !== null) await realDisk(dirname(this.#path), 0).mkdir('.');
      const taken = await this.#claim.take({ root, town: self });
      if (taken.kind === 'ours') return taken;
      return { kind: 'held', root: taken.by?.root ?? null, why: heldText(taken.by, root, socketPath) };
    } catch (error) {
      return closed(error);
    }
  }
}

/** The holder of a socket; null = none. Looks only. */
export function socketHolder(socketPath: string, processes: Pick<Processes, 'alive'>): Promise<Holder | null> {
  return claimAt(socketPath, processes).holder();
}

function claimAt(socketPath: string, processes: Pick<Processes, 'alive'>): SocketClaim {
  return new SocketClaim({ path: canonicalSocket(socketPath), alive: (proc) => processes.alive(proc) });
}

/** Who has a socket that this root may not go to, and what to do, as a sentence. */
export function heldText(by: Holder | null, own: string, socketPath: string): string {
  const { root, pid, guardPid } = by ?? { root: null, pid: null, guardPid: null };
  if (root === null) {
    const who = pid === null ? 'another town' : `another town (pid ${pid})`;
    return `${who} holds the tmux socket ${socketPath}; stop it, or give this one another [tmux] socket`;
  }
  if (root === own)
    return `an earlier start of this town (pid ${pid ?? 'unknown'}) still holds the tmux socket ${socketPath}`;
  const who = pid === null ? `its guard, pid ${guardPid ?? 'unknown'}, starts it again` : `pid ${pid}`;
  return `the town of ${root} (${who}) holds the tmux socket ${socketPath}; stop it with town --root ${shellWord(root)} down, or give this one another [tmux] socket`;
}
