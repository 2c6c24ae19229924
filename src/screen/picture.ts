/**
 * Pictures of terminals as text: what `tmux capture-pane -p -e` prints, or a recorded screen with a head of `key: value`
 * lines, in which the sign ␛ stands for the escape character, so that it stays text. Pure.
 */
import type { Picture } from './screen.ts';

const FIRST_LINE = 'townwatch screen 1';
const HEAD_END = '---';
const ESCAPE_SIGN = '␛';
const ESCAPE = '\u001b';

/** What a recorded screen says of itself. */
export interface Recorded {
  readonly picture: Picture;
  /** Keys of its head: agent, version, state … Empty for a plain capture. */
  readonly head: ReadonlyMap<string, string>;
}

export const UNKNOWN_PICTURE: Picture = {
  rows: [],
  width: null,
  cursor: null,
  alternate: null,
  title: '',
  lineMode: null,
  at: null,
};

/** `WxH`; null = it is none. */
export function sizeIn(text: string): { readonly width: number; readonly height: number } | null {
  const [, width, height] = /^(\d{1,4})x(\d{1,4})$/.exec(text.trim()) ?? [];
  return width === undefined ? null : { width: Number(width), height: Number(height) };
}

/** `x,y` from 0; null = it is none. */
export function cursorIn(text: string): Picture['cursor'] {
  const [, x, y] = /^(\d{1,4}),(\d{1,4})$/.exec(text.trim()) ?? [];
  return x === undefined ? null : { x: Number(x), y: Number(y) };
}

export function readRecorded(text: string): Recorded {
  const lines = text.split(/\r?\n/);
  const end = lines.indexOf(HEAD_END);
  if (lines[0] !== FIRST_LINE || end < 0)
    return { picture: { ...UNKNOWN_PICTURE, rows: withoutEnd(lines) }, head: new Map() };
  const head = new Map(
    lines.slice(1, end).flatMap((line) => {
      const [, key, value] = /^([a-z_]+): ?(.*)$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, value ?? ''] as const];
    }),
  );
  const flag = (key: string): boolean | null => (head.has(key) ? head.get(key) === 'true' : null);
  return {
    head,
    picture: {
      rows: withoutEnd(lines.slice(end + 1).map((line) => line.replaceAll(ESCAPE_SIGN, ESCAPE))),
      width: sizeIn(head.get('size') ?? '')?.width ?? null,
      cursor: cursorIn(head.get('cursor') ?? ''),
      alternate: flag('alternate'),
      title: head.get('title') ?? '',
      lineMode: flag('line_mode'),
      at: null,
    },
  };
}

/** As `readRecorded` reads it. */
export const writeRecorded = (head: ReadonlyMap<string, string>, rows: readonly string[]): string =>
  [
    FIRST_LINE,
    ...[...head].map(([key, value]) => `${key}: ${value}`),
    HEAD_END,
    ...rows.map((row) => row.replaceAll(ESCAPE, ESCAPE_SIGN)),
    '',
  ].join('\n');

/** A text file ends with a line break, which is no row. */
const withoutEnd = (lines: readonly string[]): readonly string[] => (lines.at(-1) === '' ? lines.slice(0, -1) : lines);
