/**
 * Performs `signal`: one round of TERM or KILL over the recorded list (D-10).
 * 1. Nothing is signalled that is not on the list, and each only while it is the very process listed.
 * 2. First the right to kill is read again, then the age of the last look: either may have changed while the order
 *    waited. What cannot be found out before the first signal keeps it back: the outcome says that no signal was sent.
 * 3. Parents before children: a parent that outlives its child would start another, and after TERM an agent ends its
 *    own children in its own order. The list names the children already, so none is lost with its parent.
 * 4. Below the agent of an adopted pane waits a person's shell: what the agent never read is taken from it before each
 *    signal.
 * 5. An agent that this town may never end keeps its whole tree: that is reported, and no process gets a signal.
 * 6. What the system refuses us (another user's process) is reported as alive; it does not keep the rest from ending.
 */
import type { DancePolicy } from '../../machines/hearings/policy.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import type { Incarnation, Ms, OutcomeBody, Proc } from '../../machines/protocol.ts';
import type { Clock, OrderOf, Perform, Processes } from '../ports/ports.ts';
import { orRefused, type TreeDeps } from './listTree.ts';
import { SignalRefused } from './processes.ts';
import { causeOf } from '../../machines/kernel/cause.ts';
import { span } from '../../machines/kernel/span.ts';

export interface SignalDeps extends Pick<TreeDeps, 'ttyOf'> {
  readonly processes: Pick<Processes, 'treeOf' | 'alive' | 'refusal' | 'signal'>;
  readonly clock: Clock;
  /** The epoch on disk and the tmux server's owner are still ours. False or a rejection = nothing is signalled. */
  readonly mayKill: () => Promise<boolean>;
  /** Takes the input that the target never read out of its terminal. Never rejects: it decides nothing. */
  readonly drain: (target: Incarnation, cancelled: AbortSignal) => Promise<void>;
  readonly policy: Pick<DancePolicy, 'lookStaleMs'> & Pick<HandsPolicy, 'goneEveryMs'>;
}

/** Harmless when repeated: who is gone gets nothing. `newcomers` are only named; the next order may list them. */
export function signalHand(deps: SignalDeps): Perform<OrderOf<'signal'>> {
  return (order, cancelled) => orRefused(() => oneRound(deps, order, cancelled));
}

async function oneRound(deps: SignalDeps, order: OrderOf<'signal'>, cancelled: AbortSignal): Promise<OutcomeBody> {
  const { target, tree } = order;
  const why = await whyNotNow(deps, order, cancelled).catch(notFoundOut);
  if (why !== null) return { type: 'NOT_SIGNALLED', why };
  for (const proc of tree) signalOne(deps.processes, proc, order.signal);
  await untilGone(deps, tree, order.graceMs, cancelled);
  const now = await deps.processes.treeOf(target, await deps.ttyOf(target), tree);
  const isListed = new Set(tree.map(nameOf));
  return {
    type: 'SIGNALLED',
    alive: tree.filter((proc) => deps.processes.alive(proc)),
    newcomers: now.filter((proc) => !isListed.has(nameOf(proc))),
  };
}

/** Why no process may be signalled now; null = each of the list may. Throws `SignalRefused` where none ever may. */
async function whyNotNow(
  deps: SignalDeps,
  { target, lookedAt }: OrderOf<'signal'>,
  cancelled: AbortSignal,
): Promise<string | null> {
  const refusal = deps.processes.refusal(target);
  if (refusal !== null) throw new SignalRefused(refusal);
  if (!(await deps.mayKill()))
    return `no signal to ${target.session}: another town owns this root or tmux server now; see \`town status\``;
  await deps.drain(target, cancelled);
  cancelled.throwIfAborted(); // its issuer was told that it failed, or the town ends
  const age = deps.clock.now() - lookedAt;
  return age <= deps.policy.lookStaleMs ? null : `the last look is ${span(Math.round(age))} old; look again`;
}

function notFoundOut(error: unknown): string {
  if (error instanceof SignalRefused) throw error;
  return `no signal was sent: ${causeOf(error)}`;
}

function signalOne(processes: SignalDeps['processes'], proc: Proc, signal: 'TERM' | 'KILL'): void {
  try {
    processes.signal(proc, signal);
  } catch (error) {
    // It lives on and the outcome names it; anything else is unknown and fails the order.
    if (!(error instanceof SignalRefused)) throw error;
  }
}

async function untilGone(deps: SignalDeps, tree: readonly Proc[], graceMs: Ms, cancelled: AbortSignal): Promise<void> {
  const end = deps.clock.now() + graceMs;
  while (tree.some((proc) => deps.processes.alive(proc))) {
    cancelled.throwIfAborted();
    const left = end - deps.clock.now();
    if (left <= 0) return;
    await deps.clock.sleep(Math.min(left, deps.policy.goneEveryMs), cancelled);
  }
}

const nameOf = (proc: Proc): string => `${proc.pid} ${proc.started}`;
