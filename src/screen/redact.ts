/**
 * Takes out of a captured screen what tells whose machine it is: home folders, names, addresses, tokens. Every placeholder has the
 * columns of what it stands for, so that frames and composers stay where they are. Colours stay; other escapes go.
 * A secret may be broken by a colour, by the end of a row or by the frame around it. Pure.
 */
import { columnsOf, widthOf } from '../terminal/columns.ts';
import { isCommon, SHAPES } from './secrets.ts';

/** What is known of the recording user. */
export interface Whose {
  /** Absolute paths. */
  readonly homes: readonly string[];
  readonly users: readonly string[];
  readonly hosts: readonly string[];
}

/** One letter, or a colour, which has no columns. */
interface Cell {
  text: string;
  readonly columns: number;
  readonly isColour: boolean;
}

/** Where in the rows a text was put together from. */
interface Strip {
  readonly text: string;
  /** The cell of each UTF-16 unit of the text. */
  readonly cells: readonly Cell[];
  /** Offsets at which another row begins; `sure` = the row before was full, so that words go on there. */
  readonly seams: readonly { readonly at: number; readonly sure: boolean }[];
}

/** What stands for some letters, by their columns. */
type Stand = (text: string, columns: number) => string;

interface Find {
  readonly pattern: RegExp;
  readonly stand: Stand;
  /** Letters alone do not tell it from a word: also asked of the match. */
  readonly is?: (text: string) => boolean;
  /** It is known letter by letter: it is itself wherever a row breaks it. */
  readonly isKnown: boolean;
}

/** A secret takes so many rows at most. */
const MAX_ROWS = 6;

/** `rows` with escapes, as captured. `columns`: what is right of them is a sidebar, and no row goes on there. */
export function redact(rows: readonly string[], whose: Whose, columns: number | null = null): string[] {
  const cells = rows.map(cellsOf);
  const finds = findsFor(whose);
  maskKeys(cells);
  for (const side of sidesOf(cells, columns)) {
    const strips = new Strips(side);
    const replaceAll = (rows: number, find: Find): void => {
      for (const at of side.keys()) if (replaceIn(strips.from(at, rows), find)) strips.forget();
    };
    for (const find of finds) {
      // First whole: what is taken out of one row is no beginning of what goes on in the next.
      replaceAll(MAX_ROWS, find);
      replaceAll(1, find);
    }
  }
  return cells.map((row) => row.map(({ text }) => text).join(''));
}

const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/u;
/** A row of a private key, in a frame or a change. */
const KEY_ROW = /^[\s│┃║▌▐█|>+-]*(?:\d+\s+[+-]?\s*)?(?:[A-Za-z0-9+/=]+|[A-Z][A-Za-z-]+: .*)?[\s│┃║▌▐█|]*$/u;

/** A private key is longer than any other secret: its rows go down to its end, the last ones short. */
function maskKeys(rows: readonly Cell[][]): void {
  let isInside = false;
  for (const row of rows) {
    const letters = row.filter(({ isColour }) => !isColour);
    const text = textOf(letters);
    isInside &&= KEY_ROW.test(text);
    if (isInside) put(letters, masked);
    isInside ||= KEY_BEGINS.test(text) && !text.includes('-----END');
  }
}

const NO_OWNER: Whose = { homes: [], users: [], hosts: [] };
const HOMES = /(\/home|\/Users)\/[^\s/:"'`)\]│┃]+/gu;

/** Whether these rows hold what is taken out for everybody. The name of a home folder does not count: what is done there shows. */
export function holdSecret(rows: readonly string[]): boolean {
  const plain = rows.map((row) => row.replace(HOMES, '$1/user'));
  return redact(plain, NO_OWNER).some((row, at) => row !== plain[at]);
}

const COLOUR = String.raw`\u001b\[[\d;:]*m`;
const OTHER = String.raw`\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]`;
/** Signs that steer a terminal, and those that turn the direction of what follows. */
const STEERS = String.raw`[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]`;
const CELLS = new RegExp(`(?<colour>${COLOUR})|(?:${OTHER}|${STEERS})|(?<letter>[^])`, 'gu');

function cellsOf(row: string): Cell[] {
  return [...row.matchAll(CELLS)].flatMap(({ groups: { colour, letter } = {} }): Cell[] => {
    if (colour !== undefined) return [{ text: colour, columns: 0, isColour: true }];
    return letter === undefined ? [] : [{ text: letter, columns: widthOf(letter), isColour: false }];
  });
}

const sum = (row: readonly Cell[]): number => row.reduce((total, { columns }) => total + columns, 0);

/** Rows of letters left and right of a seam. */
function sidesOf(rows: readonly Cell[][], columns: number | null): readonly (readonly Cell[])[][] {
  const letters = rows.map((row) => row.filter(({ isColour }) => !isColour));
  if (columns === null) return [letters];
  const split = letters.map((row) => {
    let at = 0;
    const left = row.filter((cell) => (at += cell.columns) <= columns);
    return { left, right: row.slice(left.length) };
  });
  return [split.map(({ left }) => left), split.map(({ right }) => right)];
}

const FRAME = /[│┃║▌▐█|]/u;
const isBetween = ({ text }: Cell): boolean => FRAME.test(text) || /\s/.test(text);
/** A row this near to its edge is full: a border, a margin, a scroll bar take the rest. */
const MARGIN = 8;

/** These rows as one text, frames and blanks between them left out; the first begins as it stands. */
function stripOf(rows: readonly (readonly Cell[])[], width: number): Strip {
  const cells: Cell[] = [];
  const seams: { at: number; sure: boolean }[] = [];
  let isFull = false;
  rows.forEach((row, index) => {
    const first = index === 0 ? 0 : row.findIndex((cell) => !isBetween(cell));
    const last = row.findLastIndex((cell) => !isBetween(cell));
    if (index > 0) seams.push({ at: cells.length, sure: isFull });
    for (const cell of first < 0 ? [] : row.slice(first, last + 1))
      for (let unit = 0; unit < cell.text.length; unit += 1) cells.push(cell);
    const border = row.findIndex(({ text }, at) => at > last && FRAME.test(text));
    isFull = (border < 0 ? width : sum(row.slice(0, border))) - sum(row.slice(0, last + 1)) <= MARGIN;
  });
  return { text: textOf(cells), cells, seams };
}

/** Strips of these rows. Most screens hold no secret: each is made once, and anew after letters were replaced. */
class Strips {
  readonly #rows: readonly (readonly Cell[])[];
  readonly #width: number;
  readonly #made = new Map<number, Strip>();

  constructor(rows: readonly (readonly Cell[])[]) {
    this.#rows = rows;
    this.#width = Math.max(0, ...rows.map(sum));
  }

  /** `rows`: at most so many, from this one on. */
  from(at: number, rows: number): Strip {
    const key = at * (MAX_ROWS + 1) + rows;
    const strip = this.#made.get(key) ?? stripOf(this.#rows.slice(at, at + rows), this.#width);
    this.#made.set(key, strip);
    return strip;
  }

  forget(): void {
    this.#made.clear();
  }
}

/** A cell stands there once for each unit of its text. */
const textOf = (cells: readonly Cell[]): string =>
  cells.map(({ text }, at) => (cells[at - 1] === cells[at] ? '' : text)).join('');

/** Of one row every match; of several those that begin in the first and go on in the next. True when letters were replaced. */
function replaceIn({ text, cells, seams }: Strip, { pattern, stand, is, isKnown }: Find): boolean {
  const [seam] = seams;
  let isReplaced = false;
  for (const match of text.matchAll(pattern)) {
    const [from, whole] = match.indices?.groups?.['secret'] ?? match.indices?.[0] ?? [0, 0];
    if (seam !== undefined && match.index >= seam.at) break;
    if (is?.(text.slice(from, whole)) === false) continue;
    const to = isKnown ? whole : endOf(text, match.index, whole, seams);
    if (to <= Math.max(from, seam?.at ?? 0)) continue;
    put([...new Set(cells.slice(from, to))], stand);
    isReplaced = true;
  }
  return isReplaced;
}

/** Where it breaks off: at a row that was not full, unless what follows looks like more of it. */
function endOf(text: string, from: number, to: number, seams: Strip['seams']): number {
  for (const { at, sure } of seams.filter((seam) => seam.at > from && seam.at < to)) {
    const next = seams.find((seam) => seam.at > at)?.at ?? to;
    const rest = text.slice(at, Math.min(next, to));
    if (!sure && !(/\d/.test(rest) && /\p{L}/u.test(rest))) return at;
  }
  return to;
}

function put(cells: readonly Cell[], stand: Stand): void {
  const letters = stand(cells.map(({ text }) => text).join(''), sum(cells));
  let at = 0;
  for (const cell of cells) {
    cell.text = letters.slice(at, at + cell.columns);
    at += cell.columns;
  }
}

const masked: Stand = (text) =>
  [...text]
    .map((letter) => {
      const columns = widthOf(letter);
      return columns === 1 && !/[\p{L}\p{N}]/u.test(letter) ? letter : 'x'.repeat(columns);
    })
    .join('');
const named =
  (name: string): Stand =>
  (_, columns) =>
    name.repeat(Math.ceil(columns / name.length)).slice(0, columns);
const HOME = '/home/';
const home: Stand = (_, columns) => `${HOME}${named('user')('', Math.max(0, columns - HOME.length))}`.slice(0, columns);

/** In columns: a shorter name is a word of any language. */
const MIN_NAME = 3;

function findsFor({ homes, users, hosts }: Whose): Find[] {
  const known = (words: readonly string[], stand: Stand, flags: string): Find[] =>
    [...new Set(words)]
      .filter((word) => columnsOf(word) >= MIN_NAME && !isCommon(word))
      .sort((a, b) => b.length - a.length)
      .map((word) => ({ pattern: wordOf(word, flags), stand, isKnown: true }));
  return [
    ...known(homes, home, ''),
    ...known(hosts, named('host'), 'i'),
    ...SHAPES.map(({ pattern, is, stand }) => ({
      pattern,
      isKnown: false,
      stand: stand === undefined ? masked : named(stand),
      ...(is === undefined ? {} : { is }),
    })),
    ...known(users, named('user'), 'i'),
  ];
}

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
const wordOf = (word: string, flags: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}_])${word.replace(SYNTAX, String.raw`\$&`)}(?![\p{L}\p{N}_])`, `dgu${flags}`);
