/** What a bead remembers of the attempts at it, in its metadata: times as RFC 3339. */

/** When the last attempt ended. */
export const LAST_ATTEMPT = 'last_attempt_at';
/** Nobody is set on it before this. */
export const REST_UNTIL = 'rest_until';
