/** The numbers of alerts, each with its unit and reason. */
import type { Ms } from '../protocol.ts';

export const ALERTS = {
  /** Law 8: an open alert is told again after this. */
  realertMs: 4 * 60 * 60_000,
  /** How often open alerts are looked through for one to tell again, or whose thing is gone. */
  remindEveryMs: 60_000,
};
export type AlertsPolicy = Readonly<typeof ALERTS>;

/** What could not be told is told anew after this: a disk that refuses does so for a while, and each try is a line of the journal. */
export const TELL_AGAIN_MS: Ms = 30_000;
