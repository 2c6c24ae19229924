/**
 * A table in so many columns of a terminal. Pure; letters that take two columns count as two.
 * 1. No word is cut. The last column is text and goes on below itself, or below the whole row where little room is left.
 * 2. Columns are left out in the order that they name themselves; those that name none stay, as text below the name where they do not fit.
 */
import { columnsOf, cutAt } from './columns.ts';
import { LAYOUT } from './policy.ts';

export interface Column {
  readonly head: string;
  /** Numbers stand at the right. */
  readonly right?: boolean;
  /** How soon it is left out where there is little room: 1 goes first. Absent = it stays. */
  readonly drop?: number;
}

type Row = readonly string[];

const GAP = '  ';
/** Of what stands below its row. */
const INDENT = '    ';
/** Letters between which a line may break without a blank. */
const BREAKS = /[\u2e80-\u9fff\uac00-\ud7a3\uff00-\uff60]/;

const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
const padLeft = (text: string, columns: number): string => ' '.repeat(Math.max(0, columns - columnsOf(text))) + text;

/** Lines of at most `room` columns, broken between words; a longer word has a line of its own. */
export function wrap(text: string, room: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => pieces(one, room))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && columnsOf(longer) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

function pieces(word: string, room: number): string[] {
  if (columnsOf(word) <= room || !BREAKS.test(word)) return [word];
  const [left, right] = cutAt(word, room);
  return left === '' ? [word] : [left, ...pieces(right, room)];
}

/** A text behind a sign, its further lines below it. */
export function hanging(lead: string, text: string, room: number | null): string[] {
  const indent = columnsOf(lead);
  const lines = room === null ? [text] : wrap(text, Math.max(LAYOUT.minText, room - indent));
  return lines.map((line, at) => `${at === 0 ? lead : ' '.repeat(indent)}${line}`);
}

/** A line that goes on below what stands behind its last gap, if that leaves room, else below its beginning. */
export function fitLine(line: string, room: number): string[] {
  const starts = [...line.matchAll(/(?:^| ) +(?=\S)/g)].map((gap) => gap.index + gap[0].length);
  const at = starts.findLast((one) => columnsOf(line.slice(0, one)) <= room / 2) ?? 0;
  if (line.slice(0, at).trim() !== '') return hanging(line.slice(0, at), line.slice(at), room);
  const [first = '', ...more] = wrap(line.slice(at), Math.max(LAYOUT.minText, room - at - GAP.length));
  return [line.slice(0, at) + first, ...more.map((one) => `${' '.repeat(at)}${GAP}${one}`)];
}

/** The header and each row as lines. `room` null: nothing is left out, each row is one line. */
export function layOut(columns: readonly Column[], rows: readonly Row[], room: number | null): string[][] {
  const all = [columns.map(({ head }) => head), ...rows];
  const natural = columns.map((_, at) => Math.max(...all.map((row) => columnsOf(row[at] ?? ''))));
  if (room === null) return all.map((row) => [lineOf(columns, row, natural)]);
  const widths = [nameWidth(all, room), ...natural.slice(1)];
  const plan = planOf(columns, widths, room);
  if (plan === null) return all.map((row) => rowOf(asText(row), columns, widths, { shown: [0], beside: null, room }));
  const [header = [], ...others] = all;
  const heads = plan.beside === null ? [...header.slice(0, -1), ''] : header;
  return [heads, ...others].map((row) => rowOf(row, columns, widths, plan));
}

/** Of a row the name, and all else as one text. */
const asText = ([name = '', ...more]: Row): Row => [name, more.filter(Boolean).join(GAP)];

/** The few that are longer than their part do not make the column wide. */
function nameWidth(rows: readonly Row[], room: number): number {
  const most = Math.max(LAYOUT.minText, Math.floor(room * LAYOUT.namePart));
  return Math.max(...rows.map(([name = '']) => columnsOf(name)).filter((width) => width <= most));
}

interface Plan {
  /** Places of the columns that are shown, without the text. */
  readonly shown: readonly number[];
  /** Columns of the text beside them; null = it stands below. */
  readonly beside: number | null;
  readonly room: number;
}

/** null = not even what has to stay fits. */
function planOf(columns: readonly Column[], widths: readonly number[], room: number): Plan | null {
  const last = columns.length - 1;
  const wanted = Math.min(widths[last] ?? 0, LAYOUT.minText);
  const droppable = columns.flatMap(({ drop }, at) => (drop === undefined ? [] : [{ at, drop }]));
  const order = droppable.sort((a, b) => a.drop - b.drop).map(({ at }) => at);
  const fixed = (shown: readonly number[]): number =>
    shown.reduce((sum, at) => sum + (widths[at] ?? 0) + GAP.length, 0);
  for (const beside of [true, false]) {
    for (let gone = 0; gone <= order.length; gone += 1) {
      const out = new Set(order.slice(0, gone));
      const shown = columns.map((_, at) => at).filter((at) => at !== last && !out.has(at));
      const left = room - fixed(shown);
      if (beside && left >= wanted) return { shown, beside: left, room };
      if (!beside && left + GAP.length >= 0) return { shown, beside: null, room };
    }
  }
  return null;
}

const cellsOf = (row: Row, columns: readonly Column[], widths: readonly number[], shown: readonly number[]): string[] =>
  shown.map((at) => (columns[at]?.right === true ? padLeft : pad)(row[at] ?? '', widths[at] ?? 0));

function lineOf(columns: readonly Column[], row: Row, widths: readonly number[]): string {
  const shown = columns.map((_, at) => at).slice(0, -1);
  return [...cellsOf(row, columns, widths, shown), row.at(-1) ?? ''].join(GAP).trimEnd();
}

function rowOf(
  row: Row,
  columns: readonly Column[],
  widths: readonly number[],
  { shown, beside, room }: Plan,
): string[] {
  const [name = '', ...others] = cellsOf(row, columns, widths, shown);
  const isLong = columnsOf(name) > (widths[0] ?? 0);
  // A name that is too long for its column has a line of its own.
  const lead = [isLong ? ' '.repeat(widths[0] ?? 0) : name, ...others].join(GAP);
  const text = row.at(-1) ?? '';
  const told = beside === null ? [] : trimmed(wrap(text, beside));
  const first = `${lead}${GAP}${told[0] ?? ''}`.trimEnd();
  const indent = ' '.repeat(columnsOf(lead) + GAP.length);
  return [
    ...(isLong ? [name] : []),
    first,
    ...told.slice(1).map((line) => `${indent}${line}`),
    ...(beside === null && text !== '' ? trimmed(wrap(text, room - INDENT.length)) : []).map(
      (line) => `${INDENT}${line}`,
    ),
  ];
}

const trimmed = (lines: readonly string[]): string[] => lines.map((line) => line.trim());
