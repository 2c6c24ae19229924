/** Finds where a program takes its input, and what stands there half typed. Pure. */
import { matches, type ComposerShape } from './pack.ts';
import type { Composer, Picture } from './screen.ts';
import { withoutGhost, type Span } from './spans.ts';
import { isBlank } from './text.ts';

interface Block {
  readonly from: number;
  readonly to: number;
  /** Its rows with input, from and up to. */
  readonly first: number;
  readonly last: number;
}

/** The first shape that is there; null = none is, and whatever replaced it may not be typed into. */
export function composerOn(
  shapes: readonly ComposerShape[],
  rows: readonly string[],
  spans: readonly (readonly Span[])[],
  cursor: Picture['cursor'],
): Composer | null {
  for (const shape of shapes) {
    const block = blockOf(shape, rows);
    if (block === null || !fits(shape, block, rows, cursor)) continue;
    return { from: block.from, to: block.to, draft: draftOf(shape, block, spans) };
  }
  return null;
}

function fits(
  shape: ComposerShape,
  { first, last, to }: Block,
  rows: readonly string[],
  cursor: Picture['cursor'],
): boolean {
  const below = rows.slice(to + 1).filter((row) => !isBlank(row)).length;
  if (below > shape.footer || last - first + 1 > shape.rows) return false;
  if (shape.cursor && cursor !== null && (cursor.y < first || cursor.y > last)) return false;
  return shape.prompt === undefined || shape.prompt.test(inner(shape, rows[first] ?? ''));
}

const blockOf = (shape: ComposerShape, rows: readonly string[]): Block | null =>
  shape.bottom === undefined ? openBlock(shape, rows) : closedBlock(shape, shape.bottom, rows);

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

/** From the last row with the prompt to the next blank one. */
function openBlock(shape: ComposerShape, rows: readonly string[]): Block | null {
  const first = rows.findLastIndex((text) => shape.prompt?.test(inner(shape, text)) ?? false);
  if (first < 0) return null;
  const end = rows.findIndex((text, at) => at > first && (isBlank(text) || shape.row?.test(text) === false));
  const last = (end < 0 ? rows.length : end) - 1;
  if (shape.top === undefined) return { from: first, to: last, first, last };
  return shape.top.test(rows[first - 1] ?? '') ? { from: first - 1, to: last, first, last } : null;
}

function inner({ sides }: ComposerShape, text: string): string {
  if (sides === undefined) return text;
  const left = sides.exec(text);
  const rest = left?.index === 0 ? text.slice(left[0].length) : text;
  const reversed = [...rest].reverse().join('');
  const right = sides.exec(reversed);
  return right?.index === 0 ? rest.slice(0, rest.length - right[0].length) : rest;
}

const INVISIBLE = /[\u200b-\u200f\ufeff]/g;

function draftOf(shape: ComposerShape, { first, last }: Block, spans: readonly (readonly Span[])[]): string {
  const typed = spans
    .slice(first, last + 1)
    .map((row) => inner(shape, withoutGhost(row)).replace(INVISIBLE, '').trimEnd());
  for (let own = shape.status; own > 0; own -= 1) {
    const at = typed.findLastIndex((row) => !isBlank(row));
    if (at >= 0) typed.splice(at);
  }
  const text = typed
    .map((row, at) => (at === 0 && shape.prompt !== undefined ? row.replace(shape.prompt, '') : row).trim())
    .join('\n')
    .trim();
  return matches(shape.ghosts, text) ? '' : text;
}
