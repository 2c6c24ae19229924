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

function withoutNpmFolders(path: string): string {
  return path
    .split(':')
    .filter((folder) => !ADDED_BY_NPM.test(folder))
    .join(':');
}
