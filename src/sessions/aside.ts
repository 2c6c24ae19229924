/**
 * Sessions of dead agents whose panes could not be saved: they stand aside as `<name>_kept-<pane>` until a person reads
 * them.
 * 1. As with output files, the oldest makes way for the newest: an agent that keeps dying must not fill a machine. What
 *    it shows is saved then, if by now that works (law 4).
 * 2. Only the dead pane goes: a person's panes beside it live on, and a pane that a person types in stays (law 6).
 */
import type { HandsPolicy } from '../ports/policy.ts';
import { removePane, type ClearDeps } from './clear.ts';
import { readPanes, readPanesIfAny, rootKey, serverOf, type PaneRow } from '../tmux/panes.ts';

export interface AsideDeps extends Omit<ClearDeps, 'processes'> {
  readonly policy: Pick<HandsPolicy, 'maxKeptAside'>;
}

const number = (sessionId: string): number => Number(sessionId.slice(1));

/** Frees a managed name without ending anything that is younger; why not, as what tmux said, else null. */
export async function keepAside(deps: AsideDeps, name: string, dead: PaneRow): Promise<string | null> {
  const kept = await keptOf(deps, name);
  for (const row of kept.slice(0, Math.max(0, kept.length + 1 - deps.policy.maxKeptAside)))
    await makeWay(deps, name, row);
  const { refused } = await deps.tmux.sequence([
    ['set-option', '-t', dead.sessionId, '@town_kept', name],
    ['rename-session', '-t', dead.sessionId, '--', `${name}_kept-${dead.paneId.slice(1)}`],
  ]);
  return refused === null ? null : `its dead pane could be neither saved nor put aside: ${refused}`;
}

/** Whether a dead pane of this name stands on the server, aside or where it died. Rejects when tmux does not tell. */
export async function standsDead(deps: Pick<AsideDeps, 'tmux' | 'owner'>, name: string): Promise<boolean> {
  const rows = await readPanesIfAny(deps.tmux, { name, key: rootKey(deps.owner.root) });
  if (rows === null) return false;
  const isThere = rows.some(({ named, ours, agentPane, dead }) => named && ours && agentPane && dead);
  return isThere || (await keptOf(deps, name)).length > 0;
}

/** The dead panes that stand aside for this name, the oldest first. */
async function keptOf({ tmux, owner }: Pick<AsideDeps, 'tmux' | 'owner'>, name: string): Promise<PaneRow[]> {
  const key = rootKey(owner.root);
  const isOne = `#{&&:#{==:#{@town_key},${key}},#{==:#{@town_kept},${name}}}`;
  const ids = await tmux.query(['list-sessions', '-f', isOne, '-F', '#{session_id}']);
  const rows = await readPanes(tmux, { key });
  const kept = rows.filter(
    ({ ours, agentPane, dead, sessionId }) => ours && agentPane && dead && ids.includes(sessionId),
  );
  return kept.sort((a, b) => number(a.sessionId) - number(b.sessionId));
}

async function makeWay({ tmux, owner, keep, personIn }: AsideDeps, name: string, dead: PaneRow): Promise<void> {
  if ((await personIn([dead.sessionId])) !== null) return;
  await keep(name, { server: await serverOf(tmux), paneId: dead.paneId });
  await removePane(tmux, owner, dead);
}
