/** Other names of commands: each means one that is there, with its words behind it, and takes no name of another command. */
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { build } from '../../../src/cli/program.ts';
import { aliasesOf, withoutAliases } from '../../../src/cli/tree/aliases.ts';

const program = build(() => Promise.resolve());
const pathsOf = (command: Command, path: readonly string[]): string[] => [
  path.join(' '),
  ...command.commands.flatMap((inner) => pathsOf(inner, [...path, inner.name()])),
];
const paths = pathsOf(program, []).filter((path) => path !== '');
const aliases = paths.flatMap((path) => aliasesOf(path).map((alias) => [alias, path] as const));

// What the seeds and Gas Town call them.
test.each([
  ['dog warrants --all', 'warrant list --all'],
  ['escalate ack tw-1', 'ack tw-1'],
  ['escalation ack tw-1', 'ack tw-1'],
  ['alerts ack 417', 'ack 417'],
  ['alert ack 417', 'ack 417'],
  ['alert list', 'alerts list'],
  ['swarm create s tw-1', 'convoy create s tw-1'],
  ['escalate list', 'escalation list'],
  ['escalate close tw-1 --reason done', 'bead close tw-1 --reason done'],
  ['swarm', 'convoy'],
  ['', ''],
])('%j is %j', (typed, means) => {
  expect(withoutAliases(typed.split(' ')).join(' ')).toBe(means);
});

test('a text of one word, or of many in quotes, stays a text', () => {
  for (const argv of [
    ['escalate', 'list all databases?'],
    ['escalate', 'listing'],
    ['nudge', 'swarm', 'alert'],
  ])
    expect(withoutAliases(argv)).toEqual(argv);
});

test('each alias means a command that is there, and is none itself', () => {
  expect(aliases.length).toBeGreaterThan(5);
  expect(aliases.filter(([alias]) => paths.includes(alias))).toEqual([]);
});

test('the help of a command names its aliases', () => {
  let said = '';
  const list = program.commands.find((one) => one.name() === 'warrant')?.commands.find((one) => one.name() === 'list');
  list?.configureOutput({ writeOut: (text) => void (said += text) }).outputHelp();
  expect(said).toContain('\nAlso: town dog warrants\n');
});
