/** Which variables a session's start may name. */

/** The town's own, and those by which tmux tells a pane where it is. */
const OURS = /^(TOWN_.*|TMUX|TMUX_PANE)$/;

export const isVariable = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !OURS.test(name);
