/** Columns of a terminal row, which letters take two of, or none. Pure. */

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const NONE = /\p{Mn}|\p{Me}|[\u200b-\u200f]|[\ufe00-\ufe0f]/u;
/** One column each: letters, dashes and bullets, arrows, frames and blocks, braille. Most rows hold nothing else. */
const SINGLE = /^[\u0020-\u02ff\u2010-\u2027\u2190-\u2199\u2500-\u25b5\u2800-\u28ff]*$/;

export const widthOf = (letter: string): number => (NONE.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1);

export const columnsOf = (text: string): number =>
  SINGLE.test(text) ? text.length : [...text].reduce((sum, letter) => sum + widthOf(letter), 0);

/** The first columns of a row, and the rest. A wide letter on the seam belongs to the rest. */
export function cutAt(row: string, columns: number): readonly [left: string, right: string] {
  if (SINGLE.test(row)) return [row.slice(0, columns), row.slice(columns)];
  let at = 0;
  let length = 0;
  for (const letter of row) {
    at += widthOf(letter);
    if (at > columns) break;
    length += letter.length;
  }
  return [row.slice(0, length), row.slice(length)];
}
