/**
 * Which rows of a pane show our own question (D-3). Echo is no answer, and an echo comes wrapped at any width, boxed,
 * quoted, twice, cut off, and with an answer in its middle.
 * 1. Only letters and digits are compared; box glyphs, quotes, blanks and prompts fall away on both sides.
 * 2. The rows are explained by runs: pieces that follow each other in the question. The explanation that covers most
 *    wins, and other words than the answer's must carry a run: rows of ALIVE alone are no piece of anything, one inside
 *    a run is.
 * 3. In doubt a row is ours: it pardons no agent.
 */
import { alphanumerics, plain, stripDecoration } from '../screen/text.ts';

/** The word an agent answers with. */
export const ALIVE = 'ALIVE';

/** Whether a row says so and nothing else, in an agent's own words. */
export const saysAlive = (row: string): boolean =>
  /^(?:yes[,.!:]?\s+)?(?:i(?:\s*['’]\s*m|\s+am)\s+)?(?:still\s+)?alive$/iu.test(stripDecoration(plain(row)));

/** Whether a row holds the answer's word and nothing else, box glyphs, bullets and prompt marks aside. */
export const isBare = (row: string): boolean => stripDecoration(plain(row)) === ALIVE;

const CODE_LENGTH = 4;
/** What a run must cover before it explains anything: more than the longest answer. */
const RUN_COST = ALIVE.length + CODE_LENGTH + 1;
/**
 * A row that is nothing but the answer's word counts next to nothing: it may fill a gap in a run, but no number of
 * answers makes a run, even if a reason repeats the word.
 */
const ANSWER_WEIGHT = 2 ** -16;
/** A piece that begins in the middle of a row has at least so many letters. */
const MIN_PIECE = 3;
/** A longer row takes seconds to explain; `mixedRows` tells it. */
const MAX_LETTERS = 2_000;
/** Between two questions; no letter or digit. */
const SEAM = ' ';

interface Path {
  readonly score: number;
  /** Rows explained by this path, last first. */
  readonly rows: { readonly row: number; readonly before: Path['rows'] } | null;
}

/** One step of an explanation: this row's letters and digits bring us to `next` (null = the question's end) and covers `length`. */
interface Piece {
  readonly next: number | null;
  readonly length: number;
}

/** Indices of the rows that show any of these questions, or a part of one. Pure. */
export function ownRows(rows: readonly string[], questions: readonly (readonly string[])[]): ReadonlySet<number> {
  const book = bookOf(questions);
  let open = new Map<number, Path>();
  let best: Path = { score: 0, rows: null };
  if (book.text.length === 0) return new Set();
  for (const [row, text] of rows.entries()) {
    const letters = alphanumerics(text);
    if (letters.length === 0 || letters.length > MAX_LETTERS) continue;
    const steps = [
      ...[...open].flatMap(([at, path]) => followers(book, letters, at).map((piece) => ({ piece, path, cost: 0 }))),
      ...starters(book, letters).map((piece) => ({ piece, path: best, cost: RUN_COST })),
    ];
    for (const { piece, path, cost } of steps) {
      const score = path.score + (isBare(text) ? ANSWER_WEIGHT : piece.length) - cost;
      const reached: Path = { score, rows: { row, before: path.rows } };
      if (piece.next !== null && score > (open.get(piece.next)?.score ?? -Infinity)) open.set(piece.next, reached);
      if (score > best.score) best = reached;
    }
    // A run that is further behind than a new one would be can win nothing any more.
    open = new Map([...open].filter(([, path]) => path.score > best.score - RUN_COST));
  }
  return indices(best);
}

/** Rows that end with sent text too short for a run, after any prompt. In doubt a row is ours. Pure. */
export function sentTextRows(rows: readonly string[], sentTexts: readonly string[]): ReadonlySet<number> {
  const lines = sentTexts.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '');
  const short = lines.filter((line) => alphanumerics(line).length <= RUN_COST);
  const shows = (row: string, line: string): boolean =>
    alphanumerics(line) === ''
      ? plain(row).trimEnd().endsWith(line.trim())
      : alphanumerics(row).endsWith(alphanumerics(line));
  return new Set(rows.flatMap((row, at) => (short.some((line) => shows(row, line)) ? [at] : [])));
}

/** Letters in a row that agree by more than chance. */
const PIECE = 20;

/**
 * Rows that hold a long piece of one of these texts, with anything around it. A program that draws over our echo leaves
 * such rows, and they count as no agent's word. Pure.
 */
export function mixedRows(rows: readonly string[], texts: readonly (readonly string[])[]): ReadonlySet<number> {
  const pieces = new Set(texts.flatMap((lines) => piecesOf(alphanumerics(lines.join('')))));
  return new Set(
    rows.flatMap((row, at) => (piecesOf(alphanumerics(row)).some((piece) => pieces.has(piece)) ? [at] : [])),
  );
}

const piecesOf = (letters: string): string[] =>
  Array.from({ length: Math.max(0, letters.length - PIECE + 1) }, (_, at) => letters.slice(at, at + PIECE));

interface Book {
  readonly text: string;
  /** Where lines of a question begin. */
  readonly starts: readonly number[];
}

function bookOf(questions: readonly (readonly string[])[]): Book {
  const starts: number[] = [];
  let text = '';
  for (const lines of questions) {
    for (const line of lines.map(alphanumerics).filter((letters) => letters.length > 0)) {
      starts.push(text.length);
      text += line;
    }
    text += SEAM;
  }
  return { text: text.trim().length === 0 ? '' : text, starts };
}

/** How a row goes on with a question that was shown up to `at`: as a whole, or as its end with something else behind it. */
function followers({ text }: Book, letters: string, at: number): Piece[] {
  if (text.startsWith(letters, at)) return [pieceTo(text, at, letters.length)];
  const rest = text.slice(at, text.indexOf(SEAM, at));
  return rest.length > 0 && letters.startsWith(rest) ? [{ next: null, length: rest.length }] : [];
}

/** How a row may begin to show a question: anywhere as a whole, or behind a prompt with the beginning of a line. */
function starters(book: Book, letters: string): Piece[] {
  const pieces: Piece[] = [];
  for (let at = book.text.indexOf(letters); at >= 0; at = book.text.indexOf(letters, at + 1))
    pieces.push(pieceTo(book.text, at, letters.length));
  for (const start of book.starts) {
    const opening = book.text.slice(start, start + MIN_PIECE);
    for (let at = letters.indexOf(opening); at >= 0; at = letters.indexOf(opening, at + 1))
      pieces.push(...followers(book, letters.slice(at), start));
  }
  return pieces;
}

const pieceTo = (text: string, at: number, length: number): Piece => ({
  next: text[at + length] === SEAM ? null : at + length,
  length,
});

function indices(path: Path): ReadonlySet<number> {
  const found = new Set<number>();
  for (let at = path.rows; at !== null; at = at.before) found.add(at.row);
  return found;
}
