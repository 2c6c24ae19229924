/**
 * The words of the town: facts (past tense) go into machines, orders (imperative) come out. Nothing here does anything.
 * 1. An `Instant` is the town's monotonic clock and never stands in a record; a `WallMs` is for people and names, and
 *    never shortens a deadline.
 * 2. Every order gets exactly one outcome; the outcome carries `re`, the order's id (order-id.ts), and returns to the
 *    actor that gave it.
 * 3. What could not be found out is `unknown`: never silence, never death (law 1).
 * Each subject has a file in protocol/; other folders import only this one.
 */
export * from './protocol/identity.ts';
export * from './protocol/hearings.ts';
export * from './protocol/sessions.ts';
export type * from './protocol/spending.ts';
export * from './protocol/looks.ts';
export type * from './protocol/dialogs.ts';
export type * from './protocol/calls.ts';
export type * from './protocol/requests.ts';
export * from './protocol/episode.ts';
export * from './protocol/order-id.ts';
export * from './protocol/orders.ts';
export type * from './protocol/facts.ts';
export type * from './protocol/watchdog.ts';
export * from './protocol/monitor.ts';
export type * from './protocol/sends.ts';
