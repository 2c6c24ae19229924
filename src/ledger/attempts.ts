/** What a bead remembers of the attempts at it, in its metadata: times as RFC 3339. */
import type { Bead } from '../../machines/ledger/bead.ts';
import { withStatus } from '../../machines/ledger/changes.ts';
import type { Ms, WallMs } from '../../machines/protocol.ts';
import { age } from '../ports/age.ts';

/** When the last attempt ended. */
export const LAST_ATTEMPT = 'last_attempt_at';
/** Why it came to nothing, in words. */
export const LAST_FAILURE = 'last_failure';
/** Label of a bead whose attempts are used up. */
export const FAILED = 'failed';
/** It is not given out before this. */
export const REST_UNTIL = 'rest_until';

interface Attempt {
  readonly at: string;
  readonly why: string;
  /** All of them are used up. */
  readonly isLast: boolean;
  /** More that it remembers. */
  readonly rest?: Bead['metadata'];
}

/** An attempt came to nothing: it is the next one's, or waits for a person. */
export function afterAttempt(bead: Bead, { at, why, isLast, rest }: Attempt): Bead {
  // A rest belongs to the attempt before it: by a clock that was set back since, an old one would last for days.
  const { [REST_UNTIL]: _, ...kept } = bead.metadata;
  const metadata = { ...kept, ...rest, [LAST_ATTEMPT]: at, [LAST_FAILURE]: why };
  const free = { ...withStatus(bead, isLast ? 'blocked' : 'open', at), assignee: '', metadata };
  const labels = isLast ? [...new Set([...bead.labels, FAILED])] : bead.labels;
  return { ...free, attempts: bead.attempts + 1, labels };
}

/** How long it rests still before its next attempt (ms); 0 = that may begin; null = its last one never ended. */
export function restLeft({ metadata }: Pick<Bead, 'metadata'>, now: WallMs, cooldownMs: Ms): Ms | null {
  const until = Date.parse(metadata[REST_UNTIL] ?? '');
  const from = Date.parse(metadata[LAST_ATTEMPT] ?? '');
  if (Number.isNaN(from)) return Number.isNaN(until) ? null : Math.max(0, until - now);
  const restMs = Number.isNaN(until) ? cooldownMs : Math.max(cooldownMs, until - from);
  return Math.max(0, restMs - age(from, now));
}
