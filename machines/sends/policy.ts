/** The numbers of work that is sent to sessions, with unit and reason. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const SENDS = {
  /** Until the next try: its agent may come to rest at any moment, and a try is a look at its pane. */
  againMs: 5 * SECOND,
  /** A person hears of work that waits for so long though its agent does not work: longer than a dialog is left alone. */
  lateMs: 15 * MINUTE,
  /** What its program gives back at each try for so long is given up: an outage of a service is over by then, and each try presses keys. */
  giveUpMs: 24 * 60 * MINUTE,
  /** Of one session that wait: more belong into a plan. */
  maxPerSession: 20,
  /** Of a town: each is up to 12 kB in one file. */
  maxWaiting: 500,
  /** Ends on record, each of 300 bytes: one request may be to every session of a town, and comes again within minutes. */
  endedKept: 1_000,
  /** Characters of its text that stay with each, for a person who reads the file. */
  endBegins: 80,
  /** Characters of each text that the town's answers show: all that wait, in one message of 1 MiB. */
  shownChars: 200,
} as const;

/** Why work for a session that is no more is not typed, as the end of a sentence. */
export const REMOVED = 'the session was removed';
