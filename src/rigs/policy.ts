/** The numbers of commands on rigs, with unit and reason. */
export const RIG_WORK = {
  /** A command waits so long for another one on the same rig: a checkout, a push. */
  lockMs: 60_000,
  lockEveryMs: 50,
  /** Tries to write whose a repository is: another town may write there in this instant. */
  claims: 20,
  /** Names of files and commits that one line of a text shows; `--json` has all that the look listed. */
  shown: 20,
  /** Characters of a bead's description that a polecat gets: Linux takes 128 KiB as one argument of a program. */
  promptChars: 24_000,
  /** Characters of an attempt's failure that it gets: a failed test's last lines, not its whole output. */
  whyChars: 4_000,
  /** Signs of a commit's name that a person reads; git finds it by them. */
  shortCommit: 12,
  /** What a main branch is called where neither the remote nor a person says so. */
  usualMains: ['main', 'master'],
  /** Fetched beside the main branch: what the polecats pushed. */
  fetched: ['polecat/*'],
  /** What a polecat left is looked up again after this (ms): the remote is asked for it, and a case may wait for days. */
  leftForMs: 60_000,
  /** Commits of one branch that are compared with those of main; of a longer one only the whole is. */
  maxCompared: 1_000,
  /** Commits of main that a branch is merged into, to see whether it adds anything: of those that touched its files the newest. */
  maxCandidates: 50,
  /** Forced pushes of main that are remembered, the newest: work that an older one took out no longer matters. */
  maxForced: 20,
  /** An idle rig's main is fetched so often (ms), to see whether merged work is still there, and a rig's remote is asked for refs with a misleading name: a connection, and no agent waits for it. */
  mainEveryMs: 10 * 60_000,
  /** What main lost is looked up again after this (ms): a ledger of a night has thousands of closed beads, and a person is no faster. */
  lostForMs: 60_000,
  /** Merged work that is looked for in main after a forced push, the newest: each costs a few programs of git. */
  maxLost: 200,
  /** … of which an alert names so many. */
  shownLost: 5,
  /** Refs with a misleading name that have an alert each; one more is about the rest, and names as many. */
  shownShadows: 3,
  /** Answers about work and a commit of main that are kept; each is a line of text. */
  maxKnown: 10_000,
  /**
   * New files that a decision publishes at once: more are a build or a download, and a person would not read their
   * names.
   */
  maxPublished: 200,
  /** Bytes of one new file that it publishes: hosts refuse larger ones, and history keeps them for ever. */
  maxPublishedBytes: 10_000_000,
  /** Bytes of changes of tracked files that are looked through for keys: a change of more is no work of a person or an agent. */
  maxPatchBytes: 50_000_000,
  /** Bytes of a file that may be a pointer of Git LFS: its format allows no more. */
  maxPointerBytes: 1_024,
  /** Branches that are fetched to see what the remote has of a piece of work: a repository that follows more has most of them. */
  maxFetched: 200,
  /** Files that a case names, with their sizes; `town polecat git-state` names all. */
  listed: 50,
} as const;
