/** Nothing is typed into a screen that a person has to do with, after any change of it: a change of it is no empty composer. */
import { expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { readPast } from '../../src/hearings/sent-text-filter.ts';
import type { Picture } from '../../src/screen/screen.ts';
import { plain } from '../../src/screen/text.ts';
import { recordedScreens, type RecordedScreen } from './recorded.ts';

const packs = new Packs();
const screens = recordedScreens();
const PERSONS = new Set(['blocked', 'login', 'picker', 'draft', 'busy_draft', 'limited', 'gone']);
/** What one row alone tells is gone with it, or with its end: such a screen is then that of an idle program. */
const isToldByARow = ({ state, name }: RecordedScreen): boolean =>
  state === 'limited' ||
  state === 'gone' ||
  /\/draft-newline-|\/draft-ghost-start-|\/not-logged-in-|copilot\/(?:signed-out|login-(?!120))/.test(name);
/** Letter for letter what the program suggests: colour alone tells that a person typed it. */
const isToldByColour = ({ name }: RecordedScreen): boolean => name.includes('/draft-ghost-start-');
/** Blank rows of a draft look as its composer's own, of which it has more: cut apart by another row they are that composer. */
const isToldByItsRows = ({ name }: RecordedScreen): boolean => /opencode\/draft-newlines?-/.test(name);
const CUTTING = new Set(['with a row less', 'cut at a width', 'wrapped at a width']);
const WIDTHS = [20, 26, 30, 40, 50, 60, 80, 100];
/** Each screen at half of them, and at others near by, so that together they are cut at nearly every one. */
function widthsOf({ rows }: Picture): number[] {
  const { length } = rows.join('');
  return WIDTHS.filter((_, at) => at % 2 === length % 2).map((width) => width + (length % 10));
}
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

/** Every colour becomes this one; what is faint, bold or inverse stays so. */
const recoloured = (picture: Picture, colour: number): Picture => ({
  ...picture,
  rows: picture.rows.map((row) => row.replace(/38;(?:5;\d+|2;\d+;\d+;\d+)/g, `38;5;${colour}`)),
});

type Change = (picture: Picture, idle: readonly string[], dialog: readonly string[]) => Picture[];
/** The program reads its last rows one by one. Those above are read together: one in three of them, others in each screen. */
const LAST_ROWS = 12;
function everywhere(picture: Picture, removed: number, rows: readonly string[]): Picture[] {
  const last = picture.rows.findLastIndex((row) => plain(row).trim() !== '') + 1;
  const places = Array.from({ length: Math.min(last + 1, picture.rows.length) }, (_, at) => at);
  return places
    .filter((at) => last - at < LAST_ROWS || at % 3 === last % 3)
    .map((at) => withRows(picture, at, removed, rows));
}

const CHANGES: Record<string, Change> = {
  'without colours': (picture) => [{ ...picture, rows: picture.rows.map(plain) }],
  'in other colours': (picture) => [31, 94, 250].map((colour) => recoloured(picture, colour)),
  'with our question in front': (picture) => [
    withRows(picture, 0, 0, QUESTION),
    withRows(picture, 0, 0, [...QUESTION, '', ...QUESTION]),
  ],
  'with our question behind': (picture) => [{ ...picture, rows: [...picture.rows, ...QUESTION] }],
  'with a blank row more': (picture) => everywhere(picture, 0, ['']),
  'with the row of a tool more': (picture) => everywhere(picture, 0, ['  compiled module 4']),
  'with a row less': (picture) => everywhere(picture, 1, []),
  'moved to the right': (picture) => [
    {
      ...picture,
      rows: picture.rows.map((row) => (row === '' ? '' : ` ${row}`)),
      cursor: picture.cursor && { ...picture.cursor, x: picture.cursor.x + 1 },
    },
  ],
  'cut at a width': (picture) =>
    widthsOf(picture).map((width) => ({
      ...picture,
      width,
      rows: picture.rows.map((row) => columns(plain(row), width)),
    })),
  'wrapped at a width': (picture) => widthsOf(picture).map((width) => wrapped(picture, width)),
  'with a dialog quoted above': (picture, _, dialog) => [withRows(picture, 0, 0, dialog)],
  'with an empty composer quoted above': (picture, idle) => [withRows(picture, 0, 0, idle)],
};

/** The end of another screen of the same program. */
function endOf(agent: string, state: string, most: number): string[] {
  const rows = screens.find((one) => one.agent === agent && one.state === state)?.picture.rows.map(plain) ?? [];
  const last = rows.findLastIndex((row) => row.trim() !== '');
  return rows.slice(Math.max(0, last - most), last + 1);
}

/** What the town typed, as the hands know it. */
const TYPED = [{ lines: QUESTION, times: 2 }];

/** The changed pictures in which the hands would type; the same picture is read once. */
function typedInto({ agent, picture }: RecordedScreen, name: string, change: Change): number {
  const pack = packs.named(agent);
  const pictures = change(picture, endOf(agent, 'idle', 6), endOf(agent, 'blocked', 15));
  const different = new Map(pictures.map((changed) => [JSON.stringify(changed), changed]));
  // A question that is not on the screen cannot be taken out of it: both readings are one.
  const readings = name.includes('our question') ? [[], TYPED] : [TYPED];
  return [...different.values()].filter((changed) => readings.some((typed) => readPast(pack, changed, typed).mayType))
    .length;
}

test('the screens are those of every agent with a pack, in every state that is a person’s', () => {
  const shown = new Set(screens.map(({ state }) => state));
  expect([...PERSONS].filter((state) => !shown.has(state))).toEqual([]);
  expect(screens.filter(({ state }) => PERSONS.has(state)).length).toBeGreaterThan(700);
});

test.each(Object.entries(CHANGES))('no screen is typed into %s', (name, change) => {
  const isGone = (one: RecordedScreen): boolean =>
    (/more$/.test(name) && isToldByItsRows(one)) ||
    (CUTTING.has(name) && isToldByARow(one)) ||
    (name === 'without colours' && isToldByColour(one));
  const kept = screens.filter((one) => PERSONS.has(one.state) && !isGone(one));
  const failed = kept.flatMap((screen) => {
    const times = typedInto(screen, name, change);
    return times === 0 ? [] : [`${screen.name}: typed into in ${times} of its changed pictures`];
  });
  expect(failed).toEqual([]);
});
