/** The numbers of the watchdog chain, with unit and reason. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const BOOT = {
  /** C-8: off only to prove the chain. */
  enabled: true,
  /** C-2: a heartbeat this old is stale … */
  staleMs: 5 * MINUTE,
  /** C-2: … and older than this, very stale. */
  veryStaleMs: 15 * MINUTE,
  /** C-2: a Deacon just started is not judged. */
  startGraceMs: 5 * MINUTE,
  /** C-2: how far ahead a Deacon may announce its next beat. */
  maxAheadMs: 10 * MINUTE,
  /** C-2: an older mark of a running Boot is a dead one. */
  runningTtlMs: 5 * MINUTE,
  /** C-2: Boot always ends. */
  deadlineMs: 1 * MINUTE,
};
export type BootPolicy = Readonly<typeof BOOT>;

const DEACON = {
  /** C-3: an actor costs no tokens; a session is an agent. */
  mode: 'actor' as 'actor' | 'session',
  /** C-3: its session in session mode. */
  session: 'hq-deacon',
  /** C-3: what the session runs; null = nothing is configured. */
  command: null as readonly string[] | null,
  /** C-4: it beats at least this often, independently of its patrol's pace. */
  beatMs: 60 * SECOND,
  /** P-1: pace of its patrol while something is open … */
  activeMs: 15 * SECOND,
  /** P-1: … and when nothing is. */
  idleMs: 5 * MINUTE,
  /** C-5: wake-ups without effect before a warrant. */
  wakes: 2,
  /** C-15: how long a health check waits for its answer. */
  healthWaitMs: 30 * SECOND,
  /** C-15: how often it looks for it meanwhile. */
  healthLookEveryMs: 1 * SECOND,
  /** C-15: failures in a row that recommend a warrant. */
  healthFailures: 3,
  /** C-11: cycles before a session hands off to a fresh one. */
  handoffAfter: 100,
};
export type DeaconPolicy = Readonly<typeof DEACON>;

/** C-3: the tag of its session. */
export const DEACON_TAG = 'deacon';

/** Letters without a rule that lie among the Deacon's others; more of them are kept apart. */
export const MAX_STRANGE = 100;

/** The watchdog chain: daemon, Boot, Deacon. */
export const WATCHDOG = {
  /** C-1: how often it is checked that what must run, runs. */
  heartbeatMs: 3 * MINUTE,
  /** C-8: the second line behind Boot; off only to prove the chain. */
  deaconCheck: true,
  /** C-8: the third line, by what tmux itself shows; off only to prove the chain. A person is told all the same. */
  discovery: true,
  /** C-1: failures of one step in a row before a person is told; the step is tried on. */
  stepFailures: 3,
  /** C-8: ticks in a row without a Deacon session before a person is told; the chain brings it back within these. */
  missingTicks: 2,
  /** C-8: ticks in a row with a very stale heartbeat before a person is told: longer than Boot needs for its two wake-ups. */
  silentTicks: 6,
  boot: BOOT as BootPolicy,
  deacon: DEACON as DeaconPolicy,
  /** C-10: older lifecycle requests are ignored. */
  lifecycleExpiresMs: 6 * HOUR,
};
export type WatchdogPolicy = Readonly<typeof WATCHDOG>;

/** Letters to a person about refused requests of agents. */
export const REFUSALS = {
  /** ms. A person hears of one sender once in each such span, counted from the epoch: a day. */
  onceInMs: 24 * 60 * MINUTE,
  /** Signs of the sender in a letter's name: the name of a file has room for 255 bytes. */
  maxSender: 100,
  /** Signs of a word that a refusal repeats; a session's name has 64. */
  maxWord: 64,
} as const;
