/**
 * Episodes across restarts (law 8): what an earlier process told is known to the disk alone, so the first good finding of a
 * process ends it, whoever told it.
 */
import type { OrderBody } from '../protocol.ts';

/** Names the episode of a session whose agent waits for a person, so that it could not be heard. */
export const NEEDS_INPUT = 'needs-input/';
/** Names the episode of a session whose agent a usage limit stopped. */
export const USAGE_LIMIT = 'usage-limit/';
/** Names the episode of a session whose agent shows an error instead of working. */
export const AGENT_ERROR = 'agent-error/';
/** Names the episode of a session whose hearing a person must decide. */
export const ESCALATED = 'dance-escalated/';

/** Ends every open episode whose name begins so, but these. */
export const whoeverTold = (prefix: string, text: string, except: readonly string[] = []): OrderBody => ({
  ...{ type: 'endOthers', prefix, except, text },
});
