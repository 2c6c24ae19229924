/** The numbers of a town's hands and processes, with unit and reason. Input of every action that uses them. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** What the hands act by. */
export const HANDS = {
  /** Law 1: tmux silent for so long is unknown. */
  tmuxAnswerMs: 5 * SECOND,
  /** Enter goes this long after the text: 100 ms failed in two agents. */
  enterAfterMs: 250,
  /** D-6: a program that takes a paste as input shows it within this; Enter waits for that, and without it is not sent. */
  pasteShownMs: 3 * SECOND,
  /** a dialog that still stands so long after the key for it was pressed is told as unproved. */
  answerProvedMs: 10 * SECOND,
  /** Enters for one text until the composer is empty: a program that gave it back three times does so for ever. */
  maxEnters: 3,
  /** A program that shows nothing of an Enter for so long gets the next one, or is waited for twice as long: a starved one takes seconds. */
  enterShownMs: 1 * SECOND,
  /** Long text needs longer to be taken in: one more `enterAfterMs` for every so many characters. */
  enterEveryChars: 500,
  /** Law 5: one nudge of a life in this time, for all askers. */
  nudgeEveryMs: 5 * MINUTE,
  /** Characters of a nudge: every one of them is typed. */
  maxNudgeChars: 4_096,
  /** Nudges of a life that are remembered as our own words: more than fit into the longest hearing at that pace, or on a screen. */
  nudgesKept: 24,
  /**
   * Law 1: a screen that shows work and stands still for so long shows none. Clocks and spinners move within seconds. A-2: a program that
   * read its terminal has handled a key that was pressed so long ago.
   */
  stillWorkMs: 1 * MINUTE,
  /** Rows of history read when the place of a question has to be found again. */
  searchRows: 2_000,
  /** Questions and lives that the hands remember something of; the oldest are forgotten, which costs a look, no verdict. */
  maxRemembered: 1_000,
  /** D-4: signs of life count only from this long after our last key. */
  evidenceAfterMs: 3 * SECOND,
  /** D-4: CPU of the tree before the question is measured over this. */
  cpuBaselineMs: 30 * SECOND,
  /** Pace of CPU samples of supervised trees: at least two in the baseline, each a pass over all processes. */
  cpuSampleEveryMs: 15 * SECOND,
  /** D-4: clearly above its own rate: at least this many times … */
  cpuFactor: 2,
  /** … and at least this many CPU ms per s above it. */
  cpuAbove: 200,
  /** Law 7: which panes changed is asked this often, to see who waits for a person … */
  askingLookMs: 5 * SECOND,
  /** … a pane that goes on changing is read this often: dialogs may be animated … */
  askingReadMs: 25 * SECOND,
  /** … at most so often and so long while a person asks for the status, where a dialog is to stand within two seconds … */
  askingGlanceMs: 1 * SECOND,
  /** … and a dialog that has stood for this long is alerted. Look, read and this together are less than a minute. */
  asksAfterMs: 20 * SECOND,
  /** M-9: a login is dead once its agent has shown that for so long; soon, since starts are held from then on. */
  loggedOutAfterMs: 5 * SECOND,
  /** M-9: a turn that was busy for so long, without a pause and by one login, shows that its login works: with a dead one Claude Code tries again for about three minutes. */
  worksLongAfterMs: 5 * MINUTE,
  /** M-9: a life that may be restarted for a new login is looked at this often until it is at rest: each look reads its screen. */
  restLookMs: 10 * SECOND,
  /** M-9: what such a look found counts for so long: until the next scan takes it up. */
  restFreshMs: 5 * SECOND,
  /** Law 6: a key pressed within this means a person is there. */
  personWithinMs: 10 * MINUTE,
  /** A start waits while the machine has fewer bytes of memory left than this: by default none does, since how many an agent takes is not known. */
  minFreeMemoryBytes: 0,
  /** Lines of a pane kept in a record. */
  tailLines: 20,
  /** A git command in a rescue. */
  gitMs: 30 * SECOND,
  /** The net under the file system's notices of deaths.log; the scan is the closer one. */
  deathsPollMs: 10 * SECOND,
  /** deaths.log is emptied at a start when it is larger, even with a line that has no end. */
  maxDeathBytes: 1_048_576,
  /** Size a detached session gets. */
  columns: 200,
  rows: 50,
  /** D-10: pace at which signalled processes are looked at until they are gone; a look is one small read each. */
  goneEveryMs: 50,
  /** D-8: bytes of unread input taken out of a terminal before a signal; it and tmux hold far less of what we type. */
  maxDrainBytes: 1_048_576,
  /** D-8: reads of it; in line mode a read gives one line. */
  maxDrainReads: 10_000,
  /** D-8: so many empty reads in a row are the end of it; the rest of a long text comes in only when there is room. */
  drainQuietReads: 3,
  /** D-8: pause after an empty read; the kernel brings the rest in far sooner. */
  drainPauseMs: 10,
  /** Law 4: changed files a rescue takes; more are most likely a build or a download that should be ignored. */
  maxRescueFiles: 50_000,
  /** Law 4: bytes of changed files a rescue takes; a rescue may not fill the disk that the town's records live on. */
  maxRescueBytes: 1_073_741_824,
  /** Bytes of the patch kept beside the rescue ref for reading; the ref holds everything, of any size. */
  maxPatchBytes: 16_777_216,
  /** Repositories in one rescue: the worktree, its submodules and repositories nested in it. */
  maxRescueRepos: 32,
  /** Commits and stashes listed in a rescue's notes; the rest is counted. */
  maxListedCommits: 1_000,
  /** Law 4: dead sessions of one name that stand aside because their panes could not be saved; the oldest makes way. */
  maxKeptAside: 3,
};
export type HandsPolicy = Readonly<typeof HANDS>;

/** Linux: `oom_score_adj`, in thousandths of the memory that there is. */
export const OUT_OF_MEMORY = {
  /**
   * Of agents and of all that they start: each counts as if it had taken half of the memory more than it did. A town and its tmux server take a
   * few hundredths; among agents the largest process still goes first.
   */
  agentScore: 500,
} as const;

/** What the processes of a town, and its sockets, live by. */
export const PROCESS = {
  /** The step loop shows life at least this often. */
  progressEveryMs: 5 * SECOND,
  /** Guard: no progress for this long, and not saving, is a hang. Never below 60 s: a slow disk is no hang. */
  hangMs: 60 * SECOND,
  /** Guard: a town that has not spoken yet may be opening its records on a slow disk; a silent start is a hang after this. */
  startMs: 5 * MINUTE,
  /** Guard: so many of its own wake-ups on time in a row without progress (a suspend makes stamps look stale). */
  hangWakeups: 3,
  /** Guard: a town that is stopped or waits for a disk is left alone; a person is told once after this. */
  heldMs: 5 * MINUTE,
  /** Guard: first wait before the town is started again, doubled up to the most; for ever. */
  restartMs: 1 * SECOND,
  maxRestartMs: 1 * MINUTE,
  /** `down` ends within this. */
  downMs: 5 * SECOND,
  /** `up` waits this long for a town that fell or does not show before it says what is missing; while its first town lives, as long as the guard. */
  readyMs: 10 * SECOND,
  /** Limit of an order that has no limit of its own. */
  orderMs: 60 * SECOND,
  /** Limit of a rescue: every object of a large worktree is made durable. */
  rescueMs: 5 * MINUTE,
  /** Limit of one cycle of a patrol, and of a backup: a git and a town that hang have limits of their own below it. */
  patrolMs: 5 * MINUTE,
  /** The thread of the patrols ends when it was not needed for so long: it is 25 MB, and starts within a third of a second. */
  patrolRestMs: 30 * SECOND,
  /** Guard: a town that lived this long was well; the next restart waits `restartMs` again. */
  stableMs: 1 * MINUTE,
  /** Guard: more exits in a row than this without a stable spell is an alarm; it goes on trying. */
  maxFalls: 5,
  /** Guard and town look at each other this often: the net under the closed connection, and the pace of adopted towns. */
  watchEveryMs: 1 * SECOND,
  /** The town looks this often whether a newer one has its root. It asks anyway before each record and each signal. */
  successionEveryMs: 5 * SECOND,
  /**
   * A start waits this long for a tmux socket with an unknown holder: an earlier town of its root sees its successor
   * within `successionEveryMs`.
   */
  socketHeldMs: 7 * SECOND,
  /** How often a town checks that its hold on the tmux socket stands: a sweep of /tmp takes the lock's file too. */
  holdEveryMs: 1 * MINUTE,
  /** A town looks this often whether Gas Town came to its root, and whether programs that it uses were replaced: a few stats. */
  neighboursEveryMs: 5 * SECOND,
  /** A town looks this often at the programs of its agents: a record and some stats each, and the PATH that tmux has. */
  agentProgramsEveryMs: 1 * MINUTE,
  /** `up` and `down` look this often whether the town is there, or gone. */
  pollEveryMs: 20,
  /** SIGTERM to the end of a save in progress; then the process ends anyway, as after a kill -9. Below `downMs`. */
  lastSaveMs: 3 * SECOND,
  /** Control socket: a caller waits this long for an answer that needs no hands. */
  callMs: 5 * SECOND,
  /** Control socket, and the guard's: a connection without a whole message or an open request is closed after this. */
  silentMs: 10 * SECOND,
  /** Control socket: 200 callers at once are served; of more, who asks nothing makes way. So also at the guard's. */
  maxClients: 256,
  /** Control socket: a message's header is two short lines. */
  maxHeaderBytes: 256,
  /** Control socket: the largest request is a command line; Linux takes 128 kB an argument. */
  maxMessageBytes: 1_048_576,
  /** Control socket: open requests of one connection. */
  maxOpenRequests: 32,
  /** Control socket: answers a caller left unread, in bytes, before it is cut off. */
  maxUnreadBytes: 4_194_304,
  /** Control socket: wake-ups within this time are one. */
  wakeEveryMs: 20,
  /** Control socket: what callers do wrong, a line in the log in this time for each kind. */
  complainEveryMs: 1 * MINUTE,
  /** Path of a unix socket: Linux takes 107 bytes, macOS 103. */
  maxSocketPathBytes: 100,
  /** `[notify] command` is ended after this. */
  notifyMs: 10 * SECOND,
  /** P-16: daemon.log is rotated at this size, and so many are kept. */
  logBytes: 10_000_000,
  logFiles: 5,
  /** P-17: intervals without a step or a scan that make it late. */
  lateAfter: 2,
};
export type ProcessPolicy = Readonly<typeof PROCESS>;
