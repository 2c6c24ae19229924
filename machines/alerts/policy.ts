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

/** Alerts of one kind that a person reads by name; those on top are one alert with their count. */
export const MANY_ALERTS = {
  /** Of files, hearings and the like: what can be repeated without end. */
  things: 5,
  /** Of sessions: each has a pane of its own to see to, and a town has no more of them than it started. */
  sessions: 50,
  /** Members that are looked at in one check: each look is a call of the system. */
  checked: 1_000,
};
