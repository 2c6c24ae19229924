/**
 * The death of the tmux server (C-9): one incident for all agents that it takes along, and one budget for all of them.
 * 1. Each further incident in a row delays all starts longer, also those already waiting. No agent's own budget is
 *    charged.
 * 2. Later deaths of a server known as dead belong to the same incident. They queue behind the waiting starts, and do
 *    not delay them.
 * 3. A server seen up for long enough ends the row; until then a restart of the town forgets nothing of it.
 */
import { isSameProc, type Instant, type Ms, type Proc, type Stamp, type ServerDeaths } from '../protocol.ts';
import type { SessionsState } from './state.ts';
import { waitFor } from './lifecycle.ts';
import type { SeenRecord, Happening } from './session.ts';

/** Whether the death of a server explains this end: its pane is gone too, or its state is unknown. */
export const goesWithServer = ({ r, s }: SeenRecord): boolean =>
  r.incarnation !== null &&
  r.incarnation.origin !== 'detached' &&
  !s.maybeSignalled &&
  (s.life === 'absent' || (s.life === 'dead' && (s.exit === null || s.exit.kind === 'unknown')));

/** What is known of the deaths so far, after this one. */
function counted(book: SessionsState, server: Proc, now: Stamp): ServerDeaths {
  const { serverDeaths: before, policy } = book;
  const agesMs = [...(before === null ? [] : aged(book, before, now)), 0].slice(-policy.serverDeaths);
  return {
    server,
    streak: (before?.streak ?? 0) + 1,
    agesMs,
    looping: before?.looping === true || agesMs.length >= policy.serverDeaths, // over only when a server stays
  };
}

function aged({ policy, serverAgedAt }: SessionsState, { agesMs }: ServerDeaths, now: Stamp): readonly Ms[] {
  const elapsedMs = serverAgedAt === null ? 0 : now.at - serverAgedAt;
  return agesMs.map((ms) => ms + elapsedMs).filter((ms) => ms < policy.serverDeathsWithinMs);
}

export interface Incident {
  /** How long all starts wait. Agents found dead now come after the `held`, one after the other. null = no incident. */
  readonly waitMs: Ms | null;
  /** Sessions that waited already, and now wait with the others. */
  readonly held: readonly Happening[];
  readonly changes: Partial<SessionsState>;
}

/** What the death of the server means that these deaths show, which a scan found when it was gone. */
export function incident(book: SessionsState, dead: readonly SeenRecord[], now: Stamp): Incident {
  // The servers whose death is shown by the lives that they took along.
  const servers = dead.filter(goesWithServer).flatMap(({ r: { incarnation } }) => incarnation?.server ?? []);
  const { serverDeaths: before, policy, entropy } = book;
  const another = servers.find((server) => before === null || !isSameProc(server, before.server));
  const deaths = another === undefined ? before : counted(book, another, now);
  if (servers.length === 0 || deaths === null) return { waitMs: null, held: [], changes: {} };
  const waitMs = waitFor(deaths.streak, policy, entropy, `server/${deaths.streak}`);
  if (deaths === before) return { waitMs: afterThose(book, waitMs, now), held: [], changes: {} };
  const changes = { serverDeaths: deaths, serverAgedAt: now.at, serverStableMs: 0 };
  return { waitMs, held: heldBack(book, waitMs, now), changes };
}

/** Applies the sight of a living server: a long enough spell ends the row of deaths. */
export function serverStands(book: SessionsState, now: Stamp): Partial<SessionsState> {
  const { serverDeaths: deaths, policy, scannedAt } = book;
  if (deaths === null || deaths.streak === 0) return {};
  const spentMs = scannedAt === null ? 0 : Math.min(now.at - scannedAt, 2 * policy.scanEveryMs);
  const serverStableMs = book.serverStableMs + Math.max(0, spentMs);
  if (serverStableMs < policy.stableMs) return { serverStableMs };
  return { serverDeaths: { ...deaths, streak: 0, agesMs: [], looping: false }, serverStableMs: 0 };
}

/** The wait of one who is found dead late: as long as that of the others, and at the end of their row if it lasts until then. */
function afterThose(book: SessionsState, waitMs: Ms, now: Stamp): Ms {
  const { staggerMs } = book.policy;
  let at = now.at + waitMs;
  for (const due of waiting(book).map((one) => one.at))
    if (due < at + staggerMs && due + staggerMs > at) at = due + staggerMs;
  return at - now.at;
}

/** Those who wait for their start, in the order in which they are due. */
const waiting = (book: SessionsState): readonly { readonly name: string; readonly at: Instant }[] =>
  Object.values(book.records)
    .filter(({ state }) => state === 'backing_off')
    .map(({ spec: { name } }) => ({ name, at: book.live[name]?.dueAt ?? Infinity }))
    .sort((one, other) => one.at - other.at);

/**
 * Starts due before the wait is over wait too, in their order. The newly dead come after them, so that an agent that
 * ends the server at its start lets the others live a while.
 */
function heldBack(book: SessionsState, waitMs: Ms, now: Stamp): readonly Happening[] {
  const due = waiting(book).filter(({ at }) => at < now.at + waitMs);
  return due.map(({ name }, nth) => {
    return { name, event: { type: 'HELD_BACK', waitMs: waitMs + nth * book.policy.staggerMs } };
  });
}
