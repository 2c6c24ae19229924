/** The numbers of channels, each with its unit and reason. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const CHANNELS = {
  /** A server that took no message in this time is tried again later. */
  sendMs: 10 * SECOND,
  /** The same of IRC: servers look up who comes, for up to half a minute, and let newcomers speak a line every two seconds. */
  ircMs: 60 * SECOND,
  /** The same of mail: RFC 5321 (4.5.3.2) lets a server take ten minutes before it says that it has a mail. Cut off before, it may come twice. */
  mailMs: 10 * MINUTE,
  /** A mail server greets within this, also one that lets strangers wait. */
  mailGreetingMs: MINUTE,
  /** The first wait after a failure; it doubles … */
  backoffMs: 2 * SECOND,
  /** … up to this, also where a server asks for more. */
  maxBackoffMs: 5 * MINUTE,
  /** A channel that delivers nothing for so long, while something waits for it, is an alert. */
  silentMs: 5 * MINUTE,
  /** A message as old as this is given up once its channel failed for as long, not counting sleep: by then it is history. */
  expiresMs: 24 * HOUR,
  /** A digest gathers no longer than this: one whose first try fails still has as long for others. */
  maxDigestMs: 12 * HOUR,
  /** More messages than these, waiting for one channel, are sent as one that counts them. */
  apart: 3,
  /** The time of a channel's budget of messages. */
  budgetMs: HOUR,
  /** Of it so many messages are kept for questions, so that news of the same hour silence none: one each six minutes, a third of the usual budget. */
  reserve: 10,
  /** Beyond it what is critical goes out so far apart. */
  urgentMs: 5 * MINUTE,
  /** A question goes out so long after a person was last seen in its pane: the end of one that they answered is known by then. */
  awayMs: 2 * MINUTE,
  /** A look at who is in a pane is shared for so long … */
  observationMs: 2 * SECOND,
  /** … and a look that gives no answer in this time does not know whether a person is there. */
  observationLimitMs: 5 * SECOND,
  /** What a question of the town's offers is waited for so long, a little longer than the town looks for it; then it goes out without. */
  offerLimitMs: 10 * SECOND,
  /** A request to the town (a nudge in its turn, a letter) is waited for so long. */
  requestLimitMs: MINUTE,
  /** In the hours of `all_well` the questions are counted so often, until none is open … */
  listEveryMs: 5 * MINUTE,
  /** … by a command that is given so long. */
  listMs: 30 * SECOND,
  /** Without a town, sends begin for so long; one that is under way then has its own time. A town that comes up waits for it … */
  deliverMs: 20 * SECOND,
  /** … and is looked at so often. */
  deliveredEveryMs: 0.25 * SECOND,
  /** The guard tries again after this, while no town runs. */
  guardEveryMs: MINUTE,
  /** The process of the channels says what came of a page within this: a little longer than it waits for the server. */
  pageMs: 15 * SECOND,
  /** Those that it tells in their own words. */
  named: 5,
  /** Characters of such words, … */
  maxNamed: 200,
  /** … and of a message: Discord takes 2,000, IRC cuts it into lines. */
  maxText: 1_800,
  /** The town reads so many bytes of a server's reply, and shows a person so many characters of them. */
  maxReplyBytes: 65_536,
  maxSaid: 200,
  /** Characters of a row of IRC: 512, and 8,191 of tags. */
  maxIrcRow: 8_703,
  /** The folder is looked at so often, should the system not say that it changed; also for the end of quiet hours. */
  lookEveryMs: 5 * SECOND,
  /** How often the process says that it lives, and what it holds; … */
  beatEveryMs: 5 * SECOND,
  /** … without a word for so long it is ended. */
  hungMs: 30 * SECOND,
  /** It is ended above this; it needs about half. */
  maxMemoryBytes: 200_000_000,
  /** A process that falls sooner than this after its start has failed to start, so that the wait grows. */
  stableMs: 3 * SECOND,
  /** How long what was sent is kept: `town report` counts it. */
  keptMs: 14 * 24 * HOUR,
  /** Bytes of one message in the spool, with its receipts. */
  maxFileBytes: 262_144,
};

export const ANSWERS = {
  /** A question that was offered longer ago is answered at its pane: its reader may think of another one by now. */
  expiresMs: 24 * HOUR,
  /** What agents' programs ask is looked at so often where rules may answer: an agent waits no longer for one than a person's hand takes. */
  ruleEveryMs: 3 * SECOND,
  /** The time of a rule's budget, and how many it answers in it unless town.toml says otherwise: a working day of one kind of command. */
  ruleMs: 24 * HOUR,
  rulePerDay: 50,
  /** Questions that are remembered, answered or not: more than a town asks in a day. */
  kept: 200,
  /** Buttons below a message: ntfy takes three. */
  buttons: 3,
  /** Characters on one. */
  maxLabel: 30,
  /** Bytes of what a message shows of a question: with its other words it stays below 4,096, where ntfy makes a file of it. */
  maxShownBytes: 1_200,
  /** Characters of the text of an answer: a message of ntfy holds 4,096 bytes. */
  maxChars: 3_000,
  /** On IRC so many lines of an account that may answer are taken for answers, and as many of a nick whose account must be asked for; … */
  perMinute: 10,
  /** … so many of all others together, who are told that they may not; … */
  strangersPerMinute: 3,
  /** … so many of an agent are kept as signs of it: each is a record of evidence; … */
  signsPerMinute: 4,
  /** … nicks and accounts together that are counted: more than speak in a channel; … */
  maxSpeakers: 500,
  /** … in this time, at whose end the server is asked whether it is there. The same refusal goes to the same caller once in it. */
  minuteMs: MINUTE,
  /** Telegram holds a question for new replies so long, … */
  pollMs: 30 * SECOND,
  /** … and tells of so many at once: each repeats its message, and all must fit into a reply. */
  updates: 4,
  /** A reply that the town did not put on record in this time is fetched again. */
  recordMs: 15 * SECOND,
  /** A stream in which nothing comes for so long is opened anew: ntfy says every 45 s that it lives. */
  silentMs: 2 * MINUTE,
  /** A look at what an agent asks, for its alert: longer than tmux takes. */
  lookMs: 2 * SECOND,
  /** The same of what the town asks, which a command looks up before the message goes out; without an answer it offers nothing. */
  showMs: 8 * SECOND,
  /** The command that carries out an answer is given so long: a case may have git or an agent to wait for. */
  decideMs: 2 * MINUTE,
  /** An answer that its command did not finish in this time was cut off: some wait for git or an agent for minutes. */
  cutOffMs: 10 * MINUTE,
  /** What an agent asks within this after a person answered it from afar is told at once: that person waits for it. */
  nextMs: 30 * SECOND,
};
