/**
 * Where everything durable stands, relative to the town root.
 * File names are made of ids that the town gives; any other id is hashed, so that no name can leave its folder.
 */
export const FOLDERS = {
  daemon: 'daemon',
  deacon: 'deacon',
  boot: 'deacon/dogs/boot',
  active: 'deacon/dogs/active',
  completed: 'deacon/dogs/completed',
  warrants: 'deacon/dogs/warrants',
  /** Warrants whose dance is open: should its record be lost, they go back to the queue. */
  held: 'deacon/dogs/held',
  answers: 'deacon/dogs/answers',
  sessions: 'sessions',
  /** Values of variables that agents are started with. */
  environments: 'daemon/environments',
  nudges: 'nudges',
  /** What agents without a pane print. */
  output: 'output',
  /** What agents report of themselves, a file for each session. */
  reports: 'reports',
  mail: 'mail',
  alerts: 'alerts',
  journal: 'journal',
  /** Answers to the town's questions that the journal has not yet. */
  answered: 'daemon/answered',
  /** Notices that channels have to deliver, and those that they delivered. */
  spool: 'daemon/spool',
  sent: 'daemon/sent',
  rigs: 'rigs',
  polecats: 'polecats',
  patrols: 'patrols',
  /** What patrols saw of each agent and did about it, a file for each thing. */
  notes: 'patrols/notes',
  /** What was begun and handed over of each piece of work. */
  work: 'patrols/work',
  /** Pull requests that a refinery opened, the last one of each piece of work. */
  pullRequests: 'patrols/pull-requests',
  /** Work that a refinery could not merge yet, and why. */
  waitingMerges: 'patrols/waiting-merges',
  pluginRuns: 'patrols/plugins',
  ledger: 'ledger',
  /** Programs drop files there, a record of evidence each. */
  evidence: 'evidence',
  triage: 'triage',
  /** A person writes there. */
  plugins: 'plugins',
  quarantine: 'quarantine',
  rescue: 'rescue',
} as const;

/** A person's own packs; only read. */
export const PACKS = 'packs';

export const FILES = {
  config: 'town.toml',
  /** The text of the town.toml that a town last came up with. */
  goodConfig: 'daemon/town.toml.good',
  daemonLog: 'daemon/daemon.log',
  daemonPid: 'daemon/daemon.pid',
  /** What daemon.pid said of a town that ended in order: a guard that is not its parent knows such an end by it. */
  ended: 'daemon/ended.json',
  lock: 'daemon/lock.db',
  /** A Gas Town daemon holds this one. */
  foreignLock: 'daemon/daemon.lock',
  /** By which a root of Gas Town is known. */
  gasTown: 'mayor/town.json',
  epoch: 'daemon/epoch',
  /** While it is there, the root came back from a copy, and a person has not said yet that the town goes on. */
  restored: 'daemon/restored',
  secret: 'daemon/secret',
  /** What proves the operator to `town mcp --http`. */
  mcpToken: 'daemon/mcp-token',
  /** A script by which agents call the town. */
  launcher: 'daemon/call-town',
  /** What Claude Code is started with beside its user's own settings. */
  claudeSettings: 'daemon/claude-settings.json',
  /** Settings files of the user that have hooks of this town. */
  installedHooks: 'daemon/installed-hooks.json',
  /** Why turns of agents halted, as their hooks said. */
  hookHalts: 'daemon/hook-halts.json',
  deaths: 'daemon/deaths.log',
  socket: 'daemon/town.sock',
  /** Where a guard hears its town. */
  guardSocket: 'daemon/guard.sock',
  guard: 'daemon/guard.json',
  guardLock: 'daemon/guard-lock.db',
  guardLog: 'daemon/guard.log',
  /** The latch of `town down`: while it is present no starter starts the town. */
  stopped: 'daemon/stopped',
  serverDeaths: 'daemon/server-deaths.json',
  /** The stall watch: its switch, its pages, and what it has to write. */
  tickle: 'daemon/tickle.json',
  /** The wall at the zero of the monotonic clock of this boot. */
  clock: 'daemon/clock.json',
  /** Steps of the wall clock. */
  wallSteps: 'daemon/wall-steps.json',
  /** Which tmux server the town's sessions and marks stand on. */
  tmuxSocket: 'daemon/tmux-socket',
  /** Which notices a person's command was started for, by cause. */
  notices: 'daemon/notices.json',
  /** The questions that channels were offered, and their answers. */
  asks: 'daemon/asks.json',
  /** Up to where each channel's replies were heard. */
  replies: 'daemon/replies.json',
  /** The process that delivers what is in the spool holds it. */
  channelsLock: 'daemon/channels-lock.db',
  noticesLock: 'daemon/notices-lock.db',
  /** When a person last read the report. */
  reportLook: 'daemon/report-look.json',
  heartbeat: 'deacon/heartbeat.json',
  monitor: 'daemon/monitor.json',
  timers: 'daemon/timers.json',
  sends: 'daemon/sends.json',
  healthChecks: 'deacon/health-check-state.json',
  paused: 'deacon/paused.json',
  bootRunning: 'deacon/dogs/boot/.boot-running',
  bootStatus: 'deacon/dogs/boot/.boot-status.json',
  ledger: 'ledger/town.db',
  /** The run of the reasoner that is under way, or was the last. */
  triageRun: 'triage/run.json',
  triageLock: 'triage/lock.db',
  triageMcp: 'triage/mcp.json',
  pluginLock: 'patrols/plugins-lock.db',
  /** There once what an older town kept as evidence is on record. */
  notesTaken: 'patrols/notes/.taken',
  /** What the reasoner is asked, while it runs. */
  triagePrompt: 'triage/prompt.txt',
} as const;

const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const HASH_LENGTH = 32;

/** An id as a file name. Hashed ones begin with `=`, which no plain one does. */
export function nameOf(id: string): string {
  if (SAFE_NAME.test(id)) return id;
  // Loaded when it is needed: it is a twentieth of the guard's memory, and the guard hashes nothing.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `=${createHash('sha256').update(id).digest('hex').slice(0, HASH_LENGTH)}`;
}

export const paths = {
  environment: (session: string): string => `${FOLDERS.environments}/${nameOf(session)}.json`,
  active: (dance: string): string => `${FOLDERS.active}/${nameOf(dance)}.json`,
  completed: (dance: string): string => `${FOLDERS.completed}/${nameOf(dance)}.json`,
  warrant: (id: string): string => `${FOLDERS.warrants}/${nameOf(id)}.json`,
  held: (id: string): string => `${FOLDERS.held}/${nameOf(id)}.json`,
  answer: (code: string): string => `${FOLDERS.answers}/${nameOf(code)}.json`,
  session: (name: string): string => `${FOLDERS.sessions}/${nameOf(name)}.json`,
  rigLock: (name: string): string => `${FOLDERS.rigs}/${nameOf(name)}.lock.db`,
  /** What an agent that patrols is told. */
  prompt: (session: string): string => `${FOLDERS.patrols}/${nameOf(session)}.md`,
  rescue: (folder: string): string => `${FOLDERS.rescue}/${nameOf(folder)}`,
} as const;

/** Below the folder for temporary files: what is ours alone there. */
export const privateFolder = (): string => `townwatch-${String(process.getuid?.() ?? 0)}`;

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Whether a name in a folder is a record; all else (temporary files of any program, notes) is none of the town's business. */
export function isRecordName(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.');
}

/** The box that messages are delivered to. */
export const NEW_MAIL = 'new';
