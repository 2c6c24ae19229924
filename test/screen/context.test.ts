import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contextUsed } from '../../src/screen/context.ts';
import { Packs } from '../../src/screen/packs.ts';
import { TimeLimit } from '../../src/screen/time-limit.ts';

const packs = new Packs();
const fixture = (name: string): string[] =>
  readFileSync(join(import.meta.dirname, 'fixtures', `${name}.txt`), 'utf8').split('\n');

test.each([
  ['claude', fixture('claude-busy-footer'), 88],
  ['claude', ['  bypass permissions on - 1 background task - Context left until auto-compact: 4%'], 96],
  ['claude', fixture('claude-idle'), null],
  ['claude', ['12% context left', 'one', 'two', 'three'], null],
  ['codex', fixture('generic-busy-codex'), 20],
  ['codex', ['  ? for shortcuts                     88% context left'], 12],
  ['codex', ['gpt-5.1-codex-max default · 100% left · ~/rig'], 0],
  ['codex', ['  gpt-5.6-sol medium · Context 40% left'], 60],
  ['codex', ['  gpt-5.4 high fast · ~/code/codex-1 · Context 7% used                Shell mode'], 7],
  ['gemini', ['~/rig (main*)     no sandbox (see /docs)     gemini-2.5-pro (99% context left)'], 1],
  ['generic', ['  gpt-5 · 80% context left'], null],
])('%s: %j has used %j percent', (name, rows, used) => {
  expect(contextUsed(packs.named(name), rows)).toBe(used);
});

test('patterns that take too long tell nothing', () => {
  const limit = new TimeLimit(() => undefined, 20);
  const slow = { context_left: [/^(?:a+)+(\d)$/u], context_used: [], limit };
  expect(contextUsed(slow, [`${'a'.repeat(60)}!`])).toBeNull();
});
