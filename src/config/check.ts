/** What is wrong with a town.toml: one sentence per mistake, with the value, what is allowed and what to type. */
import { ALWAYS, ASK_KINDS, MENTION } from '../../machines/channels/answers.ts';
import { WATCHDOG } from '../../machines/monitor/policy.ts';
import { isVariable } from '../../machines/sessions/variables.ts';
import type { z } from 'zod';
import type { Key } from './keys.ts';
import { NAME } from './kinds.ts';
import { SECTIONS, formerText } from './constants.ts';
import { nearest } from '../terminal/nearest.ts';
import { ARRAY_SECTIONS, TOML, TREE, isSection, type Section } from './schema.ts';
import { CHANNEL_NAMES } from '../channels/settings.ts';
import { at } from './settings.ts';

export type Tree = Readonly<Record<string, unknown>>;
/** Where a key's value came from, by its path: the file, `$TOWN_…`, `--set`. */
export type Sources = ReadonlyMap<string, string>;

/** Pairs that must not be out of order: the first at most the second. */
const ORDERED: readonly (readonly [less: string, more: string])[] = [['patrol.active', 'patrol.idle']];

const SHOWN = 80;

/** A value as one would type it, shortened. */
export function printValue(value: unknown): string {
  const text = ['string', 'object', 'boolean'].includes(typeof value) ? JSON.stringify(value) : String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** The part of the tree that a path of the file leads to, and how far it is known. */
function lookUp(path: readonly PropertyKey[]): { readonly node: Section | Key; readonly left: number } {
  let node: Section | Key = TREE;
  for (const [i, part] of path.entries()) {
    if (!isSection(node)) return { node, left: path.length - i };
    const next: Section | Key | undefined = node.inner.get(String(part)) ?? node.inner.get('*');
    if (next === undefined) return { node, left: path.length - i };
    node = next;
  }
  return { node, left: 0 };
}

const namesIn = ({ inner }: Section): string[] => [...inner.keys()].filter((name) => name !== '*');

function show(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part + 1}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

function allPaths(node: Section, prefix = ''): string[] {
  return [...node.inner].flatMap(([name, inner]) =>
    isSection(inner) ? allPaths(inner, `${prefix}${name}.`) : [`${prefix}${name}`],
  );
}

/** `most_starting` is the old name of `max_starting`. */
const renamed = (word: string): string =>
  word
    .replace(/^(.+)_most$/, 'most_$1')
    .replace(/^most_/, 'max_')
    .replace(/^least_/, 'min_');

/** `dance.pool` is meant as `dance.pool_size`; a key of another section is found too. */
export function nearestKey(path: readonly PropertyKey[]): string | null {
  const word = String(path.at(-1));
  const { node, left } = lookUp(path.slice(0, -1));
  if (!isSection(node) || left > 0) return null;
  if (node.inner.has(renamed(word))) return show([...path.slice(0, -1), renamed(word)]);
  const near = nearest(word, namesIn(node));
  if (near !== null) return show([...path.slice(0, -1), near]);
  return allPaths(TREE).find((full) => full.endsWith(`.${word}`)) ?? null;
}

function unknownKey(path: readonly PropertyKey[], from: string): string {
  const [section, word] = [path.slice(0, -1), String(path.at(-1))];
  const former = formerText(show(path), 'remove it') ?? formerText(show([...section, renamed(word)]), 'remove it');
  if (former !== null) return `${from}: ${former}`;
  const name = printValue(show(path)).slice(1, -1);
  const near = nearestKey(path);
  if (near !== null) return `${from}: ${name}: unknown key; the nearest is ${near}; write that, or remove it`;
  const { node } = lookUp(section);
  const known = isSection(node) ? namesIn(node) : [];
  return `${from}: ${name}: unknown ${path.length === 1 ? 'section' : 'key'}; remove it, or write one of ${known.join(', ')}`;
}

/** A section of constants alone had keys once: they are named one by one. */
function unknownKeys(path: readonly PropertyKey[], tree: Tree, from: string): string[] {
  const names = path.length === 1 && SECTIONS.has(show(path)) ? Object.keys(Object(at(tree, path)) as object) : [];
  const were = names.map((name) => formerText(`${show(path)}.${name}`, 'remove it'));
  return names.length === 0 || were.includes(null) ? [unknownKey(path, from)] : were.map((text) => `${from}: ${text}`);
}

function badValue(path: readonly PropertyKey[], key: Key, value: unknown, from: string): string {
  const line = `${String(path.at(-1))} = ${printValue(key.default ?? key.kind.example)}`;
  const written = key.kind.isSecret === true ? '(a secret)' : printValue(value);
  return `${from}: ${show(path)} = ${written}: must be ${key.kind.allowed}; write for example ${line}`;
}

function notASection(path: readonly PropertyKey[], value: unknown, from: string): string {
  const name = show(path);
  if (ARRAY_SECTIONS.includes(String(path.findLast((part) => typeof part === 'string'))))
    return `${from}: ${name} = ${printValue(value)}: must be tables; write [[${path.filter((part) => typeof part === 'string').join('.')}]]`;
  if (path.length === 2 && lookUp(path.slice(0, 1)).node !== TREE && !NAME.test(String(path[1]))) {
    return `${from}: ${printValue(name).slice(1, -1)}: a name has letters, digits, _ and -, at most 64; choose another name`;
  }
  const [section, key] = path.map(String);
  const each = path.length === 2 ? lookUp(path.slice(0, 1)).node : TREE;
  const one = isSection(each) ? each.inner.get('*') : undefined;
  if (section !== undefined && key !== undefined && one !== undefined && isSection(one) && one.inner.has(key))
    return `${from}: ${name} = ${printValue(value)}: belongs to one ${section}; write [${section}.<name>] and ${key} below`;
  return `${from}: ${name} = ${printValue(value)}: must be a section; write [${name}] and its keys below`;
}

function fromIssue(issue: z.core.$ZodIssue, tree: Tree, sources: Sources, file: string): string[] {
  const { node, left } = lookUp(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.flatMap((key) => {
      const path = [...issue.path, key];
      return unknownKeys(path, tree, sources.get(show(path)) ?? file);
    });
  }
  // A mistake inside a list is reported for the whole list: the key's sentence says what the list may hold.
  const path = issue.path.slice(0, issue.path.length - left);
  const from = sources.get(show(path)) ?? file;
  const value = at(tree, path);
  return [isSection(node) ? notASection(path, value, from) : badValue(path, node, value, from)];
}

function keyAt(path: string): Key | null {
  const { node } = lookUp(path.split('.'));
  return isSection(node) ? null : node;
}

function milliseconds(tree: Tree, path: string): number | null {
  const key = keyAt(path);
  const read = key === null ? null : key.kind.schema().safeParse(at(tree, path) ?? key.default);
  return read?.success === true ? Number(read.data) : null;
}

function outOfOrder(tree: Tree, sources: Sources, file: string): string[] {
  return ORDERED.flatMap(([less, more]) => {
    const [a, b] = [milliseconds(tree, less), milliseconds(tree, more)];
    if (a === null || b === null || a <= b) return [];
    const written = (path: string): string => printValue(at(tree, path) ?? keyAt(path)?.default);
    const from = sources.get(less) ?? sources.get(more) ?? file;
    return [
      `${from}: ${less} = ${written(less)} is more than ${more} = ${written(more)}; lower the first or raise the second`,
    ];
  });
}

const unfitVariables = (env: unknown): unknown[] =>
  Array.isArray(env) ? env.filter((one) => typeof one === 'string' && !isVariable(one)) : [];

function agentMistakes(tree: Tree, file: string): string[] {
  const { agents } = tree;
  if (!Array.isArray(agents)) return [];
  const seen = new Set<unknown>();
  return agents.flatMap((agent: unknown, i) => {
    const where = `${file}: agents[${i + 1}]`;
    const name = at(agent, 'name');
    const again = name !== undefined && seen.has(name);
    seen.add(name);
    return [
      ...(name === undefined ? [`${where} has no name; write name = "worker-1"`] : []),
      ...(at(agent, 'command') === undefined
        ? [`${where} has no command; write command = ["program", "argument"]`]
        : []),
      ...unfitVariables(at(agent, 'env')).map(
        (one) => `${where}.env: ${printValue(one)} is no name of a variable; write env = ["API_KEY"]`,
      ),
      ...(again ? [`${where}: the name ${printValue(name)} is taken by an agent above; choose another`] : []),
    ];
  });
}

/** An agent that monitors has its session's name for itself. */
function watchdogMistakes(tree: Tree, file: string): string[] {
  if (at(tree, 'monitor.mode') !== 'session') return [];
  const { agents } = tree;
  const isTaken = Array.isArray(agents) && agents.some((agent: unknown) => at(agent, 'name') === WATCHDOG);
  const text = `${file}: monitor.mode = "session" starts a session ${WATCHDOG}: the agent of that name needs another one`;
  return isTaken ? [text] : [];
}

/** Of names; `load.ts` tells of those that are not configured. */
function routeMistakes({ route }: Tree, file: string): string[] {
  if (!Array.isArray(route)) return [];
  return route.flatMap((one: unknown, i) => {
    const to = at(one, 'to');
    const unknown = Array.isArray(to) ? to.filter((name) => !(CHANNEL_NAMES as readonly unknown[]).includes(name)) : [];
    return unknown.map(
      (name) =>
        `${file}: route[${i + 1}].to: ${printValue(name)} is no channel; write one of ${CHANNEL_NAMES.join(', ')}, and configure it`,
    );
  });
}

const CALLER = /^(?:ntfy|telegram:\d{1,20}|irc:[^\s:,!@]{1,50})$/;

/** What is not said is not allowed: a rule names who, what and which answers. */
function answerMistakes({ may_answer: rules }: Tree, file: string): string[] {
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((one: unknown, i) => {
    const where = `${file}: may_answer[${i + 1}]`;
    const [from, kinds, options] = ['from', 'kinds', 'options'].map((key) => at(one, key));
    const all: readonly unknown[] = [...ASK_KINDS, MENTION];
    const wanted: readonly unknown[] = Array.isArray(kinds) ? kinds : [];
    const unknown = wanted.filter((kind) => !all.includes(kind));
    const isMention = wanted.includes(MENTION);
    const isEmpty = (list: unknown): boolean => list === undefined || (Array.isArray(list) && list.length === 0);
    return [
      ...(typeof from === 'string' && CALLER.test(from)
        ? []
        : [`${where}.from = ${printValue(from)}: must be "ntfy", "telegram:<user id>" or "irc:<account>"`]),
      ...unknown.map((kind) => `${where}.kinds: ${printValue(kind)} is none; write one of ${all.join(', ')}`),
      ...(isMention && !String(from).startsWith('irc:')
        ? [`${where}.kinds: "mention" is work that a person gives in a channel of IRC; write from = "irc:<account>"`]
        : []),
      ...(isEmpty(kinds) ? [`${where} has no kinds; write kinds = ["permission"]`] : []),
      ...(isEmpty(options) && !(isMention && wanted.length === 1)
        ? [`${where} has no options; write options = ["yes", "no"]`]
        : []),
    ];
  });
}

/** A rule without one of these would answer more than was meant, or nothing. */
function ruleMistakes(tree: Tree, file: string): string[] {
  const rules = at(tree, 'asks.rule');
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((one: unknown, i) =>
    (['agent', 'pattern', 'option'] as const).flatMap((key) => {
      const value = at(one, key);
      if (value === undefined || value === '')
        return [`${file}: asks.rule[${i + 1}] has no ${key}; write ${EXAMPLES[key]}`];
      if (key !== 'option' || typeof value !== 'string' || OFFERED.test(value)) return [];
      if (value.toLowerCase() === ALWAYS)
        return [
          `${file}: asks.rule[${i + 1}].option = ${printValue(value)}: its program would not ask again, and so act past every budget and record. Write "yes": this rule answers that each time`,
        ];
      return [
        `${file}: asks.rule[${i + 1}].option = ${printValue(value)}: no question of an agent offers that; write "yes", "no", or the number of an option`,
      ];
    }),
  );
}
/** The words of options that answer an agent's question by themselves (`offersOf` in src/screen/dialog.ts, src/sources/question.ts). */
const OFFERED = /^(?:yes|no|[1-9]\d*)$/;
const EXAMPLES = {
  agent: 'agent = "builder"',
  pattern: "pattern = 'tool: Bash\\nfolder: /home/me/app\\nnpm test'",
  option: 'option = "yes"',
} as const;

/** Every mistake of the merged configuration, in the order of the file; empty when it is right. */
export function mistakes(tree: Tree, sources: Sources, file: string): string[] {
  const read = TOML.safeParse(tree);
  const lines = read.success ? [] : read.error.issues.flatMap((issue) => fromIssue(issue, tree, sources, file));
  return [
    ...new Set([
      ...lines,
      ...outOfOrder(tree, sources, file),
      ...agentMistakes(tree, file),
      ...watchdogMistakes(tree, file),
      ...routeMistakes(tree, file),
      ...answerMistakes(tree, file),
      ...ruleMistakes(tree, file),
    ]),
  ];
}
