/**
 * Which programs are agents, by what packs say of their processes and titles. Pure.
 * A process tells by its own name, by the word it was called by, by its file, or by the script that an interpreter runs. A
 * title is the program's to choose, so it shows an agent where no process does (in a container, on another machine) and
 * proves nothing.
 */
import { basename } from 'node:path';
import { isDaemon, isTool, matches } from './matching.ts';
import type { Pack } from './pack.ts';
import type { Program } from './screen.ts';

/** What tells one program from another. */
export interface Identity extends Pick<Pack, 'name' | 'label' | 'processes' | 'titles'> {
  /** The pack with nothing but its usage limits. */
  readonly limits: Pack;
}

/** Programs that run another one: the script is the name. */
const INTERPRETERS = /^(node|bun|deno|python[\d.]*|ruby|bash|dash|sh|zsh|env|npx)$/;
const EXTENSION = /\.(js|mjs|cjs|ts|py|sh|rb|exe)$/;

/** Several programs turn a braille glyph before their title while they work; which one it is, it does not say. */
const SPINNING = /^[\u2801-\u28ff] /;

/** Everything a person would call a process: its own name, the word it was called by, its file, the script that it runs. */
export function namesOf(program: Program): string[] {
  const names = [program.comm, calledBy(program), basename(program.exe ?? ''), basename(scriptOf(program))];
  const said = names.filter((name) => name !== '');
  return [...said, ...said.map((name) => name.replace(EXTENSION, ''))];
}

/** The kind of agent that this process is; null = none of these. */
export function kindAmong(identities: readonly Identity[], program: Program): string | null {
  const called = namesOf(program);
  const known = identities.find(({ processes }) => isProgramOf(processes, program, called));
  return known === undefined || isDaemon(known, program) || isTool(known, program) ? null : known.name;
}

/** Whether it is a part of an agent's own program, a daemon of it included, and nothing that the agent runs. */
export const isPartAmong = (identities: readonly Identity[], program: Program): boolean =>
  identities.some((one) => isProgramOf(one.processes, program) && !isTool(one, program));

/**
 * Whether it is this program in any state: an agent, or a daemon of one. `called` are its names, for frequent callers.
 */
export function isProgramOf(
  { names, scripts, files, packages }: Identity['processes'],
  program: Program,
  called: readonly string[] = namesOf(program),
): boolean {
  const [word = ''] = program.argv;
  const asked = (): string[] => program.argv.slice(1).map((arg) => arg.replace(/(?<=.)@[^@/]*$/, ''));
  return (
    names.some((name) => called.includes(name)) ||
    matches(scripts, scriptOf(program)) ||
    [word, program.exe ?? ''].some((file) => matches(files, file)) ||
    (packages.length > 0 && INTERPRETERS.test(calledBy(program)) && asked().some((name) => packages.includes(name)))
  );
}

/** The kind of agent that a pane's title speaks of; `agent` = one that it does not name; null = it speaks of none. */
export function kindByTitle(identities: readonly Identity[], title: string): string | null {
  const known = identities.find(({ titles }) => matches(titles, title));
  return known?.name ?? (SPINNING.test(title) ? 'agent' : null);
}

const calledBy = ({ argv: [word = ''] }: Program): string => basename(word).replace(/^-/, '');

/** The script that an interpreter runs; empty = it is none. */
export function scriptOf(program: Program): string {
  const [, ...args] = program.argv;
  if (!INTERPRETERS.test(calledBy(program))) return '';
  return args.find((arg) => !arg.startsWith('-')) ?? '';
}
