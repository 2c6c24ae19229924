/** The numbers of the hands and of the processes of a town, with unit and reason. Input of whoever acts by them. */
import type { Ms } from '../../machines/protocol.ts';

/** What the hands act by. */
export interface HandsPolicy {
  /** Law 1: tmux silent for so long is unknown. */
  readonly tmuxAnswerMs: Ms;
  /** Enter goes this long after the text: 100 ms failed in two agents. */
  readonly enterAfterMs: Ms;
  /** D-6: a program that takes a paste as input shows it within this; Enter waits for that, and without it is not sent. */
  readonly pasteShownMs: Ms;
  /** Retries of Enter until the composer is empty. */
  readonly maxEnters: number;
  /** Long text needs longer to be taken in: one more `enterAfterMs` for every so many characters. */
  readonly enterEveryChars: number;
  /** Law 5: one nudge of a life in this time, whoever asks. */
  readonly nudgeEveryMs: Ms;
  /** Characters of a nudge: it is one remark, and every one of them is typed. */
  readonly maxNudgeChars: number;
  /** Nudges of a life that are remembered as our own words: more than fit into the longest hearing at that pace. */
  readonly nudgesKept: number;
  /** Rows of history read when the place of a question has to be found again. */
  readonly searchRows: number;
  /** Questions and lives that the hands remember something of; the oldest are forgotten, which costs a look, no verdict. */
  readonly maxRemembered: number;
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
  readonly maxDeathBytes: number;
  /** Size a detached session gets. */
  readonly columns: number;
  readonly rows: number;
  /** D-10: pace at which signalled processes are looked at until they are gone; a look is one small read each. */
  readonly goneEveryMs: Ms;
  /** D-8: bytes of unread input taken out of a terminal before a signal; it and tmux hold far less of what we type. */
  readonly maxDrainBytes: number;
  /** D-8: reads of it; in line mode a read gives one line. */
  readonly maxDrainReads: number;
  /** D-8: so many empty reads in a row are the end of it; the rest of a long text comes in only when there is room. */
  readonly drainQuietReads: number;
  /** D-8: pause after an empty read; the kernel brings the rest in far sooner. */
  readonly drainPauseMs: Ms;
  /** Law 4: changed files a rescue takes; more are most likely a build or a download that should be ignored. */
  readonly maxRescueFiles: number;
  /** Law 4: bytes of changed files a rescue takes; a rescue may not fill the disk that the town's records live on. */
  readonly maxRescueBytes: number;
  /** Bytes of the patch kept beside the rescue ref for reading; the ref holds everything whatever its size. */
  readonly maxPatchBytes: number;
  /** Repositories in one rescue: the worktree, its submodules and repositories nested in it. */
  readonly maxRescueRepos: number;
  /** Commits and stashes listed in a rescue's notes; the rest is counted. */
  readonly maxListedCommits: number;
  /** Law 4: dead sessions of one name that stand aside because their panes could not be saved; the oldest makes way. */
  readonly maxKeptAside: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const HANDS: HandsPolicy = {
  tmuxAnswerMs: 5 * SECOND,
  enterAfterMs: 250,
  pasteShownMs: 3 * SECOND,
  maxEnters: 3,
  enterEveryChars: 500,
  nudgeEveryMs: 5 * MINUTE,
  maxNudgeChars: 4_096,
  nudgesKept: 8,
  searchRows: 2_000,
  maxRemembered: 1_000,
  evidenceAfterMs: 3 * SECOND,
  cpuBaselineMs: 30 * SECOND,
  cpuSampleEveryMs: 15 * SECOND,
  cpuFactor: 2,
  cpuAbove: 200,
  personWithinMs: 10 * MINUTE,
  tailLines: 20,
  gitMs: 30 * SECOND,
  deathsPollMs: 10 * SECOND,
  maxDeathBytes: 1_048_576,
  columns: 200,
  rows: 50,
  goneEveryMs: 50,
  maxDrainBytes: 1_048_576,
  maxDrainReads: 10_000,
  drainQuietReads: 3,
  drainPauseMs: 10,
  maxRescueFiles: 50_000,
  maxRescueBytes: 1_073_741_824,
  maxPatchBytes: 16_777_216,
  maxRescueRepos: 32,
  maxListedCommits: 1_000,
  maxKeptAside: 3,
};

/** What the processes of a town, and its sockets, live by. */
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
  readonly maxRestartMs: Ms;
  /** `down` ends within this. */
  readonly downMs: Ms;
  /** `up` waits this long for readiness before it says what is missing. */
  readonly readyMs: Ms;
  /** Limit of an order that has no limit of its own. */
  readonly orderMs: Ms;
  /** Limit of a rescue: every object of a large worktree is made durable. */
  readonly rescueMs: Ms;
  /** Limit of one cycle of a patrol, and of a backup: a git and a town that hang have limits of their own below it. */
  readonly patrolMs: Ms;
  /** Guard: a town that lived this long was well; the next restart waits `restartMs` again. */
  readonly stableMs: Ms;
  /** Guard: more exits in a row than this without a stable spell is an alarm; it goes on trying. */
  readonly maxFalls: number;
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
  readonly maxClients: number;
  /** Control socket: a message's header is two short lines. */
  readonly maxHeaderBytes: number;
  /** Control socket: the largest request is a command line; Linux takes 128 kB an argument. */
  readonly maxMessageBytes: number;
  /** Control socket: open requests of one connection. */
  readonly maxOpenRequests: number;
  /** Control socket: answers a caller left unread, in bytes, before it is cut off. */
  readonly maxUnreadBytes: number;
  /** Control socket: pokes within this time are one poke. */
  readonly pokeEveryMs: Ms;
  /** Path of a unix socket: Linux takes 107 bytes, macOS 103. */
  readonly maxSocketPathBytes: number;
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
  maxRestartMs: 1 * MINUTE,
  downMs: 5 * SECOND,
  readyMs: 10 * SECOND,
  orderMs: 60 * SECOND,
  rescueMs: 5 * MINUTE,
  patrolMs: 5 * MINUTE,
  stableMs: 1 * MINUTE,
  maxFalls: 5,
  watchEveryMs: 1 * SECOND,
  successionEveryMs: 5 * SECOND,
  socketHeldMs: 7 * SECOND,
  holdEveryMs: 1 * MINUTE,
  pollEveryMs: 20,
  lastSaveMs: 3 * SECOND,
  callMs: 5 * SECOND,
  silentMs: 10 * SECOND,
  maxClients: 256,
  maxHeaderBytes: 256,
  maxMessageBytes: 1_048_576,
  maxOpenRequests: 32,
  maxUnreadBytes: 4_194_304,
  pokeEveryMs: 20,
  maxSocketPathBytes: 100,
  notifyMs: 10 * SECOND,
  logBytes: 10_000_000,
  logFiles: 5,
  lateAfter: 2,
};
