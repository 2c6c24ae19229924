/** The numbers of what agent programs serve of themselves, with unit and reason. */

const SECOND = 1_000;

export const SOURCES = {
  /** A session file is under 1 kB; a larger one is not what was known, and is not read. */
  maxFileBytes: 65_536,
  /** The end of a transcript that is read for the call that waits: most calls fit, and a transcript may have gigabytes. */
  transcriptBytes: 262_144,
  /** M-11: a conversation whose transcript is larger is begun anew: one of over 50 MB was reported to keep its program busy with reading. */
  maxTranscriptBytes: 50 * 1_048_576,
  /** Times that a transcript is read for one dialog: a program writes the call at most moments after it shows the dialog. */
  transcriptReads: 3,
  /** M-3: a transcript that did not grow for so long is read for the call that its agent waits for: many steps take less, and no threshold of a stall is shorter. */
  stillMs: 5 * SECOND,
  /** M-3: how long tools of Claude Code may run: a shell without a limit of its own, any other, an agent of its agent; and until that shows. */
  tools: { shellMs: 120 * SECOND, otherMs: 600 * SECOND, subagentMs: 3_600 * SECOND, graceMs: 30 * SECOND },
  /** A question that is held open comes before its program's files tell of it: by so much at most, on a busy machine. */
  heldBeforeShownMs: 15 * SECOND,
  /** Questions of one life that are held open at once: calls of one message, and of agents of its agent. */
  maxHeldPerLife: 8,
  /** The largest question that is held: a longer one is answered at its pane. */
  maxHeldBytes: 262_144,
  /** What a start is given of an agent's mail: Claude Code puts more than 10,000 signs of a hook into a file. */
  maxGreeting: { letters: 20, chars: 8_000 },
  /** M-2: why a turn halted is said again for so long while no town answers: one that was killed, or restarts, was back after 2.5 s. An agent that was denied a step waits meanwhile. */
  haltTriesMs: 4 * SECOND,
  /** Connections with questions: each agent of a large town may ask several. */
  maxHeldConnections: 512,
  /** A connection that has not sent its whole question after a pause of so long is closed. */
  silentMs: 10 * SECOND,
  /** Connections that found no place are a line in the log in this time. */
  complainEveryMs: 60 * SECOND,
  /** Whether the lives that hold questions still live is looked at this often. */
  heldLivesMs: 10 * SECOND,
  /** Signs of the program's own words that are shown: a line of a terminal. */
  maxDetailChars: 200,
  /** Lines of a command or a change that a person is shown of a question. */
  maxShown: 20,
  /** Signs of a question in which secrets are looked for: more than are shown, so that none is cut before it is known. */
  maxAskedChars: 4_000,
  /** A folder or socket that does not answer within this gives no verdict: a home over a network may hang. */
  answerMs: 2 * SECOND,
  /** The same of an opencode where a command asks for a question, and only once: one beside others on two busy cores needed up to 10 s. */
  onceMs: 10 * SECOND,
  /** A server that may answer late is waited for this much less than its place may take, so that it is not taken for one that hangs. */
  spareMs: 0.5 * SECOND,
  /** What such a server says later than this counts no more. */
  lateMs: 15 * SECOND,
  /** What came late counts for so long: until behind the next look, which comes within 5 s. */
  newMs: 7 * SECOND,
  /** Times that one server is asked at once: each look asks anew, and one that says nothing is asked no more often. */
  maxUnderWay: 3,
  /** How long an opencode may take to say that it has the conversation it was started with: on two busy cores one took 5 s. What it is asked in its first second it may never answer, so that it is asked anew behind this. */
  claimMs: 6 * SECOND,
  /** A look waits for that answer no longer than this behind the others, which were asked at the same time. */
  claimWaitMs: 0.3 * SECOND,
  /** Places that may hang at once before no other is asked: Node asks disks by four threads, and the town needs the rest. */
  maxHung: 2,
  /** Agents of one home ask its server together: its answer is as new as a scan needs it. */
  sharedMs: 0.5 * SECOND,
  /** Messages of a conversation among which work that was given is looked for: more than one turn has. */
  maxGivenSeen: 50,
  /** How often, and at which pace, a program is asked whether the turn for work began that it took. */
  begunLooks: 6,
  begunEveryMs: 0.5 * SECOND,
  /** What a thread of Codex asks comes within this after it was joined. */
  joinedMs: 0.5 * SECOND,
  /** A connection that nothing is asked on for so long is closed: its agents have ended. */
  idleLineMs: 60 * SECOND,
  /** Threads that a server may have loaded; with more of them it is not asked for each. */
  maxThreads: 2_000,
  /** Conversations that one terminal has at work or asking at once, the parts of its work included. */
  maxActive: 50,
  /** Agents below agents, each begun for a part of the work of the one above: deeper than any program goes. */
  maxParts: 8,
  /** A thread is told in a few kB, with its turns left out; a larger answer is not what was known. */
  maxAnswerBytes: 4 * 1_048_576,
  /** Units of a process's start time in /proc, on each Linux that Node runs on. */
  ticksPerSecond: 100,
  /** A file that changed this long before it was read shows each later change by its time. */
  settledMs: 1 * SECOND,
  /** A life in which no program was found is searched again after this, and then after twice as long each time … */
  firstSearchMs: 1 * SECOND,
  /** … up to this: a search may read the whole process table. */
  searchEveryMs: 30 * SECOND,
  /** Lives whose process is remembered; more than a town has. */
  maxLives: 10_000,
} as const;
