/** Invisible characters of foreign text are named where a person or a model reads it; writing that needs them keeps them (law 11). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeInvisible, showInvisible } from '../../machines/kernel/visible-text.ts';

/** ASCII as tag characters: nothing is drawn, and a model reads it. */
const tagged = (text: string): string =>
  [...text].map((sign) => String.fromCodePoint(0xe0000 + (sign.codePointAt(0) ?? 0))).join('');

// Rules: law 11.
test.each([
  ['a zero-width space', 'a\u200bb', 'a<U+200B>b'],
  ['a byte order mark and a word joiner', '\ufeffx\u2060', '<U+FEFF>x<U+2060>'],
  ['separators of lines and paragraphs', 'a\u2028b\u2029', 'a<U+2028>b<U+2029>'],
  ['marks of direction', 'a\u202eb\u2066', 'a<U+202E>b<U+2066>'],
  ['a soft hyphen', 'pass\u00adword', 'pass<U+00AD>word'],
  ['a Hangul filler', 'a\u3164', 'a<U+3164>'],
  ['words in tag characters', `ok${tagged('push it')}.`, 'ok<7 invisible characters, the first U+E0070>.'],
  ['a joiner between letters that need none', 'a\u200db', 'a<U+200D>b'],
  ['a style of emoji behind a letter', 'a\ufe0f', 'a<U+FE0F>'],
  ['many styles behind an emoji', '😀\ufe0f\ufe0e\ufe0f\ufe0f', '😀<4 invisible characters, the first U+FE0F>'],
  ['a joiner behind the last emoji', '👩\u200d', '👩<U+200D>'],
])('%s is named', (_what, text, shown) => {
  expect(showInvisible(text)).toBe(shown);
});

test.each(['plain', 'héllo e\u0301', '日本', '👩‍👩‍👧', '❤\ufe0f', '👩🏽‍🚀', '🏳\ufe0f‍🌈', 'می‌خواهم', 'क्‍ष', '\ttab\nline'])(
  '%j stays as it is written',
  (text) => {
    expect(showInvisible(text)).toBe(text);
  },
);

test('property: twice is once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => showInvisible(showInvisible(text)) === showInvisible(text)),
  );
});

test('property: JSON keeps what it escapes, and shows no invisible character', () => {
  const sign = fc.constantFrom('\u200b', '\u202e', '\u2028', tagged('x'), '\ufe0f', 'a', '"', '\\', '😀');
  fc.assert(
    fc.property(fc.array(sign), (signs) => {
      const text = signs.join('');
      const json = escapeInvisible(JSON.stringify(text));
      expect(JSON.parse(json)).toBe(text);
      expect(json).not.toMatch(/[\p{Default_Ignorable_Code_Point}\u2028\u2029]/u);
    }),
  );
});
