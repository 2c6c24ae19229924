/** The numbers of git outside a rescue, with unit and reason. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const GIT = {
  /** Programs of git at once, for all callers: more only wait for the same disk. */
  maxAtOnce: 8,
  /** One look at a worktree, all its calls together: what is not known by then is unknown. */
  lookMs: 20 * SECOND,
  /** One call that moves files: a checkout, a removal. */
  workMs: 5 * MINUTE,
  /** One call that moves objects over the network is given up once it moved fewer than `movedBytes` in so long … */
  netMs: 1 * MINUTE,
  /** … by what each program on their way reads and writes: a transport that hangs moves less than this as it starts … */
  movedBytes: 1_048_576,
  /** … or once it took so long: a patrol that waits for it holds its rig, and ends after five minutes. */
  transferMs: 4 * MINUTE,
  /** The question which branches a remote has: an answer of some lines. */
  askMs: 15 * SECOND,
  /** A remote that was silent is left alone for so many times as long, up to ten minutes: who asks holds a rig's lock. */
  silentTimes: 10,
  /** A remote that refused the login is asked again after so long, then after twice as long: hosts lock after some five tries in ten minutes … */
  refusedMs: 5 * MINUTE,
  /** … up to this: the town sees by itself that a login was mended, within the hour. */
  refusedMostMs: 60 * MINUTE,
  /** What is given up on has so long to take back its locks. */
  graceMs: 1 * SECOND,
  /** … and so long if it may write: killed over a lock it leaves that, and on a busy machine it may get no turn in a second. */
  writeGraceMs: 10 * SECOND,
  /** A lock that is the same file for so long, and whose maker is proved gone, was left: git holds one for parts of a second. */
  lockLeftMs: 1 * MINUTE,
  /** Bytes of one answer; a worktree with more to say is unknown. */
  maxAnswerBytes: 33_554_432,
  /** Bytes of what one call says where nothing else limits it: a patch of more is not held in memory. */
  maxOutputBytes: 100_000_000,
  /** Bytes of a file of a repository that is read without a thread: its HEAD, a link, its settings. */
  maxAtHandBytes: 65_536,
  /** Bytes of an index that is read here for its flags: one of 100,000 files; of a larger one git itself is asked. */
  maxIndexBytes: 16_777_216,
  /** Commits and stashes that one look lists; there may be more. */
  maxListed: 1_000,
  /** Changed files of one worktree that a reader is shown the lines of: of more no person reads the lines. */
  maxShownFiles: 5_000,
  /** Bytes of those files together: git reads each of them. */
  maxShownBytes: 268_435_456,
  /** Bytes of one patch that is shown: a terminal's reader sees the summary of a larger one. */
  maxShownPatchBytes: 10_000_000,
  /** Configurations of repositories that are remembered, each some kilobytes. */
  maxKnownSettings: 64,
};
export type GitPolicy = Readonly<typeof GIT>;
