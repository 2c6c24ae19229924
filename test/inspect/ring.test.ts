/** The memory of events: however many and however large, it keeps the newest within both bounds, in their order. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ring } from '../../src/inspect/ring.ts';

test('keeps exactly the newest that fit, in order', () => {
  const limits = { ringEvents: 7, ringChars: 60 };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 70 }), { maxLength: 200 }), (lengths) => {
      const ring = new Ring(limits);
      const texts = lengths.map((length, n) => `${n}:`.padEnd(length, '.'));
      for (const text of texts) ring.push(text);
      const wanted: string[] = [];
      for (const text of texts.filter(({ length }) => length <= limits.ringChars).reverse()) {
        if (wanted.length === limits.ringEvents || [...wanted, text].join('').length > limits.ringChars) break;
        wanted.unshift(text);
      }
      expect(ring.texts).toEqual(wanted);
    }),
  );
});
