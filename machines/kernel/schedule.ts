/** Common moments for all that look every so often, so that a quiet town wakes up once for all of them. */
import type { Instant, Ms } from '../protocol.ts';

/** The next multiple of `everyMs`: later than `now`, by `everyMs` at most. */
export const nextMultiple = (now: Instant, everyMs: Ms): Instant => (Math.floor(now / everyMs) + 1) * everyMs;

/** The n-th restart in a row waits this long. A least wait is needed: with none, a crash loop spins up to the limit. */
export const backoffMs = (n: number, first: Ms, most: Ms): Ms => Math.min(first * 2 ** (n - 1), most);
