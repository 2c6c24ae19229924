/**
 * Other names of commands: those of Gas Town, and singulars. What is typed becomes the command itself before anything reads
 * it, so an alias has the options, the rights and the answer of its command.
 */

/** The typed words -> the command. */
const ALIASES: Readonly<Record<string, string>> = {
  alert: 'alerts',
  'alerts ack': 'ack',
  'bead gate close': 'bead close',
  'dog warrants': 'warrant list',
  'escalate ack': 'ack',
  'escalate close': 'bead close',
  'escalate list': 'escalation list',
  'escalate show': 'bead show',
  'escalation ack': 'ack',
  'escalation show': 'bead show',
  swarm: 'convoy',
};
/** Words of the longest one. */
const LONGEST = 3;

/** The words of a command line with each alias replaced; those behind the command's name stay as they are. */
export function withoutAliases(argv: readonly string[]): readonly string[] {
  for (let length = LONGEST; length > 0; length--) {
    const command = ALIASES[argv.slice(0, length).join(' ')];
    if (command !== undefined) return withoutAliases([...command.split(' '), ...argv.slice(length)]);
  }
  return argv;
}

/** The other names of a command, for its help. */
export const aliasesOf = (command: string): string[] =>
  Object.keys(ALIASES).filter((alias) => ALIASES[alias] === command);
