/**
 * One picture of a pane: its numbers, its rows from a place in the history on, and the visible screen with colour, taken in
 * one go, so that they belong together. Rows have absolute numbers: history size + row on the screen. Heights may change
 * without moving them; widths, cuts of the history and clears do move them (see anchor.ts).
 */
import { randomUUID } from 'node:crypto';
import { isBlank } from '../screen/text.ts';
import { columnsOf } from '../terminal/columns.ts';
import { TmuxError } from '../tmux/errors.ts';
import type { PaneDeps } from './pane.ts';

export interface Capture {
  readonly historySize: number;
  readonly historyLimit: number;
  readonly width: number;
  readonly height: number;
  readonly cursorRow: number;
  readonly cursorColumn: number;
  readonly alternate: boolean;
  /** Copy mode, a menu, a clock: keys go there and not to the program. */
  readonly inMode: boolean;
  /** What is typed into it goes into every pane of its window. */
  readonly synchronized: boolean;
  readonly tty: string | null;
  /** What the program calls its terminal; foreign text. */
  readonly title: string;
  /** Lines as tmux joined them, each with the absolute number of its first row. */
  readonly lines: readonly Line[];
  /** The visible rows, from the top, colour kept. */
  readonly screen: readonly string[];
}

export interface Line {
  readonly row: number;
  readonly text: string;
}

const NUMBERS = [
  'history_size',
  'history_limit',
  'pane_width',
  'pane_height',
  'cursor_y',
  'cursor_x',
  'alternate_on',
  'pane_in_mode',
  'pane_synchronized',
] as const;
const FORMAT = `${NUMBERS.map((name) => `#{${name}}`).join(' ')} #{pane_tty}`;
/** A title is a few words; a longer one says nothing more. */
const LONGEST_TITLE = 200;
/** The history may grow between two calls; then the picture is taken again from the right place. */
const TRIES = 5;

/**
 * `from`: absolute number of the first row wanted, by history size; cut to what there is, and the visible screen is always
 * part of the picture. Rejects with TmuxError: `unknown` also when the pane scrolls faster than it can be read.
 */
export async function capturePane(
  deps: Pick<PaneDeps, 'tmux'>,
  paneId: string,
  from: (historySize: number) => number,
): Promise<Capture> {
  let base = Number((await deps.tmux.query(['display-message', '-p', '-t', paneId, '#{history_size}']))[0]);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const capture = await shoot(deps, paneId, Math.min(0, from(base) - base));
    const wanted = Math.max(0, Math.min(from(capture.historySize), capture.historySize));
    if ((capture.lines[0]?.row ?? 0) <= wanted) return capture;
    base = capture.historySize;
  }
  throw new TmuxError('unknown', `pane ${paneId} scrolls faster than it can be read`);
}

async function shoot({ tmux }: Pick<PaneDeps, 'tmux'>, paneId: string, start: number): Promise<Capture> {
  const seam = `seam-${randomUUID()}`;
  const capture = (...flags: string[]): string[] => ['capture-pane', '-p', ...flags, '-t', paneId];
  const say = (format: string): string[] => ['display-message', '-p', '-t', paneId, format];
  const { stdout, refused } = await tmux.sequence([
    say(FORMAT),
    say(seam),
    capture('-N', '-S', String(start)),
    say(seam),
    capture('-J', '-S', String(start)),
    say(seam),
    capture('-e'),
    say(seam),
    say(`#{=${LONGEST_TITLE}:pane_title}`),
    say(seam),
  ]);
  const parts = stdout.split(`${seam}\n`).map((part) => part.split('\n').slice(0, -1));
  const [[numbers = ''] = [], rows, joined, screen, titles] = parts;
  if (parts.length !== 6 || !rows || !joined || !screen || !NUMBERED.test(numbers))
    throw new TmuxError('unknown', refused ?? `tmux gave no picture of pane ${paneId}`);
  const of = numbersIn(numbers);
  const first = Math.max(0, of.historySize + start);
  // A user's hook may print lines of its own behind the rows.
  const shown = rows.slice(0, of.historySize - first + of.height);
  return {
    ...of,
    title: titles?.[0] ?? '',
    lines: join(shown, joined, of.width).map(({ row, text }) => ({ row: first + row, text })),
    screen: screen.slice(0, of.height),
  };
}

const NUMBERED = new RegExp(String.raw`^(?:\d+ ){${NUMBERS.length}}`);

function numbersIn(line: string): Omit<Capture, 'lines' | 'screen' | 'title'> {
  const fields = line.split(' ');
  const number = (name: (typeof NUMBERS)[number]): number => Number(fields[NUMBERS.indexOf(name)]);
  return {
    historySize: number('history_size'),
    historyLimit: number('history_limit'),
    width: number('pane_width'),
    height: number('pane_height'),
    cursorRow: number('cursor_y'),
    cursorColumn: number('cursor_x'),
    alternate: number('alternate_on') === 1,
    inMode: number('pane_in_mode') > 0,
    synchronized: number('pane_synchronized') === 1,
    tty: fields[NUMBERS.length] || null,
  };
}

/**
 * Which rows make which joined line. A program that draws over a wrapped row leaves tmux's mark of the wrap behind, so rows are
 * joined only where the first is full. Where the two pictures do not fit, every row is a line of its own.
 */
export function join(rows: readonly string[], joined: readonly string[], width: number): Line[] {
  const lines: Line[] = [];
  let at = 0;
  for (const text of joined) {
    while (at < rows.length && isBlank(rows[at] ?? '') && !isBlank(text)) lines.push({ row: at++, text: '' });
    let first = at;
    for (let rest = text; ;) {
      const row = rows[at] ?? '';
      if (at >= rows.length || !rest.padEnd(row.length).startsWith(row)) return apart(rows);
      rest = rest.slice(row.length);
      at += 1;
      if (!isBlank(rest) && isFull(row, width)) continue;
      lines.push({ row: first, text: rows.slice(first, at).join('').trimEnd() });
      first = at;
      if (isBlank(rest)) break;
    }
  }
  return lines;
}

const apart = (rows: readonly string[]): Line[] => rows.map((text, row) => ({ row, text: text.trimEnd() }));

/** Half a wide letter, and the blank between two words. */
const LEFT_FREE = 2;

/** Blanks at its end fill no row: an erased one is full of them. */
const isFull = (row: string, width: number): boolean => columnsOf(row.trimEnd()) >= width - LEFT_FREE;
