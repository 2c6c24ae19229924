/**
 * Finds where a program takes its input, and what stands there half typed. Where the cursor is known it stands in a composer:
 * one without it is a quotation, or lies behind a dialog. Pure.
 */
import { columnsOf, cutAt } from '../terminal/columns.ts';
import { matches } from './matching.ts';
import type { ComposerShape } from './pack.ts';
import type { Composer, Picture } from './screen.ts';
import { isDrawnCursor, textOf, withoutFaintAt, withoutGhost, type Span } from './spans.ts';
import { isBlank } from './text.ts';

interface Block {
  readonly from: number;
  readonly to: number;
  /** Its rows with input, from and up to. */
  readonly first: number;
  readonly last: number;
}

type Cursor = Picture['cursor'];

/** The first shape that is there; null = none is, and text may not be typed into what replaced it. */
export function composerOn(
  shapes: readonly ComposerShape[],
  rows: readonly string[],
  spans: readonly (readonly Span[])[],
  cursor: Cursor,
): Composer | null {
  for (const shape of shapes) {
    const block = blockOf(shape, rows, cursor);
    if (block === null || !fits(shape, block, rows)) continue;
    const own = cursor === null ? null : cursorIn(block, spans, cursor);
    if (own === undefined) continue;
    return { from: block.from, to: block.to, draft: draftOf(shape, block, spans, own) };
  }
  return null;
}

function fits(shape: ComposerShape, block: Block, rows: readonly string[]): boolean {
  const { first, last, to } = block;
  const below = rows.slice(to + 1).filter((row) => !isBlank(row));
  if (below.length > shape.footer || last - first + 1 > shape.rows) return false;
  if (shape.below?.test(linesOf(below)) === false) return false;
  if (shape.block?.test(linesOf(rows.slice(first, last + 1))) === false) return false;
  return shape.prompt === undefined || shape.prompt.test(inner(shape, rows[first] ?? ''));
}

const linesOf = (rows: readonly string[]): string => rows.map((row) => row.trimEnd()).join('\n');

/** The terminal's cursor, or where that is parked below all the one that the program draws itself; undefined = none is in it. */
function cursorIn(
  { first, last }: Block,
  spans: readonly (readonly Span[])[],
  cursor: NonNullable<Cursor>,
): NonNullable<Cursor> | undefined {
  if (cursor.y >= first && cursor.y <= last) return cursor;
  if (cursor.x > 0 || cursor.y <= spans.findLastIndex((row) => !isBlank(textOf(row)))) return undefined;
  const y = spans.findIndex((row, at) => at >= first && at <= last && row.some(isDrawnCursor));
  const row = spans[y] ?? [];
  return y < 0 ? undefined : { x: columnsOf(textOf(row.slice(0, row.findIndex(isDrawnCursor)))), y };
}

const blockOf = (shape: ComposerShape, rows: readonly string[], cursor: Cursor): Block | null =>
  shape.bottom === undefined ? openBlock(shape, rows, cursor) : closedBlock(shape, shape.bottom, rows);

/** Above the last row of the shape `bottom`. */
function closedBlock({ top, row, rows: most }: ComposerShape, bottom: RegExp, rows: readonly string[]): Block | null {
  const to = rows.findLastIndex((text) => bottom.test(text));
  let first = to;
  while (first > 0 && to - first < most) {
    const text = rows[first - 1] ?? '';
    if (top?.test(text) === true || row?.test(text) === false) break;
    first -= 1;
  }
  if (to < 1 || first === to) return null;
  if (top === undefined) return { from: first, to, first, last: to - 1 };
  return top.test(rows[first - 1] ?? '') ? { from: first - 1, to, first, last: to - 1 } : null;
}

/** From the last row with the prompt to the next blank one, or, with a draft of several paragraphs, to the cursor's. */
function openBlock(shape: ComposerShape, rows: readonly string[], cursor: Cursor): Block | null {
  const prompted = rows.findLastIndex((text) => shape.prompt?.test(inner(shape, text)) ?? false);
  if (prompted < 0) return null;
  const first = rows.findLastIndex((_, at) => at <= prompted && shape.continued?.test(rows[at - 1] ?? '') !== true);
  const endFrom = (at: number): number => {
    const end = rows.findIndex((text, below) => below > at && (isBlank(text) || shape.row?.test(text) === false));
    return (end < 0 ? rows.length : end) - 1;
  };
  let last = endFrom(first);
  if (cursor !== null && cursor.y > last && isDraft(shape, rows.slice(first + 1, cursor.y + 1)))
    last = endFrom(cursor.y);
  if (shape.top === undefined) return { from: first, to: last, first, last };
  const from = rows.findLastIndex((text, at) => at < first && shape.preface?.test(text) !== true);
  return shape.top.test(rows[from] ?? '') ? { from, to: last, first, last } : null;
}

const isDraft = ({ row }: ComposerShape, rows: readonly string[]): boolean =>
  row !== undefined && rows.every((text) => isBlank(text) || row.test(text));

function withoutLeft({ sides }: Pick<ComposerShape, 'sides'>, text: string): string {
  const left = sides?.exec(text);
  return left?.index === 0 ? text.slice(left[0].length) : text;
}

function inner({ sides }: ComposerShape, text: string): string {
  if (sides === undefined) return text;
  const rest = withoutLeft({ sides }, text);
  const reversed = [...rest].reverse().join('');
  const right = sides.exec(reversed);
  return right?.index === 0 ? rest.slice(0, rest.length - right[0].length) : rest;
}

const INVISIBLE = /[\u200b-\u200f\ufeff]/g;

function draftOf(shape: ComposerShape, block: Block, spans: readonly (readonly Span[])[], cursor: Cursor): string {
  const { first, last } = block;
  const isGhost = shape.faint === 'ghost' && !isPromptFaint(shape, spans[first] ?? []);
  const bare = isGhost ? withoutGhost : textOf;
  // Faint at the cursor is a suggestion in every program; elsewhere its pack says what faint cells are.
  const bared = withoutFaintAt(spans, cursor, last)
    .slice(first, last + 1)
    .map(bare);
  const typed = bared.map((row) => inner(shape, row).replace(INVISIBLE, '').trimEnd());
  for (let own = shape.status; own > 0; own -= 1) {
    const at = typed.findLastIndex((row) => !isBlank(row));
    if (at >= 0) typed.splice(at);
  }
  const text = typed
    .map((row, at) => row.replace((at === 0 ? shape.prompt : shape.continued) ?? '', '').trim())
    .join('\n')
    .trim();
  const isTold = isGhost && spans.some((row) => row.length > 1);
  const isSuggested = !isTold && matches(shape.ghosts, text.replaceAll('\n', ' ')) && isBefore(text, spans, cursor);
  if (text !== '' && !isSuggested) return text;
  const ghost = spans.slice(first, last + 1).some((row, at) => !isBlank(textOf(row)) && bared[at] !== textOf(row));
  return unseenIn(shape, block, spans, cursor, isSuggested || ghost);
}

/** Typed blanks: they take rows, the suggestion gave way to them, or they stand before the cursor. */
function unseenIn(
  shape: ComposerShape,
  { first, last }: Block,
  spans: readonly (readonly Span[])[],
  cursor: Cursor,
  isSuggested: boolean,
): string {
  if (!isSuggested && last - first + 1 > shape.blank_rows) return '\n';
  if (cursor === null) return '';
  if (!isSuggested && shape.suggests) return '\n';
  const [before] = cutAt(textOf(spans[cursor.y] ?? []).padEnd(cursor.x), cursor.x);
  return withoutLeft(shape, before).replace((cursor.y === first ? shape.prompt : shape.continued) ?? '', '');
}

/** Where even the prompt is faint, colour tells no suggestion from what is typed. */
function isPromptFaint(shape: ComposerShape, row: readonly Span[]): boolean {
  const sign = shape.prompt?.exec(inner(shape, textOf(row)))?.[0].trim() ?? '';
  return sign !== '' && row.find(({ text }) => text.includes(sign))?.faint === true;
}

/** The text behind the cursor was not typed, from its first letter on. */
function isBefore(text: string, spans: readonly (readonly Span[])[], cursor: Cursor): boolean {
  if (cursor === null) return true;
  const row = textOf(spans[cursor.y] ?? []);
  const [start = ''] = text.split('\n');
  const at = row.indexOf(start);
  return at >= 0 && cursor.x <= columnsOf(row.slice(0, at));
}
