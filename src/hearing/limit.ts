/** Usage limits in what a dead agent left on its screen (C-6): stopped by one is no crash. A screen that cannot be read shows none. */
import type { Incarnation, SeenSession } from '../../machines/protocol.ts';
import type { OrderOf, Perform } from '../ports.ts';
import { limitOn } from '../screen/pack.ts';
import type { TmuxDoor } from '../tmux/tmux.ts';

/** `scan`, with the limit of each life that was found dead in its pane. */
export const withLimits =
  (tmux: Pick<TmuxDoor, 'call'>, scan: Perform<OrderOf<'scan'>>): Perform<OrderOf<'scan'>> =>
  async (order, signal) => {
    const outcome = await scan(order, signal);
    if (outcome.type !== 'SESSIONS_SEEN' || !outcome.seen.some(isToBeRead)) return outcome;
    const panes = new Map(order.known.map((life) => [life.uuid, life]));
    return { ...outcome, seen: await Promise.all(outcome.seen.map((one) => limited(tmux, one, panes.get(one.uuid)))) };
  };

const isToBeRead = ({ life, condemned }: SeenSession): boolean => life === 'dead' && !condemned;

async function limited(
  tmux: Pick<TmuxDoor, 'call'>,
  seen: SeenSession,
  life: Incarnation | undefined,
): Promise<SeenSession> {
  if (!isToBeRead(seen) || life === undefined || life.paneId === '') return seen;
  try {
    // One row of history too: tmux scrolls by one for its own word about the death.
    const screen = await tmux.call(['capture-pane', '-p', '-J', '-S', '-1', '-t', life.paneId]);
    const limit = limitOn(screen.split('\n'));
    return limit === null ? seen : { ...seen, limit };
  } catch {
    return seen; // its end counts as what its exit status says
  }
}
