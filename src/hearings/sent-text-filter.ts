/**
 * What the town typed is no dialog of the agent's, in any wording (D-6): it is taken out of a screen before that is
 * judged. An echo of `[y/N]` would pardon the dead, and keep every question away for half an hour.
 * 1. Only a whole showing counts, sign for sign, however it is wrapped, boxed or quoted, and not more often than it was
 *    typed; and a beginning that the cursor stands behind: a terminal whose program reads nothing takes 4,096 bytes, and echoes no more. Other partial showings are not matched here. echo-filter.ts matches them for answers, where a doubt pardons no
 *    agent; here it must.
 * 2. Words before ours on a row may be a dialog that our text hides: they are looked at by themselves. With words
 *    behind it on its last row a text is not ours: it may be a part of theirs.
 * 3. In doubt it is a dialog: the town presses no Enter there.
 */
import type { Pack } from '../screen/pack.ts';
import { readScreen } from '../screen/read.ts';
import { asksPerson, type Composer, type Picture, type Screen } from '../screen/screen.ts';
import { isBlank, plain } from '../screen/text.ts';
import { cutAt } from '../terminal/columns.ts';

/** One text as it was typed. */
export interface Typed {
  readonly lines: readonly string[];
  /** How often, as far as is known. */
  readonly times: number;
}

/** Questions of hearings, and other texts of the town, which are on record as often as they were typed: a question that is there too was typed once. */
export const typedOf = (questions: readonly (readonly string[])[], sentTexts: readonly string[]): Typed[] => [
  ...questions.filter((lines) => !sentTexts.includes(lines.join('\n'))).map((lines) => ({ lines, times: 1 })),
  ...[...new Set(sentTexts)].map((text) => {
    return { lines: text.split('\n'), times: sentTexts.filter((one) => one === text).length };
  }),
];

/** Where a text is shown: rows of the screen, and the columns where it begins in the first and ends in the last. */
interface Showing {
  readonly first: number;
  readonly last: number;
  readonly from: number;
  readonly to: number;
  /** Other words stand before it on its first row. */
  readonly isBehind: boolean;
}

/** The screen as the pack reads it, our own words aside. Pure. */
export function readPast(pack: Pack, picture: Picture, typed: readonly Typed[]): Screen {
  const seen = readScreen(pack, picture);
  const rows = picture.rows.map(plain);
  const whole = showingsOf(rows, typed);
  const cut = cutOff(rows, typed, picture, whole);
  const showings = [...whole, ...cut].filter((one) => !isInside(one, seen.composer));
  if (showings.length === 0) return seen;
  const screen = readWithout(pack, picture, showings, seen);
  // A person may have begun with the same letters, and a terminal that is full takes no more.
  return cut.length === 0 ? screen : { ...screen, mayType: false };
}

function readWithout(pack: Pack, picture: Picture, showings: readonly Showing[], seen: Screen): Screen {
  const rows = picture.rows.map(plain);
  const ours = showings.filter(({ isBehind }) => !isBehind);
  const without = [ours, showings].map((some) =>
    readScreen(pack, { ...picture, rows: cutOut(picture.rows, rows, some) }),
  );
  const { composer } = seen;
  const asking = without.find(asksPerson);
  if (asking !== undefined) return { ...asking, composer };
  const isJudgedByOurs = asksPerson(seen) || isToldBy(ours, seen) || isLockedBy(showings, seen, without);
  return isJudgedByOurs ? { ...seen, ...without[0], composer: composer ?? without[0]?.composer ?? null } : seen;
}

/** The rows without our own words, and how many rows those take. Pure. */
export function rowsPast(
  picture: Picture,
  typed: readonly Typed[],
): { readonly rows: readonly string[]; readonly ours: number } {
  const captured = picture.rows;
  const rows = captured.map(plain);
  const whole = showingsOf(rows, typed);
  const showings = [...restAbove(rows, typed, whole), ...whole, ...cutOff(rows, typed, picture, whole)];
  const ours = new Set(
    showings.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at)),
  );
  return { rows: showings.length === 0 ? captured : cutOut(captured, rows, showings), ours: ours.size };
}

/** The row that told the state is one of these. Without a row nothing shows whose words told it. */
const isToldBy = (showings: readonly Showing[], { row }: Screen): boolean =>
  row !== null && showings.some(({ first, last }) => row >= first && row <= last);

/**
 * Our words alone keep ours away: a nudge that ends with a question mark looks like a question, and no second one could be
 * typed. With them in a composer they stand there unsent, which is another thing.
 */
const isLockedBy = (showings: readonly Showing[], seen: Screen, without: readonly Screen[]): boolean =>
  seen.state === 'unknown' &&
  !seen.mayType &&
  without.every(({ mayType, composer }) => mayType && !showings.some((one) => isInside(one, composer)));

const isInside = ({ first, last }: Showing, composer: Composer | null): boolean =>
  composer !== null && last >= composer.from && first <= composer.to;

function cutOut(captured: readonly string[], rows: readonly string[], showings: readonly Showing[]): string[] {
  const left = new Map<number, string[]>();
  for (const { first, last, from, to } of showings)
    for (let row = first; row <= last; row += 1) {
      const units = left.get(row) ?? (rows[row] ?? '').split('');
      units.fill('', row === first ? from : 0, row === last ? Math.min(to, units.length) : units.length);
      left.set(row, units);
    }
  return captured.map((text, row) => left.get(row)?.join('').trimStart() ?? text);
}

/** Signs that programs put around words, or that come and go where a line is wrapped or joined. */
const LOOSE = /[\s\p{C}\p{M}·|\u2500-\u259f]/u;
/** What may stand before the rest of a text on a row of its own, as quotes and prompts do. */
const LEADING = /^[^\p{L}\p{N}]+/u;

/** A row's signs that count, each with its column. */
interface Signs {
  readonly text: string;
  readonly columns: readonly number[];
}

function signsOf(row: string): Signs {
  const columns: number[] = [];
  let text = '';
  for (let at = 0; at < row.length; at += 1) {
    const sign = String.fromCodePoint(row.codePointAt(at) ?? 0);
    if (!LOOSE.test(sign))
      for (let unit = 0; unit < sign.length; unit += 1) {
        columns.push(at + unit);
        text += sign[unit] ?? '';
      }
    at += sign.length - 1;
  }
  return { text, columns };
}

/** Index of the last row of the last whole showing of any of these texts; null = none is shown whole. Pure. */
export function lastShown(rows: readonly string[], texts: readonly (readonly string[])[]): number | null {
  const typed = texts.map((lines) => ({ lines, times: Infinity }));
  return showingsOf(rows.map(plain), typed).reduce<number | null>((end, { last }) => Math.max(end ?? last, last), null);
}

/** Longer texts first: a shorter one may be a part of them. */
function showingsOf(rows: readonly string[], typed: readonly Typed[]): Showing[] {
  const signs = rows.map(signsOf);
  const texts = typed.map(({ lines, times }) => ({ text: signsOf(lines.join(' ')).text, times }));
  const found: Showing[] = [];
  for (const { text, times } of texts.filter((one) => one.text !== '').sort((a, b) => b.text.length - a.text.length)) {
    let left = times;
    for (let row = 0; row < signs.length; row += 1) {
      const showing = showingAt(signs, text, row) ?? (row === 0 ? restAtTop(signs, text) : null);
      if (showing === null || (left === 0 && !showing.isBehind)) continue;
      found.push(showing);
      if (!showing.isBehind) left -= 1;
      for (let at = showing.first; at <= showing.last; at += 1) signs[at] = around(signs[at] ?? NONE, at, showing);
    }
  }
  return found;
}

const NONE: Signs = { text: '', columns: [] };

/** What a showing leaves of a row. */
function around({ text, columns }: Signs, row: number, { first, last, from, to }: Showing): Signs {
  const isLeft = (column: number): boolean => (row === first && column < from) || (row === last && column >= to);
  const left = [...columns.keys()].filter((at) => isLeft(columns[at] ?? 0));
  return { text: left.map((at) => text[at]).join(''), columns: left.map((at) => columns[at] ?? 0) };
}

const WORDS = /[\p{L}\p{N}]/u;

/** All of the text, beginning somewhere in this row. */
function showingAt(signs: readonly Signs[], text: string, row: number): Showing | null {
  const { text: shown, columns } = signs[row] ?? NONE;
  const opening = text.slice(0, 1);
  for (let at = shown.indexOf(opening); at >= 0; at = shown.indexOf(opening, at + 1)) {
    const end = endOf(signs, text, row, at);
    if (end !== null) return { first: row, from: columns[at] ?? 0, ...end, isBehind: WORDS.test(shown.slice(0, at)) };
  }
  return null;
}

const signsIn = (rows: readonly string[]): string => rows.map((row) => signsOf(row).text).join('');
const textsOf = (typed: readonly Typed[]): string[] => typed.map(({ lines }) => signsOf(lines.join(' ')).text);

/** The beginning of a text that ends where the cursor stands, below a whole one: without that it may be a dialog in the same words. */
function cutOff(
  rows: readonly string[],
  typed: readonly Typed[],
  { cursor, alternate }: Picture,
  whole: readonly Showing[],
): Showing[] {
  if (cursor === null || alternate === true) return [];
  const [before, behind] = cutAt(rows[cursor.y] ?? '', cursor.x);
  if (isBlank(before) || !isBlank(behind)) return [];
  const texts = textsOf(typed);
  for (let first = cursor.y; first >= 0 && first > cursor.y - CUT_ROWS; first -= 1) {
    const shown = signsIn(rows.slice(first, cursor.y + 1));
    if (texts.includes(shown)) return [];
    const isBelow = whole.some(({ last, isBehind }) => last === first - 1 && !isBehind);
    if (isBelow && WORDS.test(shown) && texts.some((text) => text.startsWith(shown)))
      return [{ first, last: cursor.y, from: 0, to: Infinity, isBehind: false }];
  }
  return [];
}

/** Rows that a text may take in a narrow terminal. */
const CUT_ROWS = 12;

/** The end of a text whose beginning is scrolled out, right above a whole one. */
function restAbove(rows: readonly string[], typed: readonly Typed[], whole: readonly Showing[]): Showing[] {
  const until = Math.min(...whole.filter(({ isBehind }) => !isBehind).map(({ first }) => first));
  if (until === Infinity || until === 0) return [];
  const shown = signsIn(rows.slice(0, until));
  const isOurs = shown !== '' && textsOf(typed).some((text) => text.endsWith(shown));
  return isOurs ? [{ first: 0, last: until - 1, from: 0, to: Infinity, isBehind: false }] : [];
}

/** The rest of a text that fills more than half of the screen, its beginning being scrolled out. A shorter rest may be a dialog. */
function restAtTop(signs: readonly Signs[], text: string): Showing | null {
  const shown = signs[0]?.text ?? '';
  for (const words of shown === '' ? [] : [shown, shown.replace(LEADING, '')])
    for (let at = text.indexOf(words); at >= 0 && words !== ''; at = text.indexOf(words, at + 1)) {
      const end = endOf(signs, text.slice(at), 0, shown.length - words.length);
      if (end !== null && end.last + 1 > signs.length / 2) return { first: 0, from: 0, ...end, isBehind: false };
    }
  return null;
}

/** Where this text ends that begins at a sign of a row; null = something else comes in between. */
function endOf(signs: readonly Signs[], text: string, row: number, at: number): Pick<Showing, 'last' | 'to'> | null {
  let rest = text;
  for (let last = row; last < signs.length; last += 1) {
    const { text: whole, columns } = signs[last] ?? NONE;
    const shown = last === row ? whole.slice(at) : whole;
    if (shown === '') continue;
    const bare = last === row ? shown : shown.replace(LEADING, '');
    const words = [shown, bare].find((some) => some !== '' && (rest.startsWith(some) || some.startsWith(rest)));
    if (words === undefined) return null;
    if (words.length >= rest.length) {
      const end = whole.length - words.length + rest.length;
      if (WORDS.test(whole.slice(end))) return null;
      return { last, to: (columns[end - 1] ?? 0) + 1 };
    }
    rest = rest.slice(words.length);
  }
  return null;
}
