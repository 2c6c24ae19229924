/**
 * Sessions of dead agents whose panes could not be saved: they stand aside as `<name>_kept-<pane>` until somebody read them.
 * As with output files, the oldest makes way for the newest: an agent that keeps dying must not fill a machine.
 */
import type { HandsPolicy } from '../../machines/policy.ts';
import { ownerCondition, type Owner } from './owner.ts';
import { rootKey, type PaneRow } from './panes.ts';
import type { TmuxDoor } from './tmux.ts';

export interface AsideDeps {
  readonly tmux: TmuxDoor;
  readonly owner: Owner;
  readonly policy: Pick<HandsPolicy, 'mostKeptAside'>;
}

const number = (sessionId: string): number => Number(sessionId.slice(1));

/** Frees a managed name without ending anything that is younger; why not, as what tmux said, else null. */
export async function keepAside(
  { tmux, owner, policy }: AsideDeps,
  name: string,
  dead: PaneRow,
): Promise<string | null> {
  const isOne = `#{&&:#{==:#{@town_key},${rootKey(owner.root)}},#{==:#{@town_kept},${name}}}`;
  const ids = await tmux.query(['list-sessions', '-f', isOne, '-F', '#{session_id}']);
  const kept = ids.filter((id) => /^\$\d+$/.test(id)).sort((a, b) => number(a) - number(b));
  for (const id of kept.slice(0, Math.max(0, kept.length + 1 - policy.mostKeptAside)))
    await tmux.sequence([['if-shell', '-F', '-t', id, ownerCondition(owner), `kill-session -t '${id}'`]]);
  const { refused } = await tmux.sequence([
    ['set-option', '-t', dead.sessionId, '@town_kept', name],
    ['rename-session', '-t', dead.sessionId, '--', `${name}_kept-${dead.paneId.slice(1)}`],
  ]);
  return refused === null ? null : `its dead pane could be neither saved nor put aside: ${refused}`;
}
