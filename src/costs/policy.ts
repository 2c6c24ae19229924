/** The numbers of what conversations cost (M-12), with unit and reason. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const MIB = 2 ** 20;

export const COSTS = {
  /** Files of programs are looked at so often: nothing is told of a loop before minutes have passed, … */
  restMs: 60 * SECOND,
  /** … and so often while a person looks at their sums, as long after their last look as `restMs`. */
  everyMs: 10 * SECOND,
  /** … and so often while one look is not enough for what there is to read, … */
  soonMs: 2 * SECOND,
  /** … or later, up to `everyMs`: looks take no more than this part of the time, so that agents keep their core. */
  maxShare: 0.05,
  /** One read, and the longest line that counts: a message that a model wrote has some 100 kB. */
  sliceBytes: 1 * MIB,
  /** One look reads no more than this of conversations that are known, and as much of those that are not, … */
  lookBytes: 64 * MIB,
  /** … and no longer, but for the slice that it reads then: the town has other things to do between two looks. */
  lookMs: 100,
  /** A file system or a server that takes longer holds up no other conversation. */
  answerMs: 2 * SECOND,
  /** Messages of one file whose lines may still come: a program writes those of one message one after the other. */
  maxMessages: 64,
  /** Conversations that are remembered, those of ended lives included; the oldest are forgotten. */
  maxConversations: 1_000,
  /** Files of agents of one agent that are read; one that began more has sums that are not known. */
  maxParts: 500,
  /** New ones are looked for in so many looks after a transcript grew: an agent begins one right after it wrote the call. */
  partLooks: 2,
  /** Messages of opencode that are asked for: an agent that writes more of them between two looks did something new. */
  lastMessages: 20,
  /** Sums are kept for stretches so long, for `town costs --since` … */
  stretchMs: 15 * MINUTE,
  /** … of the last two days; a longer `--since` reaches to the beginning of a conversation or is not known. */
  maxStretches: 192,
  /** A loop of so many calls, or of so many sentences, is nothing new: a test, its output, the file, and the test again. */
  loopLength: 4,
  /** Signs of a repeated call that a person is shown. */
  callChars: 80,
  /** git is asked so often about the worktree of an agent that repeats a call. */
  gitEveryMs: 1 * MINUTE,
  /** A working tree with a longer list of changes is not compared: what it does is unknown. */
  maxStatusBytes: 1 * MIB,
  /** git's own time for that. */
  gitMs: 10 * SECOND,
} as const;
