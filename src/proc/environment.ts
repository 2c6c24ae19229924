/**
 * The environment of the programs that we start; all of them take it from here. A tmux server, and through it every
 * agent, keeps its starter's environment. So npm's variables and an agent's own marks must not get there: a mark in
 * every environment would make every process a target.
 */

const OURS_TO_DROP = [/^npm_/i, /^(INIT_CWD|NODE|NODE_OPTIONS|TMUX|TMUX_PANE)$/];
const AGENT_MARKS = /^TOWN_(TOKEN|INCARNATION|SESSION)$/;
const ADDED_BY_NPM = /(^|\/)(node_modules\/\.bin|node-gyp-bin)\/?$/;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What any program needs to be found and to run, and nothing that is a secret. */
const TO_RUN = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
];
/** What tmux copies from a client into the sessions that it makes, by its own default: where displays, agents of ssh and tickets are. */
const TO_SESSIONS = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'WINDOWID',
  'XAUTHORITY',
  'KRB5CCNAME',
  'MSYSTEM',
  'SSH_ASKPASS',
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'SSH_CONNECTION',
];

/**
 * The variables of a program that only looks or carries for us. A tmux client hands its whole environment to the server
 * that listens. Guard, town and a person's own command have `scrubbedEnvironment`; agents and the server that they run
 * below `agentEnvironment`.
 */
const LISTED = {
  tool: TO_RUN,
  'tmux client': [...TO_RUN, ...TO_SESSIONS, 'TERM', 'TERMINFO', 'TERMINFO_DIRS', 'TMUX_TMPDIR', 'XDG_CONFIG_HOME'],
} as const;

export function listedEnvironment(whose: keyof typeof LISTED, env: Environment): Record<string, string> {
  const kept = agentEnvironment(env);
  return Object.fromEntries(LISTED[whose].flatMap((name) => (name in kept ? [[name, kept[name] ?? '']] : [])));
}

/** For guard and town: without npm's variables, without tmux's, without an agent's token or marks. */
export function scrubbedEnvironment(env: Environment): Record<string, string> {
  const belowNpm = Object.keys(env).some((name) => /^npm_/i.test(name));
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || AGENT_MARKS.test(name) || OURS_TO_DROP.some((pattern) => pattern.test(name))) continue;
    kept[name] = name === 'PATH' && belowNpm ? withoutNpmFolders(value) : value;
  }
  return kept;
}

/** For agents, and for a tmux server as it starts: nothing of the town's either, since every pane of every session inherits it. */
export function agentEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(scrubbedEnvironment(env)).filter(([name]) => !name.startsWith('TOWN_')));
}

/**
 * Names that a new session got as "not to be passed on" because our client has none of them: a person's own
 * `update-environment` asks for them. `shown` is what `show-environment -t` says. Without the mark the server's own count.
 */
export function withheldIn(shown: string): string[] {
  const names = shown.split('\n').flatMap((line) => /^-([A-Za-z_][A-Za-z0-9_]*)$/.exec(line)?.[1] ?? []);
  return names.filter((name) => !(LISTED['tmux client'] as readonly string[]).includes(name));
}

/** tmux gives every pane its own. */
const OF_THE_PANE = /^TMUX(_PANE)?$/;

/**
 * The parts of a server's own environment that an agent must not get, since any process may have started the server.
 * `shown` is what `show-environment -g` says. `drop`: names to unset; `path`: a PATH instead of the server's, null =
 * that one is right.
 */
export function unfitIn(shown: string): { readonly drop: readonly string[]; readonly path: string | null } {
  const env = shownIn(shown);
  const kept = agentEnvironment(env);
  const drop = Object.keys(env).filter((name) => !(name in kept) && !OF_THE_PANE.test(name));
  return { drop, path: kept['PATH'] === env['PATH'] ? null : (kept['PATH'] ?? null) };
}

function shownIn(shown: string): Environment {
  const rows = shown.split('\n').map((line) => /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line));
  return Object.fromEntries(rows.flatMap((row) => (row === null ? [] : [[row[1] ?? '', row[2]]])));
}

/** What an agent gets below a server that says this of its environment. */
export const environmentBelow = (shown: string): Record<string, string> => agentEnvironment(shownIn(shown));
/** Its PATH; null = it has none. */
export const pathBelow = (shown: string): string | null => environmentBelow(shown)['PATH'] ?? null;

function withoutNpmFolders(path: string): string {
  return path
    .split(':')
    .filter((folder) => !ADDED_BY_NPM.test(folder))
    .join(':');
}
