/**
 * Where a town that starts goes: to its configured tmux socket, or not (`src/tmux/pinned.ts`). For the holder of the lock.
 * 1. The socket is on record before anything is touched there.
 * 2. No other town goes to that socket meanwhile, whether a server runs there or not (`src/tmux/socket-hold.ts`).
 * 3. Lives on a server that was left for another one are closed first: looked for on the new one they would be unknown for
 *    ever, and with them everybody.
 */
import type { Incarnation, SavedRecord, SessionRecord } from '../../machines/protocol.ts';
import { afterDeath } from '../../machines/sessions/lifecycle.ts';
import { NotReadable } from '../../state/files/disk.ts';
import { FILES } from '../../state/files/layout.ts';
import { putTmuxSocket } from '../../state/process/tmux-socket.ts';
import type { Settings } from '../config/settings.ts';
import { EXIT } from '../guard/exits.ts';
import type { HandsNeeds } from '../host/hands-needs.ts';
import { Refused, type Host } from '../host/host.ts';
import { SocketHold } from '../tmux/socket-hold.ts';
import { isWatchedInTmux, pinOf, type Pin } from '../tmux/pinned.ts';
import { socketPath } from '../tmux/socket.ts';

export interface SettleNeeds extends Omit<HandsNeeds, 'announce' | 'broken' | 'hold'> {
  /** Its guard starts it again: it goes on where it was, since refusing it would leave everybody unsupervised. */
  readonly again: boolean;
}

export interface Settled {
  /** With the socket that the town goes to. */
  readonly settings: Settings;
  /** Why that is not the configured one; null = it is. */
  readonly held: string | null;
  /** On that socket; given back with `release`. */
  readonly hold: SocketHold;
}

/** Rejects with `Refused` when the town may not go to the configured socket, or another one has it. */
export async function settleSocket(needs: SettleNeeds): Promise<Settled> {
  const { settings, host, again } = needs;
  const pin = await pinFor(needs);
  if (pin.kind === 'held') {
    if (!again) throw new Refused(EXIT.refused, pin.why);
    const hold = await takeHold(needs, pin.from);
    return { settings: { ...settings, tmux: { socket: pin.from } }, held: pin.why, hold };
  }
  const path = socketPath(settings.tmux.socket);
  const hold = await takeHold(needs, path);
  if (pin.kind === 'left') {
    await closeLeft(needs, pin.from);
    await forget(needs, pin.from);
  }
  if (pin.kind !== 'kept') await putTmuxSocket(host.disk, path);
  return { settings, held: null, hold };
}

const holdOn = ({ settings: { root }, host: { self, processes } }: SettleNeeds, path: string): SocketHold =>
  new SocketHold({ socketPath: path, root, self, processes });

/** A socket that cannot be locked refuses a first start; a later one goes on degraded, for the sake of those who run. */
async function takeHold(needs: SettleNeeds, path: string): Promise<SocketHold> {
  const { settings, host, again } = needs;
  const { socketHeldMs, pollEveryMs } = settings.process;
  const hold = holdOn(needs, path);
  const found = await hold.take(host.clock, socketHeldMs, pollEveryMs);
  if (found.kind === 'held') throw new Refused(EXIT.refused, found.why);
  if (found.kind === 'closed' && !again) throw new Refused(EXIT.usage, found.why);
  return hold;
}

/** The note of an earlier start on a socket that was left would keep others from it as long as our guard lives. */
async function forget(needs: SettleNeeds, path: string): Promise<void> {
  const hold = holdOn(needs, path);
  await hold.check();
  await hold.release();
}

/** A record that cannot be read goes to quarantine, and the town goes where it is configured to. */
async function pinFor({ settings, host, store, quarantine }: SettleNeeds): Promise<Pin> {
  const { disk, processes } = host;
  try {
    return await pinOf(settings, { disk, processes, sessions: () => store.readSessions() });
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    const stat = await disk.stat(FILES.tmuxSocket);
    if (stat !== null) await quarantine.move(FILES.tmuxSocket, stat, error.message);
    return { kind: 'none' };
  }
}

/**
 * The scan reports a dead server's lives, as one incident; those on a living one can be looked for nowhere any more.
 */
async function closeLeft({ settings, host, store }: SettleNeeds, from: string): Promise<void> {
  const all = await store.readSessions();
  const left = all.filter(({ incarnation }) => incarnation !== null && isInTmux(incarnation, host.processes));
  const records = left.map((record): SavedRecord => {
    const value = isWatchedInTmux(record) ? closed(record, from, settings) : record;
    return { kind: 'session', id: record.spec.name, value: { ...value, incarnation: null } };
  });
  if (records.length > 0) await store.commit(records);
}

const isInTmux = ({ origin, server }: Incarnation, processes: Host['processes']): boolean =>
  origin !== 'detached' && processes.alive(server);

function closed(record: SessionRecord, from: string, { policy }: Settings): SessionRecord {
  if (record.incarnation?.origin !== 'started') {
    const note = `left to itself on the tmux socket ${from}`;
    return { ...record, state: 'ended', pending: null, waitMs: 0, crashLoop: false, note };
  }
  const death = { exit: null, maybeSignalled: false, elapsedMs: 0, sharedWaitMs: 0 };
  const next = afterDeath(record, death, policy.sessions, '');
  return { ...next, note: `ended on the tmux socket ${from}, which the town left` };
}
