/** Pieces of a live bottom region that several programs share: menus, timers, the last rows with words. Pure. */
import { isBlank } from './text.ts';

export interface Row {
  readonly at: number;
  readonly text: string;
}

/** Rows that are not blank, last first. */
export const fromBottom = (rows: readonly string[]): Row[] =>
  rows
    .map((text, at) => ({ at, text }))
    .filter(({ text }) => !isBlank(text))
    .reverse();

const UNITS: Readonly<Record<string, number>> = { h: 3_600, m: 60, s: 1 };

/** `1m 42s` or `12s` anywhere in the text, in seconds; null = no such clock. */
export function secondsIn(text: string): number | null {
  const clock = /(?<![\w.])(?:\d+h ?)?(?:\d+m ?)?\d+s(?!\w)/.exec(text)?.[0];
  if (clock === undefined) return null;
  return [...clock.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * (UNITS[unit ?? ''] ?? 0),
    0,
  );
}

const KEYS =
  /^[\s│┃]*(?:esc to (?:cancel|exit|go back)|enter to (?:select|confirm|continue)|press enter to|tab\/|tab to|↑|shift\+tab|ctrl[-+]g to edit|space to)/i;
const OPTION = /^[\s│┃]*(?:[❯›●>▶]\s*)?\d+[.)]\s+\S/;
const CHOSEN = /^[\s│┃]*[❯›●>▶]\s*\d+[.)]\s+\S/;
/** An option's second line is indented below the words of its first. */
const DETAIL = /^[│┃\s]{4,}\S/;
const ASKS = /\?\s*[│┃]?\s*$/;
const MOST_FOOTERS = 3;
const MOST_MENU_ROWS = 40;
/** How far above its options a menu's question may stand. */
const QUESTION_ROWS = 6;

/**
 * A menu whose options end the screen, save for rows that name keys. Returns its question, or its first option where it has
 * none. A menu with anything else below it is a quotation.
 */
export function menuAt(rows: readonly string[]): Row | null {
  const up = fromBottom(rows);
  let at = 0;
  while (at < MOST_FOOTERS && KEYS.test(up[at]?.text ?? '')) at += 1;
  let isChosen = false;
  let top: Row | null = null;
  for (; at < Math.min(up.length, MOST_MENU_ROWS); at += 1) {
    const row = up[at];
    if (row === undefined || (!OPTION.test(row.text) && !(DETAIL.test(row.text) && !ASKS.test(row.text)))) break;
    if (OPTION.test(row.text)) top = row;
    isChosen ||= CHOSEN.test(row.text);
  }
  if (!isChosen || top === null) return null;
  const first = top;
  const above = up.filter((row) => row.at < first.at && /[\p{L}\p{N}]/u.test(row.text)).slice(0, QUESTION_ROWS);
  return above.find((row) => ASKS.test(row.text)) ?? above[0] ?? first;
}
