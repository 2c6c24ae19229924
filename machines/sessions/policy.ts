/** The numbers of the sessions, with unit and reason: restarts, scans, the death of a server. */
import type { Ms } from '../protocol.ts';

export interface SessionsPolicy {
  /** C-6: first wait before a restart, doubled each time … */
  readonly backoffMs: Ms;
  /** … up to this. */
  readonly maxBackoffMs: Ms;
  /** C-6: each wait is spread by this share either way, so that fifty agents do not start in one second. */
  readonly jitter: number;
  /** C-6: seen alive for so long, the streak is forgotten. */
  readonly stableMs: Ms;
  /** That spell is put on record in so many steps: each is a write, and a kill -9 takes one of them at most. */
  readonly stableSteps: number;
  /** C-6: so many restarts … (and so many starts in a row that fail are told to a person) */
  readonly crashLoopRestarts: number;
  /** … within this are a crash loop: an alarm, and tries go on at the capped pace. */
  readonly withinMs: Ms;
  /** How often everything is looked at: the net under the death hook. */
  readonly scanEveryMs: Ms;
  /** Hints (a death, a change in tmux) do not make us look more often than this. */
  readonly minScanGapMs: Ms;
  /** C-6: a name that somebody is in is tried again at the pace of the watchdog's tick, spread by `jitter`. */
  readonly takenRetryMs: Ms;
  /** C-6: an agent stopped by a usage limit is tried again so often: limits last for hours, and one try costs little. */
  readonly limitRetryMs: Ms;
  /** C-9: so many deaths of the tmux server … */
  readonly serverDeaths: number;
  /** … within this are told as a server that keeps dying; its agents are tried on at the capped pace. */
  readonly serverDeathsWithinMs: Ms;
  /** C-9, and at `up`: between two of many starts. */
  readonly staggerMs: Ms;
  /**
   * Starts under way at once, 1..50; the rest wait their turn. A hundred agents run no sooner with fifty (one tmux serves them
   * all), and leave the town at 169 MB instead of 120.
   */
  readonly maxStarting: number;
  /** Law 1: unknown for so long raises an alarm. */
  readonly unknownAlarmMs: Ms;
  /** What becomes of processes that outlive their agent: a person is told, or they are ended before the next start too. */
  readonly survivors: 'tell' | 'end';
  /** After a death what is left of it is looked for after so long (what ends with its agent needs a moment, an execution 12 s), and again as long as something is. */
  readonly survivorsEveryMs: Ms;
  /** Lives of one session that are remembered for what they left, the last ones; each is looked for by itself. */
  readonly maxRemains: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const SESSIONS: SessionsPolicy = {
  backoffMs: 1 * SECOND,
  maxBackoffMs: 5 * MINUTE,
  jitter: 0.2,
  stableMs: 10 * MINUTE,
  stableSteps: 10,
  crashLoopRestarts: 5,
  withinMs: 10 * MINUTE,
  scanEveryMs: 2 * SECOND,
  minScanGapMs: 100,
  takenRetryMs: 3 * MINUTE,
  limitRetryMs: 15 * MINUTE,
  serverDeaths: 5,
  serverDeathsWithinMs: 10 * MINUTE,
  staggerMs: 500,
  maxStarting: 4,
  unknownAlarmMs: 1 * MINUTE,
  survivors: 'tell',
  survivorsEveryMs: 15 * SECOND,
  maxRemains: 50,
};
