/** Whatever happens to a screen that a person has to do with, nothing is typed into it: a change of it is no empty composer. */
import { describe, expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { readScreen } from '../../src/screen/read.ts';
import type { Picture } from '../../src/screen/screen.ts';
import { plain } from '../../src/screen/text.ts';
import { recordedScreens, type RecordedScreen } from './recorded.ts';

const packs = new Packs();
const screens = recordedScreens();
const PERSONS = new Set(['blocked', 'login', 'picker', 'draft', 'busy_draft']);
const WIDTHS = [30, 40, 60, 80, 100];
const QUESTION = [
  '[DOG] HEALTH CHECK: Session shop, respond within 60s or face termination.',
  'Warrant reason: no output for an hour',
  'To answer, run: town alive K7-3F',
];

/** The cursor moves with the row on which it stands. */
function withRows(picture: Picture, at: number, removed: number, rows: readonly string[]): Picture {
  const { cursor } = picture;
  const moved = cursor === null || cursor.y < at ? cursor : { ...cursor, y: cursor.y + rows.length - removed };
  return { ...picture, rows: picture.rows.toSpliced(at, removed, ...rows), cursor: moved };
}

const columns = (row: string, width: number): string => [...row].slice(0, width).join('').trimEnd();

function wrapped(picture: Picture, width: number): Picture {
  const pieces = picture.rows.map((row) => plain(row).match(new RegExp(`.{1,${width}}`, 'gu')) ?? ['']);
  const { cursor } = picture;
  const y = cursor === null ? 0 : pieces.slice(0, cursor.y).flat().length;
  return { ...picture, width, rows: pieces.flat(), cursor: cursor && { x: cursor.x % width, y } };
}

type Change = (picture: Picture, idle: readonly string[]) => Picture[];
const everywhere = (picture: Picture, removed: number, rows: readonly string[]): Picture[] =>
  picture.rows.map((_, at) => withRows(picture, at, removed, rows));

const CHANGES: Record<string, Change> = {
  'without colours': (picture) => [{ ...picture, rows: picture.rows.map(plain) }],
  'with our question in front': (picture) => [
    withRows(picture, 0, 0, QUESTION),
    withRows(picture, 0, 0, [...QUESTION, '', ...QUESTION]),
  ],
  'with our question behind': (picture) => [{ ...picture, rows: [...picture.rows, ...QUESTION] }],
  'with a blank row more': (picture) => everywhere(picture, 0, ['']),
  'with the row of a tool more': (picture) => everywhere(picture, 0, ['  compiled module 4']),
  'with a row less': (picture) => everywhere(picture, 1, []),
  'moved to the right': (picture) => [{ ...picture, rows: picture.rows.map((row) => (row === '' ? '' : ` ${row}`)) }],
  'cut at a width': (picture) =>
    WIDTHS.map((width) => ({ ...picture, width, rows: picture.rows.map((row) => columns(plain(row), width)) })),
  'wrapped at a width': (picture) => WIDTHS.map((width) => wrapped(picture, width)),
  'with an empty composer quoted above': (picture, idle) => [withRows(picture, 0, 0, idle)],
};

/** The end of an idle screen of the same program. */
function idleOf(agent: string): string[] {
  const rows = screens.find((one) => one.agent === agent && one.state === 'idle')?.picture.rows.map(plain) ?? [];
  const last = rows.findLastIndex((row) => row.trim() !== '');
  return rows.slice(Math.max(0, last - 6), last + 1);
}

const typedInto = ({ agent, picture }: RecordedScreen, change: Change): number =>
  change(picture, idleOf(agent)).filter((changed) => readScreen(packs.named(agent), changed).mayType).length;

describe.each(Object.keys(CHANGES))('%s', (name) => {
  test.each(screens.filter(({ state }) => PERSONS.has(state)))('$name is not typed into', (screen) => {
    const change = CHANGES[name];
    expect(change === undefined ? -1 : typedInto(screen, change)).toBe(0);
  });
});
