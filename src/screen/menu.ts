/**
 * Menus by their shape alone, for every program: options below each other, one of them chosen, at the end of the
 * screen. Borders, blank rows of a box and rows that name keys may stand below. Pure.
 */
import type { Option } from './screen.ts';
import { fromBottom, type Row } from './region.ts';

/** What is looked at from the bottom: a menu further up has something else below it. */
const LIVE_ROWS = 15;
const MAX_MENU_ROWS = 40;
/** How far above its options a menu's question may stand. */
const QUESTION_ROWS = 6;
/** Rows that one option's words may take. */
const MAX_OPTION_ROWS = 6;
/** Rows below the last option that name no keys: a status line. */
const MAX_STATUS_ROWS = 1;

const SIDES = /^[\s│┃║▌▐█|]+|(?<=[^\s│┃║▌▐█|])[\s│┃║▌▐█|]+$/gu;
const bare = (text: string): string => text.replace(SIDES, '');
const BORDER = /^[\s─━═╭╮╰╯┌┐└┘├┤│┃║▀▄█▌▐╹╻╵╷┗┛┏┓|]*$/u;
const POINTER = String.raw`[❯›●>▶→◉◆▸*➤⏵]`;
const KEYS = new RegExp(
  String.raw`(?:^|[\s·•|,(])(?:esc|enter|return|tab|space|shift\+tab|ctrl[-+][a-z]|↑|↓|⇆|←|→|↑↓|↑/↓|y/n|press|use (?:arrow|enter)|\(use)(?:$|[\s/·•|,:)])`,
  'iu',
);
const NUMBERED = new RegExp(String.raw`^(${POINTER}\s*)?(?:\[[ x✔✓]\]\s*)?(\d{1,2})[.):]\s+(\S.*)$`, 'u');
/** Without a number only glyphs that quote nothing point: mail and chat quote with `>` and list with `*`. */
const POINTED = new RegExp(String.raw`^(?![>*▸])${POINTER}\s+(?:[○●◯◉☐☑]\s+)?(\S.*)$`, 'u');
/** A number before a round button. */
const RADIO = /^(\d{1,2})\s+\(([●◉○◯ ])\)\s+(\S.*)$/u;
/** Keys that move in a list. */
const MOVES = /↑|↓|↵|\barrow|\bnavigate\b|\bto (?:select|choose|confirm|move)\b/iu;
const ASKS = /\?\s*$/;
const SHORTCUT = /\(([a-z0-9]|esc|enter|tab)\)/i;

interface Item extends Row {
  readonly label: string;
  readonly number: string | null;
  readonly chosen: boolean;
}

export interface Menu {
  /** Its question, or its first option where it has none. */
  readonly question: Row;
  readonly options: readonly Option[];
  readonly from: number;
  readonly to: number;
}

/** The menu that ends this screen; null = none does. Where it is known that one is asked, less has to tell it. */
export function menuAt(rows: readonly string[], isKnown = false): Menu | null {
  const up = fromBottom(rows).filter(({ text }) => !BORDER.test(text));
  const items = itemsAt(up, isKnown);
  const first = items[0];
  const last = items.at(-1);
  if (first === undefined || last === undefined || !items.some(({ chosen }) => chosen)) return null;
  const above = up.filter((row) => row.at < first.at && /[\p{L}\p{N}]/u.test(row.text)).slice(0, QUESTION_ROWS);
  const question = above.find((row) => ASKS.test(bare(row.text))) ?? above[0] ?? first;
  return { question, options: optionsOf(items), from: first.at, to: last.at };
}

const LISTED = /^[\s│┃║|]*(?:[❯›>▶➤⏵▸»○●◯◉☐☑]|->|\[[ x✔✓*]\]|\([ x✔✓*●•]\))\s+(?=\S)/u;
const HINT =
  /\buse (?:the )?(?:arrow|↑|up)|\barrow keys?\b|\bto (?:select|choose|confirm|move|navigate|toggle)\b|\b(?:press|hit) \S+ (?:to|or|for)\b/iu;
/** Two letters that choose beside each other: `[y]es [n]o`, `(D)iscard (K)eep`, `accept (a), reject (r)`, `y = yes, n = no`. */
const LETTER_KEY = /[([]\p{L}[)\]]|(?<!\S)\p{L} = \p{L}/gu;

/**
 * Whether any of these rows may be one of a list that waits for a choice, however little it looks like a menu that is known:
 * a pointer or a button beside a row with its words at the same column, or the keys that move in it.
 */
export function looksLikeChoice(rows: readonly Row[]): boolean {
  return rows.some(
    (row, at) =>
      HINT.test(row.text) ||
      (row.text.match(LETTER_KEY)?.length ?? 0) > 1 ||
      (LISTED.test(row.text) && isOneOfSeveral(rows, at)),
  );
}

const ANSWERS =
  /\b(?:esc|escape|enter|return|tab|ctrl[-+][a-z])(?: to)? (?:accept|decline|dismiss|submit|confirm|approve|reject|skip|continue|select|save|amend|go back)\b/iu;
const BOX_TOP = /^\s*[╭┌]/u;

/** Keys that answer, and what they do. */
export const namesAnswers = (rows: readonly string[]): boolean => ANSWERS.test(rows.join(' ').replace(/\s+/gu, ' '));

/** Whether what stands below an empty composer makes it a field of a dialog, or what a dialog hides: a menu, a box, a question, keys that answer. */
export function isAskedBelow(rows: readonly string[]): boolean {
  const isAsked = rows.some((row) => BOX_TOP.test(row) || ASKS.test(bare(row)));
  return isAsked || namesAnswers(rows) || menuAt(rows) !== null;
}

/** A prompt without a number, or the keys that close a field. */
const FIELD = /^[\s│┃║|]*[❯›>](?:\s+(?!\d+[.):]\s)|$)|\bto clear notes\b/iu;

/** Whether a field for words stands open below a menu's last option: what is typed goes there, and chooses nothing. */
export const hasOpenField = (below: readonly string[]): boolean => below.some((row) => FIELD.test(row));

/** A list has one pointer: one before each row quotes. */
const POINTS = /^[\s│┃║|]*[❯›>▶➤⏵▸»]/u;
const wordsAt = (text: string): number => (LISTED.exec(text) ?? /^[^\p{L}\p{N}]*/u.exec(text))?.[0].length ?? 0;

function isOneOfSeveral(rows: readonly Row[], at: number): boolean {
  const row = rows[at];
  return [rows[at - 1], rows[at + 1]].some(
    (next) =>
      row !== undefined &&
      next !== undefined &&
      Math.abs(next.at - row.at) === 1 &&
      !(POINTS.test(row.text) && POINTS.test(next.text)) &&
      wordsAt(next.text) === wordsAt(row.text),
  );
}

/** Items from the top. Nothing but keys and one line of status may stand below them. */
function itemsAt(up: readonly Row[], isKnown: boolean): Item[] {
  const end = endOf(up, isKnown);
  if (end === null) return [];
  const items: Item[] = [];
  for (let { at } = end; at < Math.min(up.length, MAX_MENU_ROWS); at += 1) {
    const row = up[at];
    const item = row === undefined ? null : itemOf(row, items, end.isPlain);
    if (row === undefined || (item === null && !isDetail(up, at) && !(isKnown && isBetween(up, at, items)))) break;
    if (item !== null) items.unshift(item);
  }
  const isNumbered = items.some(({ number }) => number !== null);
  const counted = isNumbered ? items.filter(({ number, chosen }) => number !== null || chosen) : items;
  // A list without numbers has one pointer: several are a prompt before each row of what was typed.
  if (!isNumbered && counted.filter(({ chosen }) => chosen).length > 1) return [];
  return counted.length >= 2 || (isNumbered && counted.length === 1) ? counted : [];
}

/** Where the last item stands, and whether it has neither number nor pointer; null = something else ends the screen. */
function endOf(up: readonly Row[], isKnown: boolean): { readonly at: number; readonly isPlain: boolean } | null {
  let status = MAX_STATUS_ROWS;
  let hasKeys = isKnown;
  for (let at = 0; at < Math.min(up.length, LIVE_ROWS); at += 1) {
    const text = bare(up[at]?.text ?? '');
    if (NUMBERED.test(text) || RADIO.test(text) || (POINTED.test(text) && nearby(up, at)))
      return { at, isPlain: false };
    if (hasKeys && isBelowPointer(up, at)) return { at, isPlain: true };
    if (KEYS.test(text)) hasKeys ||= MOVES.test(text);
    else if (!isDetail(up, at)) status -= 1;
    if (status < 0) return null;
  }
  return null;
}

/** Rows right below each other up to a pointer, with their words at one column. */
function isBelowPointer(up: readonly Row[], at: number): boolean {
  const own = columnOf(up[at]?.text ?? '');
  for (let above = at + 1; above < Math.min(up.length, LIVE_ROWS); above += 1) {
    const [row, next] = [up[above], up[above - 1]];
    if (row === undefined || next === undefined || next.at - row.at !== 1 || columnOf(row.text) !== own) return false;
    if (POINTED.test(bare(row.text))) return true;
  }
  return false;
}

/** Options without numbers stand at one column: the chosen one behind its pointer, the others where its words begin. */
function nearby(up: readonly Row[], at: number): boolean {
  const own = columnOf(up[at]?.text ?? '');
  return [up[at - 1], up[at + 1]].some(
    (row) => row !== undefined && Math.abs(row.at - (up[at]?.at ?? 0)) <= 1 && columnOf(row.text) === own,
  );
}

const POINTERS = new RegExp(String.raw`^[\s│┃║|]*(?:${POINTER}\s+)?`, 'u');
const columnOf = (text: string): number => POINTERS.exec(text)?.[0].length ?? 0;

function itemOf(row: Row, items: readonly Item[], isPlainMenu: boolean): Item | null {
  const text = bare(row.text);
  const [, button, dot, words] = RADIO.exec(text) ?? [];
  if (words !== undefined) return { ...row, label: words, number: button ?? null, chosen: dot === '●' || dot === '◉' };
  const [, pointer, number, label] = NUMBERED.exec(text) ?? [];
  if (label !== undefined) return { ...row, label, number: number ?? null, chosen: pointer !== undefined };
  const pointed = POINTED.exec(text)?.[1];
  if (pointed !== undefined) return { ...row, label: pointed, number: null, chosen: true };
  const next = items[0];
  const isPlain = next === undefined ? isPlainMenu : isBeside(row, next) && !ASKS.test(text);
  return isPlain ? { ...row, label: text, number: null, chosen: false } : null;
}

const isBeside = (row: Row, next: Item): boolean =>
  next.number === null && next.at - row.at === 1 && columnOf(row.text) === columnOf(next.text);

/** An option's second line is indented below the words of its first. */
function isDetail(up: readonly Row[], at: number): boolean {
  const row = up[at];
  if (row === undefined || !/^[│┃\s]{4,}\S/u.test(row.text) || ASKS.test(bare(row.text))) return false;
  const above = up
    .slice(at + 1, at + 4)
    .find(({ text }) => [NUMBERED, RADIO, POINTED].some((one) => one.test(bare(text))));
  return above !== undefined && columnOf(row.text) > columnOf(above.text) - 1;
}

/** In a narrow terminal an option's words go on at any column, up to the option with the next number. */
function isBetween(up: readonly Row[], at: number, [next]: readonly Item[]): boolean {
  if (next === undefined || next.number === null) return false;
  const above = up.slice(at + 1, at + 1 + MAX_OPTION_ROWS).map(({ text }) => NUMBERED.exec(bare(text))?.[2]);
  return above.find((number) => number !== undefined) === String(Number(next.number) - 1);
}

function optionsOf(items: readonly Item[]): Option[] {
  const chosen = items.findIndex((item) => item.chosen);
  return items.map(({ label: row, number }, at) => {
    // What explains an option behind it may name the key of something else.
    const label = row.replace(/\s{2}[^]*/, '').trim();
    const shortcut = SHORTCUT.exec(label)?.[1]?.toLowerCase();
    const named =
      shortcut === 'esc' ? 'Escape' : shortcut === 'enter' ? 'Enter' : shortcut === 'tab' ? 'Tab' : shortcut;
    return { label, keys: keysFor(named, number, at - chosen), chosen: at === chosen };
  });
}

function keysFor(shortcut: string | undefined, number: string | null, steps: number): string[] {
  if (shortcut !== undefined) return [shortcut];
  if (number !== null && number.length === 1) return [number];
  const arrows = Array.from({ length: Math.abs(steps) }, () => (steps < 0 ? 'Up' : 'Down'));
  return [...arrows, 'Enter'];
}

const LETTER = /^\(([A-Z])\)/u;
const DEFAULT = /\[([A-Z]\w*)\]:/u;

/** Options that a letter chooses, `(Y)es/(N)o [Yes]:`; null = these labels are none. */
export function letteredOptions(rows: readonly string[], labels: readonly string[]): Option[] | null {
  const letters = labels.map((label) => LETTER.exec(label)?.[1]);
  if (letters.length === 0 || letters.includes(undefined)) return null;
  const preset = DEFAULT.exec(fromBottom(rows)[0]?.text ?? '')?.[1];
  return labels.map((label, at) => ({
    label: label.replace(LETTER, '$1'),
    keys: [letters[at]?.toLowerCase() ?? '', 'Enter'],
    chosen: preset !== undefined && label.replace(LETTER, '$1') === preset,
  }));
}
