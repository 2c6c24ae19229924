/**
 * The words of the town: facts (past tense) go into machines, orders (imperative) come out. Nothing here does anything.
 * 1. An `Instant` is the town's monotonic clock and never stands in a record; a `WallMs` is for people and names, and
 *    never shortens anybody's time.
 * 2. Every order gets exactly one outcome; the outcome carries `re`, the order's id, and returns to the actor that gave it.
 * 3. Whatever could not be found out is `unknown`: never silence, never death (law 1).
 * By subject: one file each in protocol/; everybody imports this door.
 */
export type { Instant, Ms, WallMs, Stamp, Proc, Elsewhere, Incarnation } from './identity.ts';
export * from './hearings.ts';
export * from './sessions.ts';
export type * from './looks.ts';
export * from './alerts.ts';
export type * from './calls.ts';
export type * from './orders.ts';
export type * from './facts.ts';
