/** The numbers of alerts, each with its unit and reason. */
import type { Ms } from '../protocol.ts';

export interface AlertsPolicy {
  /** Law 8: an open alert is told again after this. */
  readonly realertMs: Ms;
  /** How often open alerts are looked through for one to tell again, or whose thing is gone. */
  readonly remindEveryMs: Ms;
}

export const ALERTS: AlertsPolicy = { realertMs: 4 * 60 * 60_000, remindEveryMs: 60_000 };

/** What could not be told is told anew after this: a disk that refuses does so for a while, and each try is a line of the journal. */
export const TELL_AGAIN_MS: Ms = 30_000;
