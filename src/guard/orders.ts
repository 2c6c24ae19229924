/** The orders of a guard at its start: one JSON argument, so that it needs no configuration of its own. */
import type { ProcessPolicy } from '../ports/policy.ts';
import type { Proc } from '../../machines/protocol.ts';
import type { StatePolicy } from '../../state/files/policy.ts';

/** Added to the town's command at every start but the first: what broke its configuration meanwhile must not stop it. */
export const AGAIN = '--again';

/** Those whose place a guard takes; null = there was none. */
export interface Predecessors {
  readonly town: Proc | null;
  readonly guard: Proc | null;
}
export const NO_PREDECESSORS: Predecessors = { town: null, guard: null };

export interface GuardOrders {
  /** Absolute. */
  readonly root: string;
  /** The town's program and arguments, `daemon run --guarded` included. */
  readonly command: readonly [string, ...string[]];
  /** A town that runs already and has lost its guard. */
  readonly adopt: (Proc & { readonly epoch: number }) | null;
  /** Those that it ends and replaces. */
  readonly instead: Predecessors;
  /** `[notify] command`, for the alarm when the town falls again and again. */
  readonly notify: readonly string[] | null;
  /** Whether channels are configured: the alarm is kept for them. */
  readonly channels: boolean;
  readonly policy: ProcessPolicy & Pick<StatePolicy, 'maxRecordBytes'>;
}

/**
 * Reads the argument. Only our own starter writes it, so its shape is not doubted, only its presence; a starter of an earlier version, whose
 * package was replaced while it ran, names no predecessors.
 */
export function parseOrders(argument: string | undefined): GuardOrders {
  const orders = JSON.parse(argument ?? 'null') as (Omit<GuardOrders, 'instead'> & Partial<GuardOrders>) | null;
  if (orders === null) throw new Error('the guard is started by `town up`, not by hand');
  return { ...orders, instead: orders.instead ?? NO_PREDECESSORS };
}
