/** One beat for all who look every so often: they look at the same moments, so that a quiet town wakes up once for all of them. */
import type { Instant, Ms } from '../protocol.ts';

/** The next multiple of `everyMs`: later than `now`, by `everyMs` at most. */
export const nextBeat = (now: Instant, everyMs: Ms): Instant => (Math.floor(now / everyMs) + 1) * everyMs;
