/**
 * Where the news after a question begin (D-3). The mark's row number holds while the history only grows; a new width, a cut
 * of the history, a clear and the alternate screen all move rows. Then, in this order:
 * 1. the rows that stood above the mark are found again, exactly once;
 * 2. the question itself, told by its printed code, is on the pane;
 * 3. the screen is compared with the one before the question.
 * If none of them helps the place is lost, and a look that depends on it is unknown.
 */
import type { Mark } from '../../machines/protocol.ts';
import { isBlank, normalise, plain } from '../screen/text.ts';
import type { Line, Capture } from './capture.ts';

/** A mark and what stood around it. */
export interface Anchor {
  readonly mark: Pick<Mark, 'line' | 'width' | 'alternate'>;
  /** The last lines with words above the mark. */
  readonly above: readonly string[];
  /** The visible lines, with how often each stood there. */
  readonly screen: ReadonlyMap<string, number>;
  /** What stood below the mark already, as the fingerprint sees it: a status line is no news. */
  readonly under: ReadonlyMap<string, number>;
}

/** Which lines are news. */
export interface RowsAfter {
  readonly isAfter: (index: number) => boolean;
  /** Nothing can have come and gone unseen since the anchor was taken; else finding nothing proves nothing. */
  readonly isWhole: boolean;
}

const ABOVE = 5;

export const markOf = (capture: Capture, cpuRate: number | null): Mark => ({
  line: capture.historySize + capture.cursorRow,
  width: capture.width,
  alternate: capture.alternate,
  cpuRate,
});

export const anchorOf = (capture: Capture): Anchor => {
  const mark = markOf(capture, null);
  return {
    mark,
    above: capture.lines
      .filter(({ row, text }) => row < mark.line && !isBlank(text))
      .slice(-ABOVE)
      .map(({ text }) => text),
    screen: countOf(visible(capture).map(({ text }) => text)),
    under: countOf(capture.lines.filter(({ row }) => row >= mark.line).map(({ text }) => normalise(text))),
  };
};

const visible = ({ lines, historySize }: Capture): Line[] => lines.filter(({ row }) => row >= historySize);

const countOf = (texts: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
};

/**
 * `printed`: the code as the question shows it. `repaints`: the program draws its whole transcript again, old answers too, so
 * that only what stands below the question is news wherever the question is shown. null = the place is lost. Pure.
 */
export function rowsAfter(
  capture: Capture,
  { mark, anchor, printed, repaints }: { mark: Mark; anchor: Anchor | null; printed: string; repaints: boolean },
): RowsAfter | null {
  const question = questionEnd(capture.lines, printed, repaints);
  if (repaints && question !== null) return { isAfter: (index) => index >= question, isWhole: true };
  const isBelow = (index: number): boolean => question !== null && index >= question;
  const at = anchor?.mark ?? mark;
  if (holds(capture, at)) {
    const isAfter = (index: number): boolean => (capture.lines[index]?.row ?? 0) >= at.line || isBelow(index);
    return { isAfter, isWhole: true };
  }
  const found = !capture.alternate && anchor !== null ? below(capture.lines, anchor.above) : null;
  if (found !== null) return { isAfter: (index) => index >= found || isBelow(index), isWhole: true };
  if (question !== null) return { isAfter: isBelow, isWhole: true };
  // What stood below a full-screen program comes back when it ends: old lines that were not on the screen before.
  if (anchor === null || (at.alternate && !capture.alternate)) return null;
  const fresh = freshOn(capture, anchor.screen);
  return { isAfter: (index) => fresh.has(index), isWhole: capture.alternate };
}

/** The row number still means the same row. */
export function holds(capture: Capture, { line, width, alternate }: Anchor['mark']): boolean {
  // tmux cuts a tenth of a full history at once: below that the history was never cut.
  const cut = capture.historyLimit - Math.max(1, Math.floor(capture.historyLimit / 10));
  const isCleared = capture.historySize + capture.cursorRow < line;
  return !alternate && !capture.alternate && width === capture.width && capture.historySize < cut && !isCleared;
}

/**
 * Index of the line that shows the end of the printed code, however it was wrapped or boxed; null = it is not there.
 * The first such line, or the last.
 */
export function questionEnd(lines: readonly Line[], printed: string, isLast = false): number | null {
  let text = '';
  let end: number | null = null;
  for (const [index, line] of lines.entries()) {
    text = text.slice(1 - printed.length) + bare(line.text);
    if (!text.includes(printed)) continue;
    if (!isLast) return index;
    end = index;
    text = '';
  }
  return end;
}

/** Without blanks and box glyphs. */
const bare = (text: string): string => plain(text).replace(/[\s\u2500-\u259f|]/g, '');

/** The index after these lines, if they stand there together exactly once. */
function below(lines: readonly Line[], above: readonly string[]): number | null {
  if (above.length === 0) return null;
  const worded = lines.map(({ text }, index) => ({ text, index })).filter(({ text }) => !isBlank(text));
  const places = worded.filter((_, at) => above.every((text, i) => worded[at + i - above.length + 1]?.text === text));
  return places.length === 1 ? (places[0]?.index ?? 0) + 1 : null;
}

/** Visible lines that were not there before, or not so often. */
function freshOn(capture: Capture, before: ReadonlyMap<string, number>): Set<number> {
  const left = new Map(before);
  const fresh = new Set<number>();
  for (const [index, { row, text }] of capture.lines.entries()) {
    if (row < capture.historySize) continue;
    const count = left.get(text) ?? 0;
    if (count > 0) left.set(text, count - 1);
    else fresh.add(index);
  }
  return fresh;
}
