/**
 * One root, one tmux server: the socket that a town went to is recorded, and another one is refused for as long as
 * anything of the town stands on the recorded one. Looks only.
 * 1. Looks and clean-ups use the recorded socket, even if the configuration has changed.
 * 2. What tmux or a process does not tell is no proof that nothing is there (law 1).
 */
import type { HandsPolicy } from '../ports/policy.ts';
import type { SessionRecord } from '../../machines/protocol.ts';
import { NotReadable, type Disk } from '../../state/files/disk.ts';
import { readTmuxSocket } from '../../state/process/tmux-socket.ts';
import { isFault } from './errors.ts';
import { ownerRoots } from './owner.ts';
import { readPanes, rootKey } from './panes.ts';
import { foreignSocket, isSameSocket, socketPath } from './socket.ts';
import { ControlTmux, type ControlTmuxOptions } from './client.ts';

/** `socket`: `[tmux] socket` as it is configured. */
export interface Configured {
  readonly root: string;
  readonly tmux: { readonly socket: string };
  readonly hands: Pick<HandsPolicy, 'tmuxAnswerMs' | 'columns' | 'rows'>;
}

export interface PinDeps {
  readonly disk: Disk;
  readonly processes: ControlTmuxOptions['processes'];
  /** What the town knows of its sessions. */
  readonly sessions: () => Promise<readonly SessionRecord[]>;
}

/**
 * `none`: no socket is recorded. `kept`: the recorded one is configured. `left`: another one is recorded, and nothing
 * of the town stands there any more. `held`: something does, or that is unknown, or the configured one is another
 * user's; `why` is a sentence that says what to do.
 */
export type Pin =
  | { readonly kind: 'none' | 'kept' }
  | { readonly kind: 'left'; readonly from: string }
  | { readonly kind: 'held'; readonly from: string; readonly why: string };

/** Where this root's sessions stand: the recorded socket, else the configured one. */
export async function standingSocket(disk: Disk, configured: string): Promise<string> {
  try {
    return (await readTmuxSocket(disk)) ?? socketPath(configured);
  } catch (error) {
    if (error instanceof NotReadable) return socketPath(configured); // The next start puts it away and tells.
    throw error;
  }
}

/** Whether a town with this configuration may go to its socket. Rejects with `NotReadable` when the record is none. */
export async function pinOf(settings: Configured, deps: PinDeps): Promise<Pin> {
  const wanted = socketPath(settings.tmux.socket);
  const from = await readTmuxSocket(deps.disk);
  const foreign = foreignSocket(wanted);
  if (foreign !== null) return { kind: 'held', from: from ?? wanted, why: foreign };
  if (from === null) return { kind: 'none' };
  if (isSameSocket(from, wanted)) return { kind: 'kept' };
  const there = await whatStands(settings, from, deps);
  if (there === null) return { kind: 'left', from };
  const { what, then } = there;
  const why = `[tmux] socket is ${wanted} now, but ${what} ${from}: set it back to ${JSON.stringify(from)}, or ${then}`;
  return { kind: 'held', from, why };
}

interface Standing {
  readonly what: string;
  /** What to do about it. */
  readonly then: string;
}

const PURGE = 'type `town down --purge` first';

/** What of this root is on that server; null = nothing, for certain. */
async function whatStands({ root, hands }: Configured, path: string, deps: PinDeps): Promise<Standing | null> {
  const { processes } = deps;
  const tmux = new ControlTmux({ socketPath: path, policy: hands, processes });
  try {
    const watched = (await deps.sessions()).filter(isWatchedInTmux);
    for (const { incarnation } of watched) tmux.expect(incarnation.server);
    const owners = await ownerRoots(tmux);
    const rows = await readPanes(tmux, { key: rootKey(root) });
    const alive = watched.filter(({ incarnation }) => isLeft(processes, incarnation)).map(({ spec }) => spec.name);
    const agents = alive.length === 0 ? '' : `, and end the agents there that you move (${alive.join(', ')})`;
    if (owners.includes(root) || rows.some(({ ours }) => ours))
      return { what: 'this town still has its sessions or marks on', then: `${PURGE}${agents}` };
    if (alive.length === 0) return null;
    return { what: `agents of this town (${alive.join(', ')}) still run on`, then: 'end them there first' };
  } catch (error) {
    if (isFault(error, 'none')) return null;
    const reason = error instanceof Error ? error.message : String(error);
    // Without tmux a purge takes nothing back.
    const then = isFault(error, 'absent') ? 'install tmux and type `town down --purge`' : PURGE;
    return { what: `it is unknown (${reason}) what of this town is still on`, then };
  }
}

type InTmux = SessionRecord & { readonly incarnation: NonNullable<SessionRecord['incarnation']> };

/** Its life counts as going on, in a pane. */
export function isWatchedInTmux(record: SessionRecord): record is InTmux {
  const { state, incarnation } = record;
  return (state === 'running' || state === 'observed') && incarnation !== null && incarnation.origin !== 'detached';
}

/** An agent that the town started and that may still run. A person's own is theirs again once its marks are gone. */
function isLeft(processes: PinDeps['processes'], { origin, agent }: InTmux['incarnation']): boolean {
  if (origin !== 'started') return false;
  try {
    return processes.alive(agent);
  } catch {
    return true; // It cannot be told, so it may.
  }
}
