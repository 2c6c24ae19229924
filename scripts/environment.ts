/**
 * The environment in which checks and tests run: a town or a tmux around the developer's shell must not leak in, or a
 * test would talk to a real town.
 */

/** Whether a variable points at a town or at a tmux server: TMUX, TMUX_PANE, and all names of ours and of the seeds'. */
export function isOurs(name: string): boolean {
  return name === 'TMUX' || name === 'TMUX_PANE' || /^(TOWN|GT|FUGUE)_/.test(name);
}

/** A copy of `env` without those variables. */
export function scrubbed(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOurs(name)));
}
