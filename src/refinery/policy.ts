/** The numbers of the refinery, with unit and reason. */
import type { RunLimits } from '../proc/marked-run.ts';

export const REFINERY = {
  ...({ killGraceMs: 5_000, maxOutputBytes: 65_536 } satisfies RunLimits),
  /** Between looks into the mailbox: it lists one folder. */
  pollMs: 2_000,
  /** A request that waits for a remote or a person is tried again after this, doubled each time … */
  restMs: 4_000,
  /** … up to this, or as long as its last try took: a test may run in each. */
  maxRestMs: 600_000,
  /** … or this, where it waits for a remote: a question that fails is cheap, and work goes on soon once the remote answers. */
  maxRemoteRestMs: 60_000,
  /** A red main is believed this many times as long as its test took: the test of the next merge takes as long, and some more. */
  redMainTests: 2,
  /** Merges of one request in a row while main moves; then the next request comes first. */
  maxMoves: 3,
  /** Characters of a test's output that go to the polecat: with the first line below the bound of a letter's reason. */
  outputChars: 1_400,
  /** Characters of a telling line. */
  lineChars: 300,
  /** Letters to a person about causes of one kind until none of that kind keeps a request waiting. */
  maxLetters: 3,
  /** Characters of a letter to a person. */
  letterChars: 2_000,
  /** Characters of the subject of a commit that it writes. */
  subjectChars: 100,
  /** A fetch or push that still moves is given up after this (ms): nothing else waits for it, and 2 GB take a quarter of an hour at 20 Mbit/s. */
  transferMs: 3_600_000,
  /** Another git may hold the lock of its worktree for so long (ms); then it is left by one that was killed. */
  lockMs: 60_000,
} as const;
