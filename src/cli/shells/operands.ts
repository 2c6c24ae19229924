/** What the first words behind a command name, where the town can say which there are. By the words that its help shows. */
export const NAMED = ['sessions', 'rigs', 'polecats', 'beads', 'cases', 'questions'] as const;
export type Named = (typeof NAMED)[number];

/** By the name of the argument in the help. */
const BY_ARGUMENT: Readonly<Record<string, Named>> = {
  session: 'sessions',
  agent: 'sessions',
  rig: 'rigs',
  polecat: 'polecats',
  bead: 'beads',
  later: 'beads',
  number: 'questions',
};

/** Arguments of a general name, by the command before them. */
const BY_COMMAND: readonly (readonly [command: RegExp, argument: string, named: Named])[] = [
  [/^session (?!adopt)/, 'name', 'sessions'],
  [/^bead (?!gate )/, 'id', 'beads'],
  [/^triage /, 'id', 'cases'],
  [/^why$/, 'what', 'sessions'],
  [/^ack$/, 'what', 'questions'],
];
/** What they name is made by the command. */
const MAKES: readonly string[] = ['rig add'];

/** null = any text. */
export function namedBy(path: readonly string[], argument: string): Named | null {
  const command = path.join(' ');
  if (MAKES.includes(command)) return null;
  const row = BY_COMMAND.find(([of, name]) => of.test(command) && name === argument);
  return row?.[2] ?? BY_ARGUMENT[argument] ?? null;
}
