/**
 * The one shape of a decision: changes of an actor's context, and the orders that go with them. Each decision without a
 * statechart is a function that returns one. A deadline is an instant in the context, `wakeAt`, and a TICK that has
 * reached it.
 */
import type { Instant, Order, OrderBody, OrderId, Reply, Stamp } from '../protocol.ts';

export interface Decision<Context> {
  readonly changes: Partial<Context>;
  readonly orders: readonly Order[];
}

/** A decision that changes nothing. */
export const NOTHING = { changes: {}, orders: [] } as const;

export const order = (id: OrderId, body: OrderBody): Order => ({ ...body, id });
/** A decision that only answers the caller. */
export const reply = (rpc: string, body: Reply): Order =>
  order({ issuer: 'reply', name: rpc }, { type: 'reply', to: rpc, reply: body });
/** The reply of an actor that could not read its record, and reads it again soon. `why`: it names the file. */
export const unread = (rpc: string, why: string): Order =>
  reply(rpc, { ok: false, exit: 1, code: 'records_unreadable', text: why });
/** Every fact is stamped; XState's own events are not, and come to no action that asks. */
export const stampOf = (event: object): Stamp => event as Stamp;

/** Guard: the deadline has passed. */
export const isDue = (of: {
  readonly context: { readonly wakeAt: Instant | null };
  readonly event: object;
}): boolean => {
  const { type, at } = of.event as { readonly type: string } & Stamp;
  return type === 'TICK' && of.context.wakeAt !== null && at >= of.context.wakeAt;
};

/** Makes one decision after another, each on the context that the earlier ones left. */
export function inOrder<Context extends object>(
  context: Context,
  ...decisions: readonly ((context: Context) => Decision<Context>)[]
): Decision<Context> {
  let changes: Partial<Context> = {};
  const orders: Order[] = [];
  for (const decide of decisions) {
    const decision = decide({ ...context, ...changes });
    changes = { ...changes, ...decision.changes };
    orders.push(...decision.orders);
  }
  return { changes, orders };
}

/** What an action may do with its context. */
interface Enqueue<Context> {
  readonly emit: (order: Order) => void;
  readonly assign: (changes: Partial<Context>) => void;
}
/** Carries a decision out, within an action of XState's. */
export function applyDecision<Context>(enqueue: Enqueue<Context>, { changes, orders }: Decision<Context>): void {
  for (const one of orders) enqueue.emit(one);
  enqueue.assign(changes);
}
