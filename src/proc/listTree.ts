/**
 * Performs `listTree`: everything that may be signalled, listed before the last look so that the intent can name it
 * (D-10). A tree that is not ours to end is reported as such: to ask again would change nothing.
 */
import type { Incarnation, OutcomeBody } from '../../machines/protocol.ts';
import type { Perform, Processes, OrderOf } from '../ports/ports.ts';
import { SignalRefused } from './processes.ts';

export interface TreeDeps {
  readonly processes: Pick<Processes, 'familyOf'>;
  /** Path of the terminal of the target's pane; null = the pane has none or is gone. Rejects when tmux does not say. */
  readonly ttyOf: (target: Incarnation) => Promise<string | null>;
}

export function listTreeHand(deps: TreeDeps): Perform<OrderOf<'listTree'>> {
  return ({ target, listed }) =>
    orRefused(async () => {
      const { tree, excluded } = await deps.processes.familyOf(target, await deps.ttyOf(target), listed);
      return { type: 'TREE_LISTED', tree, ...(excluded.length > 0 && { excluded }) };
    });
}

/** What was found, or the refusal as an outcome; any other error is unknown and fails the order. */
export async function orRefused(work: () => Promise<OutcomeBody>): Promise<OutcomeBody> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SignalRefused) return { type: 'TREE_REFUSED', why: error.message };
    throw error;
  }
}
