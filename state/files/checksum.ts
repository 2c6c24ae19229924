/**
 * How a record becomes a file: one line of JSON whose last field, `sum`, is the CRC-32 of the rest, so that a flipped
 * byte is seen even where it would read well (`"observedMs":1` and `"observedMs":9`).
 * A file without `sum` comes from a person or another program; it counts if its schema does. The sum shows accidents; it
 * is no signature.
 */
import { crc32 } from 'node:zlib';

const SUM_DIGITS = 8;

function sumOf(text: string): string {
  return crc32(text).toString(16).padStart(SUM_DIGITS, '0');
}

/** A short fingerprint of any text, for names and comparisons inside the town. */
export const fingerprint = sumOf;

/** The text of a record's file. `value` must have at least one field. */
export function withChecksum(value: object): string {
  const text = JSON.stringify(value);
  return `${text.slice(0, -1)},"sum":"${sumOf(text)}"}\n`;
}

export type Checked =
  /** `sum`: whether the file vouches for itself. */
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>>; readonly sum: 'fits' | 'none' | 'wrong' }
  /** `cut`: no JSON at all, as while another program is still writing it. */
  | { readonly ok: false; readonly cut: boolean; readonly why: string };

/** The object in a file, without its sum; layout of the JSON does not matter. */
export function withoutChecksum(text: string): Checked {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { ok: false, cut: true, why: text.trim() === '' ? 'it is empty' : 'it is not JSON' };
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { ok: false, cut: false, why: 'it is not a JSON object' };
  }
  if (!('sum' in json)) return { ok: true, value: { ...json }, sum: 'none' };
  const { sum, ...value } = json;
  // Our texts come from JSON.stringify, so the same fields in the same order give the same text again.
  return { ok: true, value, sum: sum === sumOf(JSON.stringify(value)) ? 'fits' : 'wrong' };
}
