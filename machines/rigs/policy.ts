/** The numbers of rigs, with unit and reason. Input of every decision that uses them. */
export const RIGS = {
  /** Polecats of one rig at once, where its table does not say otherwise: each has an agent that costs. */
  maxPolecats: 5,
  /** How a branch comes into main: its commits stay as they are. */
  merge: 'merge',
  /** A test of a merge is ended after this (ms): longer than most suites take, shorter than a night. */
  testLimitMs: 1_800_000,
  /** The town made the branch, and main has its commits: hosts do the same. */
  deletesBranch: true,
  /** Attempts at one piece of work that are on record: more than any has before a person looks at it. */
  maxKept: 100,
} as const;
