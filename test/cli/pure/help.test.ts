/** What `--help` says: groups, and every word of the town's own explained where it is used. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Command } from 'commander';
import { build as bdProgram } from '../../../src/cli/bd/front.ts';
import { build } from '../../../src/cli/program.ts';
import { GLOSSARY } from '../../../src/cli/tree/glossary.ts';

const program = build(() => Promise.resolve());

function helpOf(command: Command): string {
  let said = '';
  command.configureOutput({ writeOut: (text) => void (said += text) }).outputHelp();
  return said;
}
const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;

/** Words of the rules that mean in a help what they mean anywhere. */
const PLAIN = new Set([
  'agent',
  'session',
  'life',
  'adopted',
  'foreign',
  'requester',
  'window',
  'code',
  'sign of life',
  'verdict',
  'pardon',
  'execution',
  'escalated',
  'rescue',
  'survivor',
  'daemon',
  'dialog',
  'episode',
]);
/** Those that a person who types commands does not need. */
const INSIDE = ['incarnation', 'kennel', 'tick', 'beat', 'mayor', 'tree'];
const [page = ''] = readFileSync(new URL('../../../docs/words.md', import.meta.url), 'utf8').split(
  '## Words of the code',
);
const ours = [...page.matchAll(/^- \*\*(.+?)\*\*: /gm)].flatMap(([, words = '']) => words.split(', '));
const unexplained = [...ours, ...INSIDE].filter(
  (word) => !PLAIN.has(word) && !GLOSSARY.some((one) => one.word.split(', ').includes(word)),
);
const MAX_COLUMNS = 80;

test('the first page, in groups', async () => {
  await expect(helpOf(program)).toMatchFileSnapshot('help.txt');
});

test.each(program.commands.map((command) => [command.name(), command] as const))(
  'a line that begins with `%s` has its commands as in the whole tree',
  (name, command) => {
    const part = build(() => Promise.resolve(), name);
    expect(part.commands.length).toBeLessThan(program.commands.length / 2);
    const same = part.commands.find((one) => one.name() === name);
    expect(all(same!).map(helpOf)).toEqual(all(command).map(helpOf));
  },
);

test('a line that begins with no command has the whole tree', () => {
  expect(all(build(() => Promise.resolve(), 'statsu')).map(nameOf)).toEqual(all(program).map(nameOf));
});

test.each(all(program).map((command) => [nameOf(command), command] as const))(
  'every word of ours in the help of `%s` is explained below it, once, and no line is too long',
  (_, command) => {
    const help = helpOf(command);
    expect(help).not.toContain('default: []');
    const [, words = ''] = help.split('\nWords:\n');
    for (const { word, seen } of GLOSSARY) {
      const explained = words.split('\n').filter((line) => line.startsWith(`  ${word}  `)).length;
      expect([word, explained]).toEqual([word, seen.test(help.replace(words, '')) || explained === 1 ? 1 : 0]);
    }
    const used = unexplained.filter((word) => new RegExp(`\\b${word}s?\\b`, 'i').test(help));
    expect(used).toEqual([]);
    expect(help.split('\n').filter((line) => line.length > MAX_COLUMNS)).toEqual([]);
    expect(help).not.toMatch(/\b([DCPWTMFV]-\d+|law \d+)\b/i);
  },
);

test('each verb of `town bd` has a sentence in its help', () => {
  const silent = all(bdProgram(() => Promise.resolve())).filter((command) => command.description() === '');
  expect(silent.map(nameOf)).toEqual([]);
});
