/**
 * Captured rows as runs of text that look alike. tmux carries colour from one row over to the next, and programs reset it
 * between words, so the state of every cell is followed from the first row on. Pure.
 */
import { columnsOf, cutAt } from '../terminal/columns.ts';
import { CONTROLS, ESCAPE } from './text.ts';

export interface Span {
  readonly text: string;
  readonly faint: boolean;
  readonly inverse: boolean;
}

interface Look {
  readonly faint: boolean;
  readonly inverse: boolean;
}
const PLAIN: Look = { faint: false, inverse: false };

/** The spans of each row. */
export function spansOf(rows: readonly string[]): Span[][] {
  let look = PLAIN;
  return rows.map((row) => {
    const spans: Span[] = [];
    let at = 0;
    const take = (end: number): void => {
      const text = row.slice(at, end).replace(CONTROLS, '');
      if (text !== '') spans.push({ text, ...look });
    };
    for (const escape of row.matchAll(ESCAPE)) {
      take(escape.index);
      at = escape.index + escape[0].length;
      if (escape[2] === 'm') look = after(look, escape[1] ?? '');
    }
    take(row.length);
    // Blanks at the end of a row are not captured, their look is.
    if (at > 0 && at === row.length && look.inverse) spans.push({ text: '', ...look });
    return spans;
  });
}

export const textOf = (row: readonly Span[]): string => row.map(({ text }) => text).join('');

/** Parameters of a colour of its own, which are no attributes. */
const COLOUR = new Map([
  ['2', 4],
  ['5', 2],
]);

function after(before: Look, params: string): Look {
  let look = before;
  const words = params.split(';');
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '38' || word === '48' || word === '58') at += COLOUR.get(words[at + 1] ?? '') ?? 0;
    else look = attribute(look, word);
  }
  return look;
}

function attribute(look: Look, word: string): Look {
  if (word === '' || word === '0') return PLAIN;
  if (word === '2') return { ...look, faint: true };
  if (word === '22') return { ...look, faint: false };
  if (word === '7') return { ...look, inverse: true };
  return word === '27' ? { ...look, inverse: false } : look;
}

/**
 * The row without the faint text that programs show as a suggestion. An inverse cell is the cursor: the letter below it is a
 * suggestion too where faint text follows it.
 */
export function withoutGhost(spans: readonly Span[]): string {
  return spans
    .filter(({ faint }, at) => !faint && !isCursorOnGhost(spans, at))
    .map(({ text }) => text)
    .join('');
}

/** A cell that a program shows as its cursor. */
export const isDrawnCursor = ({ inverse, text }: Span): boolean => inverse && [...text].length <= 1;

const isCursorOnGhost = (spans: readonly Span[], at: number): boolean => {
  const span = spans[at];
  return span !== undefined && isDrawnCursor(span) && spans[at + 1]?.faint === true;
};

/** Where the terminal's cursor stands; null = not known. */
type Cursor = { readonly x: number; readonly y: number } | null;

/**
 * The rows without what stands faint at the cursor: a placeholder or a completion in every program (its pack need not say so),
 * since what a person typed stands before the cursor. It goes on over rows below that are faint to their last cell. Faint words
 * with others behind them, and those in a row whose every cell is faint, prove nothing.
 */
export function withoutFaintAt(rows: readonly (readonly Span[])[], cursor: Cursor, last = cursor?.y ?? -1): Span[][] {
  const all = rows.map((row) => [...row]);
  const row = cursor === null ? undefined : rows[cursor.y];
  if (cursor === null || row === undefined) return all;
  const [before, behind] = spansAt(row, cursor.x);
  if (isFaintThrough(before) || !isFaintThrough(behind)) return all;
  all[cursor.y] = before;
  for (let at = cursor.y + 1; at <= last && isFaintThrough(rows[at] ?? []); at += 1) all[at] = [];
  return all;
}

/** Blanks and the frame of an input box, which no one types. */
const FRAME_ONLY = /^[\s│┃║█▌▐]*$/u;

/** Words, and each of them faint; a letter below a cursor that the program draws is as the others. */
const isFaintThrough = (spans: readonly Span[]): boolean =>
  spans.some(({ faint, text }) => faint && !FRAME_ONLY.test(text)) &&
  spans.every(({ faint, text }, at) => faint || FRAME_ONLY.test(text) || isCursorOnGhost(spans, at));

/** What stands before a column, and what from it on. */
function spansAt(row: readonly Span[], column: number): [Span[], Span[]] {
  const before: Span[] = [];
  const behind: Span[] = [];
  let left = column;
  for (const span of row) {
    const [head, tail] = cutAt(span.text, Math.max(0, left));
    left -= columnsOf(span.text);
    if (head !== '') before.push({ ...span, text: head });
    if (tail !== '') behind.push({ ...span, text: tail });
  }
  return [before, behind];
}
