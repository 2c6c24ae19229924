/**
 * Chance as data: numbers, codes and ids drawn from a town's entropy and a key, so that machines stay pure and a test can
 * repeat a night. Not for cryptography: a code only has to be unguessable by an agent that does not try.
 */

/** FNV-1a with a final avalanche; 32 bits, unsigned. */
export function hash32(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A number in [0, 1). */
const fraction = (entropy: string, key: string): number => hash32(`${entropy}|${key}`) / 2 ** 32;

/** `ms` spread by up to `share` either way. */
export const spread = (ms: number, share: number, entropy: string, key: string): number =>
  Math.round(ms * (1 + share * (2 * fraction(entropy, key) - 1)));

/** Letters and digits that a person does not mix up. */
const LETTERS = 'ABCDEFGHJKLMNPQRTUVWXYZ';
const DIGITS = '2346789';
const SIGNS = `${LETTERS}${DIGITS}`;

/** A code of four signs, a letter first and a digit in it, so that it is no word: `K73F`. */
export function codeOf(entropy: string, key: string): string {
  const draw = (n: number, from: string): string => from[hash32(`${entropy}|${key}|${n}`) % from.length] ?? 'A';
  return draw(0, LETTERS) + draw(1, SIGNS) + draw(2, DIGITS) + draw(3, SIGNS);
}

/** A UUID (version 4 in form). */
export function uuidOf(entropy: string, key: string): string {
  const hex = [0, 1, 2, 3].map((n) => hash32(`${n}|${entropy}|${key}`).toString(16).padStart(8, '0')).join('');
  const variant = '89ab'[parseInt(hex[16] ?? '0', 16) % 4] ?? '8';
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
