/** Commands as people read them. */
import { expect, test } from 'vitest';
import { programText } from '../../machines/kernel/command-text.ts';

test.each([
  [['claude'], 'claude'],
  [['town', 'refinery', 'shop'], 'town refinery shop'],
  [['/bin/sh', '-c', 'town refinry shop'], 'town refinry shop'],
  [['npm', 'run', 'agent', 'now'], 'npm run agent …'],
  [['claude', '--api-key', 'sk-ant-api03-x'], 'claude …'],
  [['env', 'KEY=sk-ant-api03-x', 'claude'], 'env …'],
  [['/bin/sh', '-c', 'KEY=sk-ant-api03-x claude'], 'KEY=… claude'],
  [['claude', 'Fix the login.\nThe key is sk-ant-api03-x'], 'claude Fix the …'],
  [['agent', 'sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz'], 'agent …'],
])('%j is shown as %s', (words, text) => {
  expect(programText(words)).toBe(text);
});
