/** The numbers of what the command line shows. None is a configuration key: they concern eyes, not agents. */

/** Times of views that stay on the screen, in ms. */
export const REDRAW = {
  /** `town status --watch`: a tenth of a second's work each. */
  statusMs: 1_000,
  /** `town watch`: each takes a picture of every pane. */
  watchMs: 2_000,
  /** A shorter one would only keep tmux busy. */
  minMs: 200,
  /** A longer one is no watching. */
  maxMs: 3_600_000,
} as const;

/** `town session start|restart` and `town up`: what a program that was just started does. */
export const START_LOOK = {
  /** A missing module, a wrong option or a missing key ends a program within this; each start takes so much longer. */
  lookMs: 1_000,
  /** `up` reads the records of its agents so often: a first restart comes after a second. */
  everyMs: 100,
  /** A process that is gone is waited for so long, until the town says how it ended: its scan comes every 2 s. */
  proofMs: 5_000,
} as const;

export const MAIL_PAGE = {
  /** Letters that `town mail inbox` and `town mail check` open; of more they show the newest, or hand out the oldest first. */
  letters: 200,
  /** Letters of a mailbox up to which each one's number is compared with all others: more are not even listed. */
  compared: 1_000,
  /** Digits that a number of one of more letters has beside as many as their count has: one in a thousand has another's end. */
  spareDigits: 3,
} as const;

/** Limits below which `town doctor` complains. */
export const DOCTOR = {
  /** Some rescues and a journal of days fit in it. */
  leastFreeBytes: 50_000_000,
} as const;

/** `town report`. */
export const REPORT = {
  /** Pieces of work, and convoys, that one part of the page names; the others are counted. */
  shown: 20,
  /** Characters of a reason: a failing test's telling line fits, its whole output does not. */
  whyChars: 400,
  /** Closed beads that are read for those of the stretch: the ledger has no index by that time, and these take a second. */
  maxClosedRead: 50_000,
  /** Looks of a person within so many ms are one: who scrolls back or types it again loses nothing. */
  sameLookMs: 900_000,
} as const;

/** `town ask`, of a question that nothing shows: at which agents a town looked that started a moment ago. */
export const UNLOOKED = {
  /** Each question takes the town a hundredth of a second. */
  everyMs: 200,
  /** Its first look comes within two seconds of its start, later on a busy machine. */
  waitMs: 5_000,
} as const;

/** `town reload`. */
export const RELOAD = {
  /** Between looks for the new process: it takes about half a second. */
  everyMs: 25,
  /** A town starts a new guard within this. */
  guardMs: 5_000,
  /** As long as the slowest start of a town may take. */
  waitMs: 30_000,
} as const;

/** What a completion offers of a town. */
export const OFFERED = {
  /** Names: more of them no person chooses from, and a shell sorts each. */
  most: 500,
  /** Signs of what stands beside a name: a row of a terminal has room for them. */
  signs: 60,
} as const;
