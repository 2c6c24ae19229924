/** A person at the keys (law 6): a client that is no program pressed a key lately. Being attached alone is no protection. */
import type { HandsPolicy } from '../ports/policy.ts';
import { isSameProc, type Incarnation, type Ms, type WallMs } from '../../machines/protocol.ts';
import type { Clock } from '../ports/ports.ts';
import type { PaneDeps } from './pane.ts';
import { span } from '../../machines/kernel/span.ts';

/** Of `list-clients -F`. */
export const CLIENTS = 'client #{client_control_mode} #{client_activity} #{session_id}';
const ROW = /^client ([01]) (\d+) (\$\d+)$/;

export interface PeopleDeps extends Pick<PaneDeps, 'tmux'> {
  readonly clock: Pick<Clock, 'wall'>;
  readonly policy: Pick<HandsPolicy, 'personWithinMs'>;
}

/**
 * In words, or null = no person. A key "in the future" (the clock stepped back) is a late one. Rejects if tmux cannot
 * say.
 */
export async function personAt(
  { tmux, clock, policy }: PeopleDeps,
  sessionIds: readonly string[],
): Promise<string | null> {
  const wall = clock.wall();
  const latest = latestKey(await tmux.query(['list-clients', '-F', CLIENTS]), sessionIds, wall);
  return latest < policy.personWithinMs ? `a person pressed a key there ${span(Math.max(0, latest))} ago` : null;
}

/**
 * Those of these sessions in whose panes a person is: two questions to tmux for all of them. A pane that is not there shows nothing.
 * Rejects if tmux cannot say.
 */
export async function peopleAt(
  { tmux, clock, policy }: Omit<PeopleDeps, 'tmux'> & { readonly tmux: Pick<PaneDeps['tmux'], 'query' | 'server'> },
  lives: readonly Incarnation[],
): Promise<ReadonlySet<string>> {
  const [server, panes, clients] = [
    await tmux.server(),
    await tmux.query(['list-panes', '-a', '-F', PANES]),
    await tmux.query(['list-clients', '-F', CLIENTS]),
  ];
  const wall = clock.wall();
  const isUsed = (life: Incarnation): boolean => {
    const shownBy = panes.flatMap((row) => (PANE.exec(row)?.[2] === life.paneId ? [PANE.exec(row)?.[1] ?? ''] : []));
    return isSameProc(server, life.server) && latestKey(clients, shownBy, wall) < policy.personWithinMs;
  };
  return new Set(lives.filter(isUsed).map(({ session }) => session));
}
const PANES = 'pane #{session_id} #{pane_id}';
const PANE = /^pane (\$\d+) (%\d+)$/;

/**
 * How long ago a person pressed a key in one of these sessions, by rows of `CLIENTS`; Infinity = no client is attached.
 * Pure.
 */
export function latestKey(rows: readonly string[], sessionIds: readonly string[], wall: WallMs): Ms {
  const keys = rows
    .map((row) => ROW.exec(row))
    .filter((client) => client?.[1] === '0' && sessionIds.includes(client[3] ?? ''))
    .map((client) => wall - Number(client?.[2]) * 1_000);
  return Math.min(...keys);
}
