/**
 * Which programs are agents: the one table that adoption, `town watch` and the packs go by. Pure.
 * A process tells by its own name, by the word it was called by, or by the script that an interpreter runs. A title is the
 * program's to choose, so it shows an agent where no process does (in a container, on another machine) and proves nothing.
 */
import { basename } from 'node:path';
import type { Program } from './screen.ts';

interface Known {
  readonly kind: string;
  /** What its program is called. */
  readonly names: readonly string[];
  /** Where its script stands, if that is called `cli.js` or `index.js`. */
  readonly script?: RegExp;
  readonly title?: RegExp;
}

const AGENTS: readonly Known[] = [
  {
    kind: 'claude',
    names: ['claude', 'claude-code'],
    script: /\/claude-code\/cli\.[cm]?js$/,
    title: /^✳ |\bClaude Code\b/,
  },
  { kind: 'codex', names: ['codex'], script: /\/@openai\/codex\//, title: /^Codex\b/ },
  { kind: 'gemini', names: ['gemini', 'gemini-cli'], script: /\/@google\/gemini-cli\//, title: /^Gemini - / },
  { kind: 'opencode', names: ['opencode'], title: /^(?:OpenCode\b|OC \| )/ },
  { kind: 'aider', names: ['aider'] },
  { kind: 'cursor-agent', names: ['cursor-agent'], script: /\/cursor-agent\/versions\// },
  { kind: 'copilot', names: ['copilot', 'copilot-cli'], script: /\/@github\/copilot\// },
];

/** Programs that run another one: the script is the name. */
const INTERPRETERS = /^(node|bun|deno|python[\d.]*|ruby|bash|dash|sh|zsh|env|npx)$/;
const EXTENSION = /\.(js|mjs|cjs|ts|py|sh|rb)$/;

/** Several programs turn a braille glyph before their title while they work; which one it is, it does not say. */
const SPINNING = /^[\u2801-\u28ff] /;

/** Everything a person would call a process: its own name, the word it was called by, the script that it runs. */
export function namesOf(program: Program): string[] {
  const names = [program.comm, calledBy(program), basename(program.exe ?? ''), basename(scriptOf(program))];
  const said = names.filter((name) => name !== '');
  return [...said, ...said.map((name) => name.replace(EXTENSION, ''))];
}

/** The kind of agent that this process is; null = none that is known. */
export function kindOf(program: Program): string | null {
  const names = namesOf(program);
  const script = scriptOf(program);
  const known = AGENTS.find((one) => one.names.some((name) => names.includes(name)) || one.script?.test(script));
  return known?.kind ?? null;
}

/** The kind of agent that a pane's title speaks of; `agent` = one that it does not name; null = it speaks of none. */
export function kindByTitle(title: string): string | null {
  const known = AGENTS.find((one) => one.title?.test(title));
  return known?.kind ?? (SPINNING.test(title) ? 'agent' : null);
}

const calledBy = ({ argv: [word = ''] }: Program): string => basename(word).replace(/^-/, '');

function scriptOf(program: Program): string {
  const [, ...args] = program.argv;
  if (!INTERPRETERS.test(calledBy(program))) return '';
  return args.find((arg) => !arg.startsWith('-')) ?? '';
}
