/** Names the episode of a session whose agent waits for a person, so that it could not be heard. */
export const NEEDS_INPUT = 'needs-input/';
/** Names the episode of a session whose agent a usage limit stopped. */
export const USAGE_LIMIT = 'usage-limit/';
/** Names the episode of a session whose agent shows an error instead of working. */
export const AGENT_ERROR = 'agent-error/';
/** Names the episode of a session whose hearing a person must decide. */
export const ESCALATED = 'dance-escalated/';
