/** The numbers of the worker monitor, with unit and reason. Fields in whole seconds are keys of town.toml that take bare numbers. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const HOUR_MS = HOUR;

export const MONITOR = {
  /** M-10: an actor costs no tokens; a session is the agent of `[presets.watchdog]`, which judges workers in place of the actor. */
  mode: 'actor' as 'actor' | 'session',
  /** How often workers are looked at. */
  pollIntervalSecs: 30,
  /** M-3: polls in a row without anything new before a worker is stuck. */
  stuckThresholdIntervals: 3,
  /** M-1: a session with any of these is a worker. */
  workerTags: ['worker'] as readonly string[],
  /** Who is told. */
  orchestratorTag: 'orchestrator',
  /** M-1: also the name of a worker fits this; null = any name does. */
  workerPattern: null as string | null,
  /** Lines of output in an alert. */
  outputPreviewLines: 5,
  /** M-5: words in the orchestrator's pane come at most so often. */
  nudgeEveryMs: 30 * SECOND,
  /** M-5, law 8: reports of one life that its orchestrators get at once; an hour gives as many back. One that ends a task each five minutes needs no more. */
  reportsPerHour: 12,
  /** Reports make the monitor look at most so often: an agent changes its mind faster only by mistake. */
  reportsEveryMs: SECOND,
  /** M-5: messages that no orchestrator fetched for so long are told to a person. */
  unreadMs: 10 * MINUTE,
  /** M-7: how often mailboxes are looked at. A letter waits for its reader far longer. */
  mailEveryMs: MINUTE,
  /** M-7: an urgent letter that nothing read for so long is an alert: an agent between two turns reads it sooner. */
  urgentUnreadMs: MINUTE,
  /** M-7: a letter that needs a response and has none for so long is an alert. */
  unansweredMs: HOUR,
};
export type MonitorPolicy = Readonly<typeof MONITOR>;

/** The tag of a session that monitors, which no monitor watches. */
export const MONITOR_TAG = 'watchdog';

/** M-10: the session of the agent that monitors, its preset, and its timer, by one name. */
export const WATCHDOG = 'watchdog';

/** Timers of a town: each is a line typed by its own clock. */
export const MAX_TIMERS = 100;

/** Signs of one line, and of a message, in a payload: more would fill the orchestrator's context. */
export const MAX_LINE = 300;
/** Messages that wait for their mailbox while the disk refuses them; the oldest ones are kept. */
export const MAX_UNSENT = 10_000;
