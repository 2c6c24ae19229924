/** A text that is a verb of a group is not taken for a text: `town escalate list` escalates nothing. */
import { expect, test } from 'vitest';
import { Command } from 'commander';
import { build } from '../../../src/cli/program.ts';
import { verbTyped } from '../../../src/cli/tree/shape.ts';

const program = build(() => Promise.resolve());
const called = (name: string): Command => program.commands.find((one) => one.name() === name) ?? new Command('none');
const VERBS = called('escalation').commands.map((one) => one.name());

/** What is said of these words behind `town escalate`; null = they are taken. */
function refusalOf(...words: string[]): string | null {
  const escalate = called('escalate');
  escalate.args = words;
  return verbTyped(escalate)?.message ?? null;
}

test.each([...VERBS, 'List', ' list '])('town escalate %j names the command that was meant', (verb) => {
  expect(VERBS).toContain('list');
  expect(refusalOf(verb)).toContain(`type \`town escalation ${verb.trim().toLowerCase()}\``);
  expect(refusalOf(verb, 'tw-1')).toContain('town escalation');
});

test.each(['which database?', 'list all databases?', 'listing', ''])('town escalate %j is a text', (text) => {
  expect(refusalOf(text)).toBeNull();
});
