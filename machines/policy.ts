/**
 * Every number of the town, with its unit and its reason. Given to machines and hands as input, never imported by them as
 * a value: configuration and tests bring their own. Sections and keys are those of town.toml (`windowsMs` is `windows`).
 */
import type { SupervisorPolicy } from './policy-supervisor.ts';
import type { WatchdogPolicy } from './policy-watchdog.ts';
import type { Ms } from './protocol.ts';

export interface DancePolicy {
  /** D-11, GT_DOG_POOL_SIZE, 1..20: five hearings at once cover the worst night seen; the rest queue. */
  readonly poolSize: number;
  /** D-1: three chances, each twice as patient; 420 s in all. */
  readonly windowsMs: readonly Ms[];
  /** D-4: whether signs of life pardon, or only an answer. */
  readonly pardonOn: 'evidence' | 'answer';
  /** D-5: how often an open window is looked at; an answer ends it early. */
  readonly lookEveryMs: Ms;
  /** D-7: the most that may count between two looks that saw: a sleep in between counts almost nothing. */
  readonly mostPerLookMs: Ms;
  /** D-6: pause before an undelivered question or a failed order is tried again. */
  readonly retryMs: Ms;
  /** D-6: undeliverable for so long, a person decides. */
  readonly undeliverableMs: Ms;
  /** Law 6: a person at the keys suspends the dance; still there after this, they decide. */
  readonly personMs: Ms;
  /** D-8: an agent is gone when it was seen gone twice, this far apart. */
  readonly goneAgainMs: Ms;
  /** D-10: between TERM and KILL. */
  readonly termGraceMs: Ms;
  /** D-10: how long after KILL a process may need to vanish. */
  readonly killGraceMs: Ms;
  /** D-10: lists of newcomers at most, before the survivors are named and left. */
  readonly mostRounds: number;
  /** A kill older than its last look by more than this looks again first. */
  readonly lookStaleMs: Ms;
  /** Law 4: failed rescues in a row before a person is asked; nothing is destroyed meanwhile. */
  readonly mostRescues: number;
  /** Law 7: tries of the alert that a verdict leaves to a person; then its requesters are told all the same. */
  readonly mostAlerts: number;
  /** Granularity of observed time in the record: a crash gives at most this much back to the accused. */
  readonly saveEveryMs: Ms;
  /** Falls of one dog without progress before its dance ends `failed`, with an alert and no kill. */
  readonly mostFalls: number;
  /** Wakings in a row without any outcome (the process died each time) before the dance ends `failed`. */
  readonly mostWakings: number;
  /** D-15: a warrant older than this is void. */
  readonly warrantExpiresMs: Ms;
  /** D-15: alarm when a dance outlives its observable time by this. */
  readonly overdueMs: Ms;
  /** D-4: evidence-only pardons within this time … */
  readonly evidenceOnlyWithinMs: Ms;
  /** … so many of them, and the next warrant ends `escalated` instead of executed. */
  readonly evidenceOnlyMost: number;
  /** D-15: alarm when one target was heard this often … */
  readonly heardOften: number;
  /** … within this time. */
  readonly heardWithinMs: Ms;
  /** D-15: a file put into warrants/ counts within this time (the slow net under the wake-up by socket). */
  readonly readWarrantsEveryMs: Ms;
}

export interface SessionsPolicy {
  /** C-6: first wait before a restart, doubled each time … */
  readonly backoffMs: Ms;
  /** … up to this. */
  readonly mostBackoffMs: Ms;
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
  readonly leastScanGapMs: Ms;
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
  readonly mostStarting: number;
  /** Law 1: unknown for so long raises an alarm. */
  readonly unknownAlarmMs: Ms;
  /** What becomes of processes that outlive their agent: a person is told, or they are ended before the next start too. */
  readonly survivors: 'tell' | 'end';
  /** After a death what is left of it is looked for after so long (what ends with its agent needs a moment, an execution 12 s), and again as long as something is. */
  readonly survivorsEveryMs: Ms;
  /** Lives of one session that are remembered for what they left, the last ones; each is looked for by itself. */
  readonly mostRemains: number;
}

/** What machines are given. */
export interface Policy {
  readonly dance: DancePolicy;
  readonly sessions: SessionsPolicy;
  readonly supervisor: SupervisorPolicy;
  readonly watchdog: WatchdogPolicy;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const POLICY: Policy = {
  dance: {
    poolSize: 5,
    windowsMs: [60 * SECOND, 120 * SECOND, 240 * SECOND],
    pardonOn: 'evidence',
    lookEveryMs: 1 * SECOND,
    mostPerLookMs: 1_500,
    retryMs: 5 * SECOND,
    undeliverableMs: 30 * MINUTE,
    personMs: 10 * MINUTE,
    goneAgainMs: 10 * SECOND,
    termGraceMs: 10 * SECOND,
    killGraceMs: 2 * SECOND,
    mostRounds: 5,
    lookStaleMs: 5 * SECOND,
    mostRescues: 3,
    mostAlerts: 5,
    saveEveryMs: 5 * SECOND,
    mostFalls: 3,
    mostWakings: 10,
    warrantExpiresMs: 24 * HOUR,
    overdueMs: 5 * MINUTE,
    evidenceOnlyWithinMs: 30 * MINUTE,
    evidenceOnlyMost: 2,
    heardOften: 3,
    heardWithinMs: 24 * HOUR,
    readWarrantsEveryMs: 2 * SECOND,
  },
  sessions: {
    backoffMs: 1 * SECOND,
    mostBackoffMs: 5 * MINUTE,
    jitter: 0.2,
    stableMs: 10 * MINUTE,
    stableSteps: 10,
    crashLoopRestarts: 5,
    withinMs: 10 * MINUTE,
    scanEveryMs: 2 * SECOND,
    leastScanGapMs: 100,
    takenRetryMs: 3 * MINUTE,
    limitRetryMs: 15 * MINUTE,
    serverDeaths: 5,
    serverDeathsWithinMs: 10 * MINUTE,
    staggerMs: 500,
    mostStarting: 4,
    unknownAlarmMs: 1 * MINUTE,
    survivors: 'tell',
    survivorsEveryMs: 15 * SECOND,
    mostRemains: 50,
  },
  supervisor: {
    maxRestarts: 5,
    withinMs: 10 * MINUTE,
    backoffMs: 1 * SECOND,
    mostBackoffMs: 1 * MINUTE,
    jitter: 0.2,
  },
  watchdog: {
    heartbeatMs: 3 * MINUTE,
    deaconCheck: true,
    discovery: true,
    stepFailures: 3,
    missingTicks: 2,
    silentTicks: 6,
    boot: {
      enabled: true,
      staleMs: 5 * MINUTE,
      veryStaleMs: 15 * MINUTE,
      startGraceMs: 5 * MINUTE,
      mostAheadMs: 10 * MINUTE,
      runningTtlMs: 5 * MINUTE,
      deadlineMs: 1 * MINUTE,
    },
    deacon: {
      mode: 'actor',
      session: 'hq-deacon',
      command: null,
      beatMs: 60 * SECOND,
      activeMs: 15 * SECOND,
      idleMs: 5 * MINUTE,
      wakes: 2,
      healthWaitMs: 30 * SECOND,
      healthLookEveryMs: 1 * SECOND,
      healthFailures: 3,
      handoffAfter: 100,
    },
    lifecycleExpiresMs: 6 * HOUR,
  },
};

/** Least time that counts as waiting before a person may be woken by a fault of the town itself; see `HandsPolicy`. */
export interface HandsPolicy {
  /** Law 1: tmux silent for so long is unknown. */
  readonly tmuxAnswerMs: Ms;
  /** Enter goes this long after the text: 100 ms failed in two agents. */
  readonly enterAfterMs: Ms;
  /** D-6: a program that takes a paste as input shows it within this; Enter waits for that, and without it is not sent. */
  readonly pasteShownMs: Ms;
  /** Retries of Enter until the composer is empty. */
  readonly mostEnters: number;
  /** Long text needs longer to be taken in: one more `enterAfterMs` for every so many characters. */
  readonly enterEveryChars: number;
  /** Law 5: one nudge of a life in this time, whoever asks. */
  readonly nudgeEveryMs: Ms;
  /** Characters of a nudge: it is one remark, and every one of them is typed. */
  readonly mostNudgeChars: number;
  /** Nudges of a life that are remembered as our own words: more than fit into the longest hearing at that pace. */
  readonly nudgesKept: number;
  /** Rows of history read when the place of a question has to be found again. */
  readonly searchRows: number;
  /** Questions and lives that the hands remember something of; the oldest are forgotten, which costs a look, no verdict. */
  readonly mostRemembered: number;
  /** D-4: signs of life count only from this long after our last key. */
  readonly evidenceAfterMs: Ms;
  /** D-4: CPU of the tree before the question is measured over this. */
  readonly cpuBaselineMs: Ms;
  /** Pace of CPU samples of supervised trees: at least two in the baseline, each a pass over all processes. */
  readonly cpuSampleEveryMs: Ms;
  /** D-4: clearly above its own rate: at least this many times … */
  readonly cpuFactor: number;
  /** … and at least this many CPU ms per s above it. */
  readonly cpuAbove: number;
  /** Law 6: a key pressed within this means a person is there. */
  readonly personWithinMs: Ms;
  /** Lines of a pane kept in a record. */
  readonly tailLines: number;
  /** A git command in a rescue. */
  readonly gitMs: Ms;
  /** The net under the file system's notices of deaths.log; the scan is the closer one. */
  readonly deathsPollMs: Ms;
  /** deaths.log is emptied at a start when it is larger. */
  readonly mostDeathBytes: number;
  /** Size a detached session gets. */
  readonly columns: number;
  readonly rows: number;
  /** D-10: pace at which signalled processes are looked at until they are gone; a look is one small read each. */
  readonly goneEveryMs: Ms;
  /** D-8: bytes of unread input taken out of a terminal before a signal; it and tmux hold far less of what we type. */
  readonly mostDrainBytes: number;
  /** D-8: reads of it; in line mode a read gives one line. */
  readonly mostDrainReads: number;
  /** D-8: so many empty reads in a row are the end of it; the rest of a long text comes in only when there is room. */
  readonly drainQuietReads: number;
  /** D-8: pause after an empty read; the kernel brings the rest in far sooner. */
  readonly drainPauseMs: Ms;
  /** Law 4: changed files a rescue takes; more are most likely a build or a download that should be ignored. */
  readonly mostRescueFiles: number;
  /** Law 4: bytes of changed files a rescue takes; a rescue may not fill the disk that the town's records live on. */
  readonly mostRescueBytes: number;
  /** Bytes of the patch kept beside the rescue ref for reading; the ref holds everything whatever its size. */
  readonly mostPatchBytes: number;
  /** Repositories in one rescue: the worktree, its submodules and repositories nested in it. */
  readonly mostRescueRepos: number;
  /** Commits and stashes listed in a rescue's notes; the rest is counted. */
  readonly mostListedCommits: number;
  /** Law 4: dead sessions of one name that stand aside because their panes could not be saved; the oldest makes way. */
  readonly mostKeptAside: number;
}

export const HANDS: HandsPolicy = {
  tmuxAnswerMs: 5 * SECOND,
  enterAfterMs: 250,
  pasteShownMs: 3 * SECOND,
  mostEnters: 3,
  enterEveryChars: 500,
  nudgeEveryMs: 5 * MINUTE,
  mostNudgeChars: 4_096,
  nudgesKept: 8,
  searchRows: 2_000,
  mostRemembered: 1_000,
  evidenceAfterMs: 3 * SECOND,
  cpuBaselineMs: 30 * SECOND,
  cpuSampleEveryMs: 15 * SECOND,
  cpuFactor: 2,
  cpuAbove: 200,
  personWithinMs: 10 * MINUTE,
  tailLines: 20,
  gitMs: 30 * SECOND,
  deathsPollMs: 10 * SECOND,
  mostDeathBytes: 1_048_576,
  columns: 200,
  rows: 50,
  goneEveryMs: 50,
  mostDrainBytes: 1_048_576,
  mostDrainReads: 10_000,
  drainQuietReads: 3,
  drainPauseMs: 10,
  mostRescueFiles: 50_000,
  mostRescueBytes: 1_073_741_824,
  mostPatchBytes: 16_777_216,
  mostRescueRepos: 32,
  mostListedCommits: 1_000,
  mostKeptAside: 3,
};

export interface StatePolicy {
  /** A save that lasts longer means degraded: no kill, blind time. */
  readonly slowSaveMs: Ms;
  /** Pause between two tries to write when the disk refuses. */
  readonly retrySaveMs: Ms;
  /** Bytes of one record file; a larger one is quarantined unread. */
  readonly mostRecordBytes: number;
  /** Bytes of a record that the town wrote itself: a dance may carry thousands of attached warrants. */
  readonly mostOwnBytes: number;
  /** Characters of a warrant's reason or requester; a longer one is refused, as it would grow every record it is part of. */
  readonly mostWords: number;
  /** A temporary file of ours that is older was left by a crash. */
  readonly staleTmpMs: Ms;
  /** Files of one inbox folder taken in at once. */
  readonly mostFiles: number;
  /** The journal: days and bytes kept. */
  readonly journalDays: number;
  readonly journalBytes: number;
  /** V-3: a report reaches back so far. */
  readonly reportMs: Ms;
  /** P-16: completed dances are kept for this long. */
  readonly completedMs: Ms;
  /** How often closed dances are looked through for old ones. */
  readonly compactEveryMs: Ms;
  /** Law 8: an open alert is told again after this. */
  readonly realertMs: Ms;
  /** How often open alerts are looked through for one to tell again. */
  readonly remindEveryMs: Ms;
  /** `up` wants so many bytes of the disk: a start writes some 50,000, and with less room nobody can even say why it failed. */
  readonly startBytes: number;
}

export const STATE: StatePolicy = {
  slowSaveMs: 5 * SECOND,
  retrySaveMs: 1 * SECOND,
  mostRecordBytes: 1_048_576,
  mostOwnBytes: 67_108_864,
  mostWords: 4_096,
  staleTmpMs: 1 * HOUR,
  mostFiles: 10_000,
  journalDays: 14,
  journalBytes: 200_000_000,
  reportMs: 8 * HOUR, // a night
  completedMs: 7 * 24 * HOUR,
  compactEveryMs: 1 * HOUR,
  realertMs: 4 * HOUR,
  remindEveryMs: 1 * MINUTE,
  startBytes: 262_144,
};

export interface ProcessPolicy {
  /** The step loop shows life at least this often. */
  readonly progressEveryMs: Ms;
  /** Guard: no progress for this long, and not saving, is a hang. Never below 60 s: a slow disk is no hang. */
  readonly hangMs: Ms;
  /** Guard: a town that has not spoken yet may be opening its records on a slow disk; a silent start is a hang after this. */
  readonly startMs: Ms;
  /** Guard: so many of its own wake-ups on time in a row without progress (a suspend makes stamps look stale). */
  readonly hangWakeups: number;
  /** Guard: a town that is stopped or waits for a disk is left alone; a person is told once after this. */
  readonly heldMs: Ms;
  /** Guard: first wait before the town is started again, doubled up to the most; for ever. */
  readonly restartMs: Ms;
  readonly mostRestartMs: Ms;
  /** `down` ends within this. */
  readonly downMs: Ms;
  /** `up` waits this long for readiness before it says what is missing. */
  readonly readyMs: Ms;
  /** Limit of an order that has no limit of its own. */
  readonly orderMs: Ms;
  /** Limit of a rescue: every object of a large worktree is made durable. */
  readonly rescueMs: Ms;
  /** Guard: a town that lived this long was well; the next restart waits `restartMs` again. */
  readonly stableMs: Ms;
  /** Guard: more exits in a row than this without a stable spell is an alarm; it goes on trying. */
  readonly mostFalls: number;
  /** Guard and town look at each other this often: the net under the closed connection, and the pace of adopted towns. */
  readonly watchEveryMs: Ms;
  /** The town looks this often whether a newer one has its root. It asks anyway before each record and each signal. */
  readonly successionEveryMs: Ms;
  /** A start waits this long for a tmux socket that nobody it knows holds: an earlier town of its root sees its successor within `successionEveryMs`. */
  readonly socketHeldMs: Ms;
  /** A town sees this often whether its hold on the tmux socket stands: whoever sweeps /tmp takes the lock's file too. */
  readonly holdEveryMs: Ms;
  /** `up` and `down` look this often whether the town is there, or gone. */
  readonly pollEveryMs: Ms;
  /** SIGTERM to the end of a save in progress; then the process ends anyway, as after a kill -9. Below `downMs`. */
  readonly lastSaveMs: Ms;
  /** Control socket: a caller waits this long for an answer that needs no hands. */
  readonly callMs: Ms;
  /** Control socket: a connection without a whole message, an open request or a watch is closed after this. */
  readonly silentMs: Ms;
  /** Control socket: 200 callers at once are served, a loop that connects for ever is not. */
  readonly mostClients: number;
  /** Control socket: a message's header is two short lines. */
  readonly mostHeaderBytes: number;
  /** Control socket: the largest request is a command line; Linux takes 128 kB an argument. */
  readonly mostMessageBytes: number;
  /** Control socket: open requests of one connection. */
  readonly mostOpenRequests: number;
  /** Control socket: answers a caller left unread, in bytes, before it is cut off. */
  readonly mostUnreadBytes: number;
  /** Control socket: pokes within this time are one poke. */
  readonly pokeEveryMs: Ms;
  /** Path of a unix socket: Linux takes 107 bytes, macOS 103. */
  readonly mostSocketPathBytes: number;
  /** `[notify] command` is ended after this. */
  readonly notifyMs: Ms;
  /** P-16: daemon.log is rotated at this size, and so many are kept. */
  readonly logBytes: number;
  readonly logFiles: number;
  /** P-17: intervals without a step or a scan that make it late. */
  readonly lateAfter: number;
}

export const PROCESS: ProcessPolicy = {
  progressEveryMs: 5 * SECOND,
  hangMs: 60 * SECOND,
  startMs: 5 * MINUTE,
  hangWakeups: 3,
  heldMs: 5 * MINUTE,
  restartMs: 1 * SECOND,
  mostRestartMs: 1 * MINUTE,
  downMs: 5 * SECOND,
  readyMs: 10 * SECOND,
  orderMs: 60 * SECOND,
  rescueMs: 5 * MINUTE,
  stableMs: 1 * MINUTE,
  mostFalls: 5,
  watchEveryMs: 1 * SECOND,
  successionEveryMs: 5 * SECOND,
  socketHeldMs: 7 * SECOND,
  holdEveryMs: 1 * MINUTE,
  pollEveryMs: 20,
  lastSaveMs: 3 * SECOND,
  callMs: 5 * SECOND,
  silentMs: 10 * SECOND,
  mostClients: 256,
  mostHeaderBytes: 256,
  mostMessageBytes: 1_048_576,
  mostOpenRequests: 32,
  mostUnreadBytes: 4_194_304,
  pokeEveryMs: 20,
  mostSocketPathBytes: 100,
  notifyMs: 10 * SECOND,
  logBytes: 10_000_000,
  logFiles: 5,
  lateAfter: 2,
};
