/** The numbers of the sessions, with unit and reason: restarts, scans, the death of a server. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const SESSIONS = {
  /** C-6: first wait before a restart, doubled each time … */
  backoffMs: 1 * SECOND,
  /** … up to this. */
  maxBackoffMs: 5 * MINUTE,
  /** C-6: each wait is spread by this share either way, so that fifty agents do not start in one second. */
  jitter: 0.2,
  /** C-6: seen alive for so long, the streak is forgotten. */
  stableMs: 10 * MINUTE,
  /** That spell is put on record in so many steps: each is a write, and a kill -9 takes one of them at most. */
  stableSteps: 10,
  /** C-6: so many restarts … (and so many starts in a row that fail are told to a person) */
  crashLoopRestarts: 5,
  /** … within this are a crash loop: an alarm, and tries go on at the capped pace. */
  withinMs: 10 * MINUTE,
  /**
   * C-6: a clean end is the agent's wish once the town has outlived it by so long. A machine, or a user's systemd session, that
   * goes down ends agents, tmux and town within seconds; an agent that was finished is at worst started once more.
   */
  confirmEndMs: 30 * SECOND,
  /** M-11: a conversation with which so many lives in a row crashed or were executed is left. */
  conversationDeaths: 3,
  /** How often everything is looked at: the net under the death hook. */
  scanEveryMs: 2 * SECOND,
  /** Hints (a death, a change in tmux) do not make us look more often than this. */
  minScanGapMs: 100,
  /** C-6: a start under a taken name is tried again at the pace of the watchdog's tick, spread by `jitter`. */
  takenRetryMs: 3 * MINUTE,
  /** C-6: an agent stopped by a usage limit is tried again so often: limits last for hours, and one try costs little. */
  limitRetryMs: 15 * MINUTE,
  /** M-9: so long after the time that a limit names an agent is told to go on, spread by `jitter`: some do so by themselves. */
  limitOverMs: 2 * MINUTE,
  /** M-9: so long after one was told without an effect the next one of its account is: a turn shows within a minute that it runs. */
  limitProofMs: 10 * MINUTE,
  /** M-9: a limit that names no time is tried so often, by one agent of its account: limits last for hours, and each try is a turn. */
  limitProbeMs: 60 * MINUTE,
  /** M-9: where it could not be typed (a person is there, a dialog stands), it is tried again after so long. */
  limitAgainMs: 5 * MINUTE,
  /** C-9: so many deaths of the tmux server … */
  serverDeaths: 5,
  /** … within this raise the alert of a server that keeps dying; its agents are tried on at the capped pace. */
  serverDeathsWithinMs: 10 * MINUTE,
  /** C-9, and at `up`: between two of many starts. */
  staggerMs: 500,
  /**
   * Starts under way at once, 1..50; the rest wait their turn. A hundred agents run no sooner with fifty (one tmux serves them
   * all), and leave the town at 169 MB instead of 120.
   */
  maxStarting: 4,
  /** Law 1: unknown for so long raises an alarm. */
  unknownAlarmMs: 1 * MINUTE,
  /** Above this an agent and what it runs are an alert; 0 = never: how much is too much only its person knows. */
  maxMemoryBytes: 0,
  /** What becomes of processes that outlive their agent: a person is told, or they are ended before the next start too. */
  survivors: 'tell' as 'tell' | 'end',
  /** After a death what is left of it is looked for after so long (what ends with its agent needs a moment, an execution 12 s), and again as long as something is. */
  survivorsEveryMs: 15 * SECOND,
  /** Lives of one session that are remembered for what they left, the last ones; each is looked for by itself. */
  maxRemains: 50,
};
export type SessionsPolicy = Readonly<typeof SESSIONS>;

export const INCIDENT = {
  /** M-13: so many sessions that died of one cause are one incident: two may be chance. */
  sessions: 3,
  /** Of its cause, in the name of its alert: enough to know it by. */
  nameChars: 60,
} as const;

export const RENEWAL = {
  /** M-9: a life that was to be restarted for a new login, and lives on, is looked at again after so long: what spared it may last. */
  againMs: 60 * MINUTE,
} as const;

export const WORDS = {
  /** A life that is older has heard why it was started again, or has long gone on without. */
  youngMs: 10 * MINUTE,
} as const;

export const MEMORY = {
  /** The alert is over below this share of the limit: what swings about the limit is one alert. */
  backBelow: 0.9,
} as const;

/** M-12: an agent that spends tokens and does nothing new. */
export const BURNING = {
  /** So long on end before a person is told: most loops of an agent end by themselves sooner, and cost little until then. */
  afterMs: 20 * MINUTE,
  /** Another call that is not new comes within this while it burns; a longer pause is one long call, or a wait. */
  quietMs: 5 * MINUTE,
  /** So many that are not new before it is suspected: a test that is run again after a look at its output is no loop. */
  minRepeats: 5,
} as const;

export const AGENT_STATE = {
  /** M-2: a program writes its state and draws it at slightly different times; a screen seen within this may be the old one. */
  settlesMs: 2 * SECOND,
  /** M-2: an agent's own report tells no more how it is: who reports does so at each step, and a step takes minutes. */
  reportMs: 30 * MINUTE,
} as const;
