/**
 * What tmux servers, and through them every agent, may inherit. A server keeps the environment of whoever started it, so
 * npm's variables and an agent's own marks must not get there: a mark in everybody's environment makes everybody a target.
 */

const OURS_TO_DROP = [/^npm_/i, /^(INIT_CWD|NODE|NODE_OPTIONS|TMUX|TMUX_PANE)$/];
const AGENT_MARKS = /^TOWN_(TOKEN|INCARNATION|SESSION)$/;
const ADDED_BY_NPM = /(^|\/)(node_modules\/\.bin|node-gyp-bin)\/?$/;

export type Environment = Readonly<Record<string, string | undefined>>;

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

/** For tmux: nothing of the town's either, since every pane of every session inherits it. */
export function tmuxEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(scrubbedEnvironment(env)).filter(([name]) => !name.startsWith('TOWN_')));
}

/** tmux gives every pane its own. */
const OF_THE_PANE = /^TMUX(_PANE)?$/;

/**
 * What of a server's own environment an agent must not get: whoever started the server may have been anybody. `shown` is what
 * `show-environment -g` says. `drop`: names to unset; `path`: a PATH instead of the server's, null = that one is right.
 */
export function unfitIn(shown: string): { readonly drop: readonly string[]; readonly path: string | null } {
  const rows = shown.split('\n').map((line) => /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line));
  const env = Object.fromEntries(rows.flatMap((row) => (row === null ? [] : [[row[1] ?? '', row[2]]])));
  const kept = tmuxEnvironment(env);
  const drop = Object.keys(env).filter((name) => !(name in kept) && !OF_THE_PANE.test(name));
  return { drop, path: kept['PATH'] === env['PATH'] ? null : (kept['PATH'] ?? null) };
}

function withoutNpmFolders(path: string): string {
  return path
    .split(':')
    .filter((folder) => !ADDED_BY_NPM.test(folder))
    .join(':');
}
