/** Agents that a daemon of their own program runs (`claude --bg`): how people name them, and the program's commands for them. */
import type { Background } from '../protocol.ts';

/** As `town session adopt` has it: `claude:1a2b3c4d`. */
export const placeOf = ({ program, id }: Background): string => `${program}:${id}`;

/** The words of the program's own command: it opens the agent in a terminal, prints its screen, or ends it. */
export const commandFor = (
  { program, id, config }: Background,
  verb: 'attach' | 'logs' | 'stop' | 'respawn',
): string[] => {
  const words = [program, verb, id];
  return config === null ? words : ['env', `CLAUDE_CONFIG_DIR=${config}`, ...words];
};
