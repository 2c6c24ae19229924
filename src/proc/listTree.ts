/** Performs `listTree`: everything that may be signalled, listed before the last look so that the intent can name it (D-10). */
import type { Incarnation } from '../../machines/protocol.ts';
import type { Perform, Processes, OrderOf } from '../ports.ts';

export interface TreeDeps {
  readonly processes: Pick<Processes, 'treeOf'>;
  /** Path of the accused pane's terminal; null = the pane has none or is gone. Rejects when tmux does not say. */
  readonly ttyOf: (target: Incarnation) => Promise<string | null>;
}

export function listTreeHand(deps: TreeDeps): Perform<OrderOf<'listTree'>> {
  return async ({ target, listed }) => ({
    type: 'TREE_LISTED',
    tree: await deps.processes.treeOf(target, await deps.ttyOf(target), listed),
  });
}
