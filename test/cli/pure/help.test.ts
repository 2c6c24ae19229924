/** What `--help` says: groups, and every word of the town's own explained where it is used. */
import { expect, test } from 'vitest';
import type { Command } from 'commander';
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

test('the first page, in groups', async () => {
  await expect(helpOf(program)).toMatchFileSnapshot('help.txt');
});

test.each(all(program).map((command) => [nameOf(command), command] as const))(
  'every word of ours in the help of `%s` is explained below it, once',
  (_, command) => {
    const help = helpOf(command);
    const [, words = ''] = help.split('\nWords:\n');
    for (const { word, seen } of GLOSSARY) {
      const explained = words.split('\n').filter((line) => line.startsWith(`  ${word}  `)).length;
      expect([word, explained]).toEqual([word, seen.test(help.replace(words, '')) || explained === 1 ? 1 : 0]);
    }
    expect(help).not.toMatch(/\b([DCPWTMFV]-\d+|law \d+)\b/i);
  },
);
