/** What may happen to a file between two looks. */
import fc from 'fast-check';

export const damage = fc.record({
  kind: fc.constantFrom('flip', 'flip', 'cut', 'empty', 'double', 'newer', 'noise'),
  at: fc.nat(100_000),
  bit: fc.nat(6),
});
export type Damage = typeof damage extends fc.Arbitrary<infer D> ? D : never;

export function damaged(text: string, { kind, at, bit }: Damage): string {
  const where = at % Math.max(1, text.length);
  switch (kind) {
    case 'flip':
      return text.slice(0, where) + String.fromCharCode(text.charCodeAt(where) ^ (1 << bit)) + text.slice(where + 1);
    case 'cut':
      return text.slice(0, where);
    case 'empty':
      return '';
    case 'double':
      return text.slice(0, where) + text + text.slice(where);
    case 'newer':
      return text.replace(/"schema":"([a-z-]+)\/1"/, '"schema":"$1/2"');
    case 'noise':
      return `\u0000\u0001{]${String(at)}`;
  }
}
