/**
 * Which words of a command its agent's program gets, and the command again with other words: of a list of words, one behind
 * `env NAME=value …`, and a line for a shell.
 */
import { basename } from 'node:path';
import type { Packs } from '../screen/packs.ts';
import { assignedIn, withoutEnv, type Word } from './env-words.ts';
import type { LineRead } from './shell-line.ts';

const textOf = (one: Word): string => (typeof one === 'string' ? one : `${one.word}${one.more}`);

export interface AgentCommand {
  /** Of the agent that its program is; null = none that is known, or another program starts it. */
  readonly kind: string | null;
  /** The program and its words. */
  readonly words: readonly string[];
  /** Variables that it gets beside those of its start; null = the shell alone knows the value. */
  readonly assigned: Readonly<Record<string, string | null>>;
  /** The command with these words in the place of its own. */
  readonly withWords: (words: readonly Word[]) => readonly string[];
  /** Why words can be given to no agent of it, as the end of a sentence. */
  readonly unclear?: string | undefined;
}

type Kinds = Pick<Packs, 'kindOf'>;

/** The kind of agent that a start by these words is; null = none that is known. */
export const kindStarted = (packs: Kinds, words: readonly string[]): string | null =>
  packs.kindOf({ comm: basename(words[0] ?? ''), argv: words });

/** What would be given to `npx` or an interpreter is not its agent's. */
const kindOfProgram = (packs: Kinds, words: readonly string[]): string | null =>
  kindStarted(packs, words.slice(0, 1)) === null ? null : kindStarted(packs, words);

/** Never rejects. */
export async function agentCommandIn(packs: Kinds, command: readonly string[]): Promise<AgentCommand> {
  const { prefix, words } = withoutEnv(command);
  const [assigned, kind] = [assignedIn(prefix), kindOfProgram(packs, words)];
  const plain = { kind, words, assigned, withWords: (now: readonly Word[]) => [...prefix, ...now.map(textOf)] };
  const [shell = '', , line] = words;
  if (line === undefined || !isForShell(words) || !namesAgent(packs, line)) return plain;
  const read = await readIn(packs, line).catch(() => 'that this town cannot read (town restart)');
  if (read === null) return plain;
  if (typeof read === 'string') return { ...plain, unclear: `its command is a line for a shell ${read}` };
  return {
    kind: kindOfProgram(packs, read.words),
    words: read.words,
    assigned: { ...assigned, ...read.assigned },
    withWords: (now) => [...prefix, shell, '-c', read.withWords(now)],
  };
}

/** Rejects where an upgrade removed the parser, which is loaded late, since most starts do not need it. */
async function readIn(packs: Kinds, line: string): Promise<LineRead | string | null> {
  const { readLine } = await import('./shell-line.ts');
  return readLine(line, (words) => kindStarted(packs, words) !== null);
}

/** What its program gets: these variables, with those that its command assigns. */
export const environmentIn = (
  assigned: AgentCommand['assigned'],
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ ...environment, ...assigned }).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );

const SHELLS: ReadonlySet<string> = new Set(['sh', 'dash', 'bash']);

const isForShell = ([shell = '', flag, ...rest]: readonly string[]): boolean =>
  SHELLS.has(basename(shell)) && flag === '-c' && rest.length === 1;

/** Whether a line names an agent's program anywhere. */
const namesAgent = (packs: Kinds, line: string): boolean =>
  line.split(/[^\w@%+=:,./~-]+/).some((word) => kindStarted(packs, [word.replace(/.*=/, '')]) !== null);
