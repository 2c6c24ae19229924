/** Columns of a terminal row, which letters take two of, or none. Pure. */

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const NONE = /\p{Mn}|\p{Me}|[\u200b-\u200f]|[\ufe00-\ufe0f]/u;
const ASCII = /^[\u0020-\u007e]*$/;

const widthOf = (letter: string): number => (NONE.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1);

export const columnsOf = (text: string): number =>
  ASCII.test(text) ? text.length : [...text].reduce((sum, letter) => sum + widthOf(letter), 0);

/** The first columns of a row, and the rest. A wide letter on the seam belongs to the rest. */
export function cutAt(row: string, columns: number): readonly [left: string, right: string] {
  if (ASCII.test(row)) return [row.slice(0, columns), row.slice(columns)];
  let at = 0;
  let left = '';
  for (const letter of row) {
    at += widthOf(letter);
    if (at > columns) return [left, row.slice(left.length)];
    left += letter;
  }
  return [row, ''];
}
