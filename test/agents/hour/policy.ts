/** The numbers of the hour, with unit and reason. */

/** Settings of the town: shorter than in life, so that an hour holds many silences. */
export const SETTINGS = `[watchdog]
poll_interval_secs = 5
stuck_threshold_intervals = 6
[tickle]
enabled = true
threshold = "90s"
scan = "5s"
ack = "60s"
grace = "120s"
cooldown = "60s"
[nudge]
every = "5s"
[sessions]
backoff = "1s"
`;

/** ms. */
export const WITHIN = {
  /** Two looks at the town's sessions. */
  pollMs: 700,
  /** Two cores are shared with others, and the bench itself looks late. */
  slackMs: 4_000,
  /** A dialog is in the status. */
  dialogMs: 2_000,
  /** Work, rest and halts are. */
  stateMs: 5_000,
  /** A dead agent lives again, and is resumed. */
  restartMs: 10_000,
  /** A login that works again is believed, by an agent at rest. */
  restMs: 25_000,
  /** A person is alerted. */
  alertMs: 60_000,
  /** An alert is over behind its cause. */
  alertEndsMs: 40_000,
  /** A state that stands against the truth for so long is wrong. */
  settledMs: 12_000,
  /** The script sees a change on the screen so much later, at most. */
  wrongMs: 6_000,
  /** A town that was killed is there again, and has looked at each agent. */
  upAgainMs: 25_000,
  /** Behind its limit; then it is a miss. */
  giveUpMs: 45_000,
  /** A program begins and ends a turn on a busy machine. */
  turnMs: 90_000,
  /** A program starts. */
  startMs: 120_000,
} as const;

/** ms: as in SETTINGS. */
export const TICKLE_MS = { threshold: 90_000, scan: 5_000, grace: 120_000 } as const;
