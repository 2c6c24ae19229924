/** What prompts tell a model to type: each command of ours in them is one, with its options. */
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { build } from '../../../src/cli/program.ts';
import { deaconPrompt, witnessPrompt } from '../../../src/patrols/agent/prompt.ts';
import { polecatPrompt } from '../../../src/rigs/prompt.ts';
import { promptOf } from '../../../src/triage/prompt.ts';
import { bead } from '../../ledger/beads.ts';

const PROMPTS: Readonly<Record<string, string>> = {
  witness: witnessPrompt('shop'),
  deacon: deaconPrompt(),
  reasoner: promptOf([], 'm1', 1_000),
  polecat: polecatPrompt({
    polecat: { rig: 'shop', name: 'nux' },
    bead: bead('tw-1'),
    dir: '/town/shop/polecats/nux',
    main: null,
    base: 'a'.repeat(40),
    earlier: null,
    mark: 'm1',
  }),
};
const program: Command = build(() => Promise.resolve());

/** What is wrong with it; null = it is a command, and its options are. */
function mistakeIn(line: string): string | null {
  let at = program;
  for (const word of line.split(' ').slice(1)) {
    const inner = at.commands.find((one) => one.name() === word);
    if (inner === undefined) break;
    at = inner;
  }
  if (at.commands.length > 0) return `${line}: ${at.name()} has no such command`;
  const flags = [...line.matchAll(/ (-{1,2}[a-z][a-z-]*)/g)].map(([, flag]) => flag);
  const odd = flags.find((flag) => !at.options.some(({ long, short }) => flag === long || flag === short));
  return odd === undefined ? null : `${line}: ${at.name()} has no ${odd}`;
}

// Rules: P-14, W-8.
test.each(Object.entries(PROMPTS))('the prompt of a %s names commands that there are', (_, text) => {
  const lines = [...text.matchAll(/`(town [^`]+)`/g)].map(([, line = '']) => line.replaceAll(/\s+/g, ' '));
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.flatMap((line) => mistakeIn(line) ?? [])).toEqual([]);
});
