/**
 * Programs that no pack knows, as they were recorded while they waited for a person (fzf 0.38, gum 0.14, dialog, whiptail,
 * less, more, vi, nano, git, ssh-keygen, su, bash, Python, Node): nothing is typed there, however the screen is changed.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { readRecorded } from '../../src/screen/picture.ts';
import { readScreen } from '../../src/screen/read.ts';
import { asksPerson, type Picture } from '../../src/screen/screen.ts';
import { plain } from '../../src/screen/text.ts';
import { columnsOf, cutAt } from '../../src/terminal/columns.ts';

const FOLDER = join(import.meta.dirname, 'others');
const generic = new Packs().named('generic');
const screens = readdirSync(FOLDER)
  .sort()
  .map((name) => {
    const { picture, head } = readRecorded(readFileSync(join(FOLDER, name), 'utf8'));
    return { name, state: head.get('state') ?? '', picture };
  });

/** What draws a screen of its own is unknown without a pack, and a question above an empty row may be prose. */
const UNTOLD = new Set(
  [
    'dialog-ascii dialog-inputbox dialog-yesno whiptail-ascii whiptail-menu whiptail-yesno vi nano less less-main git-rebase',
    'fzf-border fzf-reverse gum-filter read-arrow read-arabic read-colon-below read-fullwidth-below',
  ].flatMap((names) => names.split(' ')),
);
/** Narrow, the end of its keys is cut off. */
const isTold = (name: string): boolean =>
  name !== 'gum-write-40x20.txt' && !UNTOLD.has(name.replace(/-\d+x\d+\.txt$/, ''));

test.each(screens)('$name is $state', ({ name, state, picture }) => {
  const screen = readScreen(generic, picture);
  expect(screen.mayType).toBe(state === 'idle');
  if (state === 'idle') expect(screen.state).toBe('idle');
  else expect(asksPerson(screen)).toBe(isTold(name));
});

/** What takes the keys stays as the program draws it. */
const ABOVE = 8;
const above = (picture: Picture, row: string): Picture[] =>
  picture.rows.slice(0, Math.max(1, (picture.cursor?.y ?? 0) - ABOVE)).map((_, at) => {
    const { cursor } = picture;
    const y = cursor === null || cursor.y < at ? cursor?.y : cursor.y + 1;
    return { ...picture, rows: picture.rows.toSpliced(at, 0, row), cursor: cursor && { x: cursor.x, y: y ?? 0 } };
  });

/** As a terminal of this width shows what was written line by line. */
function wrapped(picture: Picture, width: number): Picture {
  const pieces = picture.rows.map((row) => piecesOf(plain(row), width));
  const { cursor } = picture;
  if (cursor === null) return { ...picture, width, rows: pieces.flat() };
  const above = pieces.slice(0, cursor.y).flat().length;
  const row = plain(picture.rows[cursor.y] ?? '');
  const left = cutAt(row, cursor.x)[0];
  const before = piecesOf(left + ' '.repeat(cursor.x - columnsOf(left)), width);
  const at = { x: columnsOf(before.at(-1) ?? ''), y: above + before.length - 1 };
  return { ...picture, width, rows: pieces.flat(), cursor: at };
}

function piecesOf(row: string, width: number): string[] {
  const [first, rest] = cutAt(row, width);
  return rest === '' ? [first] : [first, ...piecesOf(rest, width)];
}

const CHANGES: Record<string, (picture: Picture) => Picture[]> = {
  'without colours': (picture) => [{ ...picture, rows: picture.rows.map(plain) }],
  'with a blank row more': (picture) => above(picture, ''),
  'with the row of a tool more': (picture) => above(picture, '  compiled module 4'),
  'without knowing its terminal': (picture) => [{ ...picture, lineMode: null }],
  'wrapped at any width': (picture) => Array.from({ length: 60 }, (_, at) => wrapped(picture, at + 12)),
};

describe.each(Object.entries(CHANGES))('%s', (_, change) => {
  test.each(screens.filter(({ state }) => state !== 'idle'))('$name is not typed into', ({ picture }) => {
    const typed = change(picture).filter((changed) => readScreen(generic, changed).mayType);
    expect(typed).toEqual([]);
  });
});
