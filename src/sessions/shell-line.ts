/**
 * The agent in a line for a shell, so that words can be given to it as to one that is started by a list of words. The shell still
 * reads the line: quotes and expansions of the user's stay as they are written.
 * 1. Only commands in a row are understood. A loop, a pipe or another construct may start the agent twice, or without its terminal.
 * 2. What runs before the agent changes neither its folder nor its variables.
 * 3. Each of the agent's words is one word for the shell too: `$X` outside of quotes may be none or several.
 * 4. The last command replaces the shell, so that the agent is the pane's own process.
 */
import { parse, type Command, type Node, type Redirect, type Statement, type Word, type WordPart } from 'unbash';
import { quote } from '../tmux/quoting.ts';
import { withoutEnv, type Word as Longer } from './env-words.ts';

export interface LineRead {
  /** Its program and what follows. An expansion stands as it is written. */
  readonly words: readonly string[];
  /** null = the shell alone knows the value. */
  readonly assigned: Readonly<Record<string, string | null>>;
  /** The line with these words in the place of its own. */
  readonly withWords: (words: readonly Longer[]) => string;
}

/** null = no command of it starts an agent and it is no plain row of commands; a string = why it is not understood, after "a line for a shell". Pure. */
export function readLine(line: string, isAgent: (words: readonly string[]) => boolean): LineRead | string | null {
  const { commands: statements, errors = [] } = parse(line);
  const starts = (parts: Parts): boolean => isAgent(parts.words.map(({ value }) => value));
  const odd = errors[0] === undefined ? oddIn(statements) : `that is incomplete (${errors[0].message})`;
  const steps = statements.flatMap(({ command }) => commandsIn(command)).map(partsOf);
  const agents = steps.filter(starts);
  const read = odd ?? readSteps(line, steps, agents);
  return typeof read === 'string' && agents.length === 0 ? null : read;
}

/** Where none is an agent, the last one is its program. */
function readSteps(line: string, steps: readonly Parts[], agents: readonly Parts[]): LineRead | string {
  if (agents.length > 1) return 'that starts several agents';
  const last = steps.at(-1);
  const agent = agents[0] ?? last;
  if (agent === undefined) return 'without a command';
  const before = steps.slice(0, steps.indexOf(agent)).find(({ name }) => CHANGES.has(name?.value ?? ''));
  if (before !== undefined) return `that runs ${before.name?.text ?? 'an assignment'} before it`;
  return understood(line, agent, agent === last);
}

/** Commands of the shell that change its folder, its variables, or what a name means. An assignment alone has no name. */
const CHANGES: ReadonlySet<string> = new Set(
  `. source cd pushd popd eval exec export set unset read readonly declare typeset local alias unalias hash trap enable shopt command builtin`.split(
    ' ',
  ),
).add('');

const CONSTRUCTS: Partial<Record<Node['type'], string>> = {
  ArithmeticFor: 'a loop',
  BraceGroup: 'a group',
  Case: 'a condition',
  For: 'a loop',
  Function: 'a function',
  If: 'a condition',
  Pipeline: 'a pipe',
  Select: 'a loop',
  Subshell: 'a group',
  While: 'a loop',
};

/** What it has beside commands in a row; null = nothing. */
function oddIn(statements: readonly Statement[]): string | null {
  for (const { command, background, redirects } of statements) {
    if (background === true) return 'with a command in the background';
    if (redirects.length > 0) return 'with a redirection';
    const nodes = command.type === 'AndOr' ? command.commands : [command];
    const odd = nodes.find(({ type }) => type !== 'Command');
    if (odd !== undefined) return `with ${CONSTRUCTS[odd.type] ?? 'a construct'}`;
  }
  return null;
}

/** At any depth, but for those whose output is a word. */
function commandsIn(node: unknown): readonly Command[] {
  if (Array.isArray(node)) return node.flatMap(commandsIn);
  if (typeof node !== 'object' || node === null) return [];
  return (node as Node).type === 'Command' ? [node as Command] : Object.values(node).flatMap(commandsIn);
}

interface Parts {
  readonly command: Command;
  readonly name: Word | undefined;
  /** Before the program: `env NAME=value …`. */
  readonly env: readonly Word[];
  readonly words: readonly Word[];
}

function partsOf(command: Command): Parts {
  const { name, suffix } = command;
  const all = name === undefined ? [] : [name, ...suffix];
  const own = ['exec', 'command'].includes(name?.text ?? '') ? all.slice(1) : all;
  const { prefix } = withoutEnv(own.map(({ value }) => value));
  return { command, name, env: own.slice(0, prefix.length), words: own.slice(prefix.length) };
}

function understood(line: string, { command, name, env, words }: Parts, isLast: boolean): LineRead | string {
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined) return 'without a program';
  const several = [...env, ...words].find((word) => sortOf(word) === 'several');
  if (several !== undefined) return `in which ${several.text} may be several words; put it in double quotes`;
  if (!command.redirects.every((one) => isHarmless(one, last.end))) return 'with a redirection';
  const unknown = new Map(words.filter((word) => sortOf(word) === 'one').map(({ value, text }) => [value, text]));
  const alike = words.find((word) => sortOf(word) === 'plain' && unknown.has(word.value));
  if (alike !== undefined) return `in which ${alike.text} stands for two things`;
  const assigned = [
    ...command.prefix.map(({ name: of = '', value }) => [of, valueOf(value)] as const),
    ...env.slice(1).map((word) => [word.value.split('=', 1)[0] ?? '', valueOf(word, /^\w+=/)] as const),
  ];
  const begins = [
    ...command.prefix.map(({ text }) => text),
    ...(isLast || name?.text === 'exec' ? ['exec'] : []),
    ...env.map(({ text }) => text),
  ];
  return {
    words: words.map(({ value }) => value),
    assigned: Object.fromEntries(assigned),
    withWords: (now) => {
      const written = (word: string): string => unknown.get(word) ?? quote(word);
      const own = now.map((one) => (typeof one === 'string' ? written(one) : `${written(one.word)}${quote(one.more)}`));
      return `${line.slice(0, command.pos)}${[...begins, ...own].join(' ')}${line.slice(last.end)}`;
    },
  };
}

/** Its errors may go elsewhere; without its terminal it is another program. */
const isHarmless = ({ fileDescriptor, pos }: Redirect, end: number): boolean => fileDescriptor === 2 && pos >= end;

function valueOf(word: Word | undefined, without = /^/): string | null {
  return word === undefined ? '' : sortOf(word) === 'plain' ? word.value.replace(without, '') : null;
}

/** `one`: a single word, whose value the shell alone knows. */
type Sort = 'plain' | 'one' | 'several';

function sortOf({ text, value, parts = [{ type: 'Literal', text, value }] }: Word): Sort {
  const sorts = parts.map((part, at) => (at === 0 && /^~/.test(part.text) ? 'one' : sortOfPart(part)));
  return sorts.find((sort) => sort === 'several') ?? sorts.find((sort) => sort === 'one') ?? 'plain';
}

function sortOfPart(part: WordPart): Sort {
  if (part.type === 'SingleQuoted') return 'plain';
  if (part.type === 'Literal') return /[*?[]/.test(part.text.replaceAll(/\\[^]/g, '')) ? 'several' : 'plain';
  if (part.type !== 'DoubleQuoted') return 'several';
  if (part.parts.some(({ text }) => /^\$\{?@/.test(text))) return 'several';
  return part.parts.every(({ type }) => type === 'Literal') ? 'plain' : 'one';
}
