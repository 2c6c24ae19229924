/**
 * The numbers of the patrols' hands, with unit and reason. The numbers of decisions stand in
 * machines/patrols/policy.ts.
 */
import type { Ms } from '../../machines/protocol.ts';

export const PATROL_HANDS = {
  /** Worktrees that a cycle looks at at once: each is a git that reads a disk. */
  treesAtOnce: 8,
  /** Cycles of a town at once: more of them wait for the same disk. */
  cyclesAtOnce: 4,
  /** A page of beads is at most a few megabytes; short-lived objects are collected at one. */
  threadHeap: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 1 },
  /** Rounds that begin within this share one look at all sessions. */
  freshLookMs: 1_000 satisfies Ms,
  /** Between two looks for old wisps: as long as one is kept there is no hurry. */
  compactEveryMs: (60 * 60_000) satisfies Ms,
  /** Wisps in a digest: a line for each. */
  maxCompacted: 200,
  /** Evidence is kept for so long: a month is what a person looks back on, and no decision looks further back than a day. */
  evidenceMs: (30 * 24 * 60 * 60_000) satisfies Ms,
  /** Records of evidence that one look forgets: a second of the ledger. The next cycle goes on. */
  maxForgotten: 10_000,
  /** What came to nothing longer ago says nothing of what can be done now. */
  attemptsMs: (24 * 60 * 60_000) satisfies Ms,
  /** Letters that a cycle reads of a mailbox, the oldest: a flood is read in several. */
  maxLetters: 2_000,
  /** Letters over their senders' budgets that a cycle looks at again. */
  maxLate: 500,
  /** A push that the remote refused (a protected branch) is tried again after minutes, as it may be a passing fault, then after twice as long up to an hour: a person has to change something. */
  pushAgain: { firstMs: (5 * 60_000) satisfies Ms, mostMs: (60 * 60_000) satisfies Ms },
  /** Beyond its limit: a done_check begins a process, looks at git, and ends what the command left. */
  checkSlackMs: 60_000 satisfies Ms,
  /** Links of work that can never become ready, which the alert names, and ignored files that went with a worktree; all are counted. */
  maxNamed: 5,
  /** Such links whose marks the patrol's record keeps until the next round; of more than these, none is taken for new. */
  maxNeverReady: 500,
} as const;
