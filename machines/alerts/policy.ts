/** The numbers of alerts, each with its unit and reason. */
import type { Ms } from '../protocol.ts';

export const ALERTS = {
  /** Law 8: an open alert is repeated after this. */
  realertMs: 4 * 60 * 60_000,
  /** How often open alerts are looked through for one to tell again, or whose thing is gone. */
  remindEveryMs: 60_000,
};
export type AlertsPolicy = Readonly<typeof ALERTS>;

/**
 * An alert that could not be recorded is tried again after this: a disk refuses for a while, and each try is a line of
 * the journal.
 */
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

/** Characters of a letter's subject: a line of an inbox, with room for a title and who it is about. */
export const MAX_SUBJECT = 200;

/** Letters of the town that only tell how something came out: a pardon, an execution, a landed convoy. */
export const NEWS = {
  /** After this they leave the person's mailbox for its archive: who was away for a long weekend still reads them. */
  keepMs: 4 * 24 * 60 * 60_000,
  /** Letters that are opened at a time, so that ten thousand of them never stand in memory. */
  page: 500,
};

/** How often `[notify] command` is started. */
export const NOTIFY = {
  /** One start for each cause in this time: a telephone that rings once a minute is still answered. */
  windowMs: 60_000,
  /** The longest window of a cause that goes on: a flood of a day is a hundred starts. */
  longestMs: 15 * 60_000,
  /** Notices that are sent together in their own words; of the others a person reads the number. */
  named: 5,
  /** Characters of such words … */
  maxNamed: 200,
  /** … and of the notice that is kept whole: all causes together stay one small file. */
  maxText: 16_384,
  /** Letters of a cause that channels tell each by itself: with the first of those behind them as many as a channel sends one by one. */
  apart: 2,
  /** Letters of a cause that are known by id: two parts of the town announce the same letter within seconds. */
  maxLetters: 20,
  /** Messages that a channel may send in an hour, unless it is configured: one in two minutes is read, more are a flood. */
  perHour: 30,
  /** The same on all channels together: one person reads them, wherever they come. */
  perHourInAll: 60,
  /** Failed starts in a row after which a notice waits no longer; it stands in `town status` all the same. */
  tries: 8,
  /** Pace at which a process looks whether a window is over: one small file is read. */
  lookEveryMs: 15_000,
};
export type NotifyPolicy = Readonly<typeof NOTIFY>;

/** The cause of a notice: notices of one cause are sent together. */
export interface Cause {
  readonly name: string;
  /** Its window grows up to this. */
  readonly longestMs: Ms;
}
