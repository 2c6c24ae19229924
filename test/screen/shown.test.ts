/** What was added between two looks at a pane, for those who follow it. */
import { expect, test } from 'vitest';
import { appendedRows } from '../../src/cli/screens/shown.ts';

test.each<[string, string[], string[], string[]]>([
  ['nothing before', [], ['a', 'b'], ['a', 'b']],
  ['nothing new', ['a', 'b'], ['a', 'b'], []],
  ['lines added', ['a', 'b'], ['a', 'b', 'c', 'd'], ['c', 'd']],
  ['the same line again', ['a', 'a'], ['a', 'a', 'a'], ['a']],
  ['a last line that went on', ['a', 'compil'], ['a', 'compiling', 'done'], ['compiling', 'done']],
  ['a full history, whose first lines went', ['a', 'b', 'c', 'd'], ['c', 'd', 'e', 'f'], ['e', 'f']],
  ['a screen that was redrawn', ['> 1', 'working', 'x'], ['> 1', 'ready', 'y'], ['ready', 'y']],
  ['a screen that was cleared', ['a', 'b', 'c'], [], []],
])('%s', (_, before, after, added) => {
  expect(appendedRows(before, after)).toEqual(added);
});
