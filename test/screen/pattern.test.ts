/** Patterns of packs: their modifiers become flags, or are refused. */
import { describe, expect, test } from 'vitest';
import { patternOf } from '../../src/screen/pattern.ts';

describe('a pattern that ignores case', () => {
  test.each([
    ['(?i:allow)', 'allow'],
    ['(?i:(?:a|b)[)(] \\) c)', '(?:a|b)[)(] \\) c'],
    ['(?i:^(?:(?!\\bbrowser\\b).)*\\bto [(\\[])', '^(?:(?!\\bbrowser\\b).)*\\bto [(\\[]'],
  ])('%s has a flag and no modifier', (source, inner) => {
    expect(patternOf(source)).toEqual(new RegExp(inner, 'ui'));
  });

  test.each(['(?i:a)b', 'a(?i:b)', '(?i:a)|(?i:b)', '(?i:a(?-i:b))', '(?s:.)', '(?i:(?m:^a))'])(
    '%s is refused, since its modifier is for a part',
    (source) => {
      expect(() => patternOf(source)).toThrow(/write \(\?i:…\) around the whole pattern/);
    },
  );

  test.each(['a(?:b|c)', '[(?i:]', '\\(?i:\\)', '(?<name>a)(?=b)(?!c)(?<!d)'])('%s has none', (source) => {
    expect(patternOf(source)).toEqual(new RegExp(source, 'u'));
  });

  test('one that is no pattern is refused in the words of the engine', () => {
    expect(() => patternOf('(?i:a')).toThrow(/Invalid regular expression/);
  });
});
