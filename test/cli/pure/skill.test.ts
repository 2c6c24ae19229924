/** The skill file says nothing that the program does not know. */
import { expect, test } from 'vitest';
import { build, EXITS } from '../../../src/cli/program.ts';
import { TOWN_TOOLS } from '../../../src/cli/commands/mcp-town.ts';
import { SKILL } from '../../../src/cli/skill-text.ts';
import type { Command } from 'commander';

/** The words of a line of a shell: quoted ones are one word, and a comment ends it. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/\s+#.*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);

const LINES = SKILL.split('\n').filter((line) => line.startsWith('town '));

const quiet = (command: Command): void => {
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  command.commands.forEach(quiet);
};

test.each(LINES)('`%s` is a command', async (line) => {
  const ran: string[] = [];
  const program = build(() => Promise.resolve(void ran.push(line)));
  quiet(program);
  await program.parseAsync(wordsOf(line).slice(1), { from: 'user' });
  expect(ran).toEqual([line]);
});

test('its code blocks hold such lines alone, and it names each of the states, codes and tools as they are', () => {
  const blocks = [...SKILL.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, lines = '']) => lines.trim().split('\n'));
  expect(blocks).toEqual(LINES);
  const [, states = ''] = /The states are (.*)\. Report/.exec(SKILL) ?? [];
  const known = TOWN_TOOLS['report_status']!.input.shape['status'] as unknown as { options: string[] };
  expect([...states.matchAll(/`(\w+)`/g)].map(([, state]) => state).sort()).toEqual([...known.options].sort());
  const [, tools = ''] = /the tools of `town mcp`, use ([^]*?) in place/.exec(SKILL) ?? [];
  for (const [, tool = ''] of tools.matchAll(/`(\w+)`/g)) expect(Object.keys(TOWN_TOOLS)).toContain(tool);
  const [, codes = ''] = /how it went: ([^]*?)\. Mail/.exec(SKILL) ?? [];
  expect([...codes.matchAll(/\d/g)].map(([code]) => code)).toEqual(EXITS.map((exit) => exit[0]));
});

test('programs find its name and what it is for in its front matter', () => {
  const [, matter = ''] = /^---\n([^]*?)\n---\n/.exec(SKILL) ?? [];
  expect(matter).toMatch(/^name: [a-z-]{1,64}\ndescription: .{1,1024}$/);
});
