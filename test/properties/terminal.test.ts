/** The door to the terminal: of any text nothing is left that steers, what is ours arrives, and JSON loses nothing. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { showInvisible } from '../../machines/kernel/visible-text.ts';
import { jsonText, leaving, own, inStyle } from '../../src/terminal/streams.ts';

/** Controls, and what turns the direction of a text. */
const CONTROLS = /[\0-\x08\v-\x1f\x7f-\x9f]/;
const STEERS = /[\0-\x08\v-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\u001b', '[', '0', 'm', '\u009b', '\r', '\n', '\t', '\u202e', '\u2069', ']', '\u0007'),
  }),
);

test('nothing that steers leaves, nothing else is left out, and what is invisible is named', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const kept = [...text].filter((sign) => !CONTROLS.test(sign)).join('');
      expect(leaving(text)).toBe(showInvisible(kept));
      expect(leaving(text)).not.toMatch(STEERS);
    }),
  );
});

test('what is ours leaves as it is meant, with any text beside or within it', () => {
  fc.assert(
    fc.property(anyText, anyText, (before, after) => {
      const said = `${before}${own('\u001b[2J')}${inStyle('red', before)}${after}`;
      expect(leaving(said)).toBe(
        `${leaving(before)}\u001b[2J${leaving(inStyle('red', ''))}${leaving(before)}${leaving(after)}`,
      );
    }),
  );
});

test('JSON says the same, and nothing in it steers', () => {
  fc.assert(
    fc.property(fc.jsonValue(), anyText, fc.constantFrom(undefined, 2), (value, text, indent) => {
      const said = jsonText({ [text]: text, value }, indent);
      expect(said).not.toMatch(STEERS);
      expect(leaving(said)).toBe(said);
      expect(JSON.stringify(JSON.parse(said))).toBe(JSON.stringify({ [text]: text, value }));
    }),
  );
});
