/** How a text differs, as a person is shown it before a file changes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differenceOf } from '../../src/hooks/difference.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}', ''), { maxLength: 12 });

test('what is shown, put in the place of what it shows to be old, makes the new text', () => {
  fc.assert(
    fc.property(lines, lines, (old, now) => {
      const shown = differenceOf(`${old.join('\n')}\n`, `${now.join('\n')}\n`);
      const side = (signs: string) =>
        shown.filter((line) => signs.includes(line[0] ?? '')).map((line) => line.slice(1));
      const [was, is] = [side(' -'), side(' +')];
      const [from, to] = [old, now].map((all) => (all.length === 0 ? [''] : all)) as [string[], string[]];
      const makes = (at: number) =>
        from.slice(at, at + was.length).join('\n') === was.join('\n') &&
        from.toSpliced(at, was.length, ...is).join('\n') === to.join('\n');
      expect(from.some((_, at) => makes(at)) || makes(from.length)).toBe(true);
    }),
  );
});

test('only what differs is shown, with three lines around it', () => {
  const old = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
  const now = old.flatMap((line) => (line === '5' ? ['5', 'new'] : line === '6' ? [] : [line]));
  expect(differenceOf(old.join('\n'), now.join('\n'))).toEqual([' 3', ' 4', ' 5', '-6', '+new', ' 7', ' 8', ' 9']);
  expect(differenceOf('same\n', 'same\n')).toEqual([]);
  expect(differenceOf('', 'a\nb\n')).toEqual(['+a', '+b']);
});
