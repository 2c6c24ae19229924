/** Which options of a dialog a person may choose from elsewhere (A-1, A-3), on recorded screens of real programs. */
import { expect, test } from 'vitest';
import { areOther } from '../../machines/alerts/question.ts';
import { screenMarks } from '../../src/overview/question.ts';
import { dialogId, dialogOn, mayBeOf, onlyNamed, type DialogOnScreen } from '../../src/screen/dialog.ts';
import { Packs } from '../../src/screen/packs.ts';
import { readScreen } from '../../src/screen/read.ts';
import type { Picture } from '../../src/screen/screen.ts';
import { plain } from '../../src/screen/text.ts';
import { Chance } from '../world/chance.ts';
import { recordedScreens } from './recorded.ts';

const packs = new Packs();
const screens = recordedScreens();

function on(name: string, life = 'life', change = (picture: Picture) => picture): DialogOnScreen | null {
  const found = screens.find((one) => one.name === `${name}.txt`);
  if (found === undefined) throw new Error(`no screen ${name}`);
  const pack = packs.named(found.agent);
  const picture = change(found.picture);
  return dialogOn({ pack, picture, screen: readScreen(pack, picture) }, life);
}

/** `word key: label` of each. */
const offersOf = (dialog: DialogOnScreen | null): string[] =>
  (dialog?.offers ?? []).map(({ word, keys, label }) => `${word} ${keys.join(' ')}: ${label}`);

// Rules: A-1, A-3.
test.each<[name: string, offers: readonly string[]]>([
  ['claude/permission-80x24', ['yes 1: Yes', 'no 4: No']],
  ['claude/edit-80x24', ['yes 1: Yes', 'no 3: No']],
  ['claude/ask-80x24', ['1 1: PostgreSQL', '2 2: SQLite']],
  ['claude/trust-120x40', ['no Enter: No, exit', 'trust Down Enter: Yes, I trust this folder']],
  ['claude/apikey-120x40', ['no Enter: No (recommended)']],
  ['claude/plan-80x24', ['no 2: No']],
  ['claude/new-feature-80x24', ['no Down Enter: No, keep manual mode']],
  ['claude/mcp-broken-80x24', []],
  ['claude/login-120x40', []],
  ['claude/command-theme-120x40', []],
  [
    'codex/permission-120x40',
    ['yes y: Yes, proceed (y)', 'no Escape: No, and tell Codex what to do differently (esc)'],
  ],
  ['codex/trust-120x40', ['trust 1: Trust and continue']],
  // What explains its last option names the key of another thing: "(tab)".
  ['codex/ask-80x24', ['1 1: PostgreSQL', '2 2: SQLite', '3 3: None of the above']],
  // A field for words stands open below its options.
  ['codex/ask-notes-80x24', []],
  ['codex/ask-notes-typed-120x40', []],
  ['gemini/permission-80x24', ['yes 1: Allow once', 'no Escape: No, suggest changes (esc)']],
  ['gemini/edit-200x50', ['yes 1: Allow once', 'no Escape: No, suggest changes (esc)']],
  ['gemini/trust-120x40', ['trust 1: Trust folder (gtrust)', "no 3: Don't trust"]],
  ['qwen/permission-80x24', ['yes 1: Yes, allow once', 'no Escape: No, suggest changes (esc)']],
  ['qwen/plan-120x40', ['no Escape: No, keep planning (esc)']],
  ['copilot/permission-80x24', ['yes 1: Yes', 'no 3: No, and tell Copilot what to do differently (Esc to stop)']],
  // Its pointer is a colour, so that it is not known what Enter would take.
  ['opencode/permission-120x40', []],
  ['aider/add-file-120x40', ['yes y Enter: Yes', 'no n Enter: No']],
])('%s', (name, offers) => {
  const dialog = on(name);
  expect(offersOf(dialog && onlyNamed(dialog, []))).toEqual(offers);
});

test('no option of any recorded screen is offered unnamed that gives more than one answer', () => {
  const dialogs = screens.flatMap(({ name }) => on(name.slice(0, -4)) ?? []);
  const offers = dialogs.flatMap((dialog) => onlyNamed(dialog, ['*']).offers);
  const all = offers.filter(({ isGrave }) => isGrave !== true).map(({ label }) => label);
  const grave = offers.filter(({ isGrave }) => isGrave === true).map(({ label }) => label);
  const folder = /^(?:Yes, I trust this folder|Trust and continue|Trust folder \([a-z]+\))$/u;
  expect([...new Set(grave)].filter((label) => !folder.test(label))).toEqual([]);
  expect(all.length).toBeGreaterThan(20);
  const lasting =
    /always|again|session|all edits|auto|future|trust (?:and|this|folder|parent)|remember|mode(?!$)|allowlist|every/iu;
  expect([...new Set(all)].filter((label) => lasting.test(label) && !/^no\b/iu.test(label))).toEqual([]);
});

// Rules: A-3.
test.each<[name: string, offer: string | null]>([
  [
    'codex/permission-120x40',
    "p: Yes, and don't ask again for commands that start with `touch APPROVED-BY-NOBODY` (p)",
  ],
  ['claude/permission-120x40', '2: Yes, and always allow access to /home/dev/shops from this project'],
  [
    'claude/ticking-permission-200x50',
    "2: Yes, and don’t ask again for: timeout 3600 sh -c 'while sleep 1; do date +%T; done'",
  ],
  ['copilot/permission-120x40', "2: Yes, and don't ask again for `rm` and `make` in this repo (/home/dev/sh/c120)"],
  // Its words go on in the next row.
  ['claude/ticking-permission-80x24', null],
  ['codex/permission-80x24', null],
  ['copilot/permission-80x24', null],
  ['claude/resized-60-120x40', null],
  // It does not say what for.
  ['opencode/permission-120x40', null],
  ['gemini/permission-80x24', null],
  ['qwen/edit-120x40', null],
  // There are two, and one word.
  ['qwen/permission-200x50', null],
  // A mode, and a folder of all work.
  ['claude/edit-200x50', null],
  ['claude/new-feature-200x50', null],
  ['copilot/trust-120x40', null],
])('"always" of %s is offered where it is named, and says what for in one row', (name, offer) => {
  const dialog = on(name);
  const found = dialog?.offers.find(({ word }) => word === 'always') ?? null;
  expect(found && `${found.keys.join(' ')}: ${found.label}`).toBe(offer);
  if (dialog === null || found === null) return;
  expect(found).toMatchObject({ isGrave: true, does: expect.stringContaining(JSON.stringify(found.label)) as string });
  const unnamed = onlyNamed(dialog, ['*']);
  expect(offersOf(unnamed)).not.toContain(`always ${offer ?? ''}`);
  expect(unnamed.withheld).toContain(found.label);
});

test('its id is that of this dialog on this screen of this life, wherever its pointer stands', () => {
  const name = 'claude/permission-80x24';
  const id = on(name)?.id;
  expect(id).toMatch(/^dialog-\d{15}$/);
  const changed = (from: string | RegExp, to: string) =>
    on(name, 'life', (picture) => ({ ...picture, rows: picture.rows.map((row) => row.replace(from, to)) }))?.id;
  expect(on(name, 'another')?.id).not.toBe(id);
  expect(changed('touch', 'rm')).not.toBe(id);
  expect(changed('I will run it', 'I ran it')).not.toBe(id);
  expect(changed(/❯(?=.*1\.)/u, ' ')).toBeUndefined();
  const moved = on(name, 'life', (picture) => ({
    ...picture,
    rows: picture.rows.map((row) => (/1\./.test(row) ? row.replace('❯', ' ') : row.replace(/ {3}(?=\S*4\.)/u, ' ❯ '))),
  }));
  expect(moved?.offers.find(({ chosen }) => chosen)?.word).toBe('no');
  expect(moved?.id).toBe(id);
});

test('in a narrow terminal, where a label may be cut, nothing is offered', () => {
  const narrow = on('claude/permission-80x24', 'life', (picture) => ({ ...picture, width: 60 }));
  expect(narrow?.offers).toEqual([]);
  expect(narrow?.withheld).toHaveLength(4);
});

const EDGE = /^─{40}/u;

// Rules: A-3.
test.each<[name: string, command: string | null]>([
  ['claude/permission-80x24', 'touch APPROVED-BY-NOBODY'],
  ['claude/edit-80x24', 'def parse(text):'],
  ['claude/ask-80x24', 'PostgreSQL'],
  ['gemini/permission-80x24', 'rm -rf build && make all'],
  ['copilot/permission-80x24', 'rm -rf build && make all'],
  // Without an edge it is not known where they begin.
  ['codex/permission-120x40', null],
  ['aider/permission-80x24', null],
  ['qwen/permission-80x24', null],
])('%s is shown whole where its upper edge is seen', (name, command) => {
  const { whole = null } = on(name) ?? {};
  if (command === null) expect(whole).toBeNull();
  else expect(whole?.join('\n')).toContain(command);
});

// Rules: A-3.
test.each<[string, (rows: readonly string[]) => readonly string[]]>([
  ['its edge is out of sight', (rows) => rows.filter((row) => !EDGE.test(plain(row)))],
  ['the program shows a part', (rows) => rows.map((row) => row.replace('touch APPROVED', 'touch … APPROVED'))],
  ['it counts what it hides', (rows) => rows.map((row) => row.replace(/touch \S+/, '+12 lines'))],
  ['it draws an edge of its own', (rows) => rows.map((row) => (EDGE.test(plain(row)) ? ` ${'─'.repeat(79)}` : row))],
])('a dialog is not shown whole where %s', (_, change) => {
  const dialog = on('claude/permission-80x24', 'life', (picture) => ({ ...picture, rows: change(picture.rows) }));
  expect([dialog?.offers.length, dialog?.whole]).toEqual([3, null]);
});

// Rules: A-1, law 8.
test.each([
  'codex/permission-80x24',
  'codex/edit-200x50',
  'codex/ask-80x24',
  'codex/trust-120x40',
  'opencode/permission-120x40',
  'opencode/edit-80x24',
  'opencode/ask-120x40',
  'qwen/ask-80x24',
  'qwen/permission-80x24',
  'qwen/edit-200x50',
  'gemini/trust-80x24',
])('%s: a row of the conversation above it that changes makes no other question of it', (name) => {
  const first = on(name);
  const above = (text: string) => on(name, 'life', (picture) => ({ ...picture, rows: picture.rows.with(0, text) }));
  expect(first?.cutTo).not.toBeNull();
  for (const text of ['a tool writes', 'a tool writes more', ''])
    expect(areOther(screenMarks(first!.question, first), screenMarks(first!.question, above(text)))).toBe(false);
});

// Rules: A-1, law 8.
test.each([
  ['codex/permission-80x24', 'codex/second-dialog-120x40'],
  ['opencode/permission-120x40', 'opencode/second-dialog-120x40'],
])('%s, and the one after it in the same terminal, are told apart by what they are about', (one, other) => {
  const [first, second] = [on(one), on(other)].map((dialog) => ({ ...dialog!, cutTo: '80x24' }));
  expect(areOther(screenMarks('?', first!), screenMarks('?', second!))).toBe(true);
});

// Rules: A-1, law 8.
test.each([
  ['gemini/resized-back-120x40', 'gemini/resized-80-120x40', 'gemini/resized-60-120x40', 'gemini/resized-40-120x40'],
  ['qwen/resized-back-120x40', 'qwen/resized-80-120x40', 'qwen/resized-60-120x40', 'qwen/resized-40-120x40'],
  ['qwen/edit-200x50', 'qwen/edit-80x24'],
])('%s is the same question in each size of its terminal', (first, ...others) => {
  const [one, ...more] = [first, ...others].map((name) => screenMarks('?', on(name)));
  for (const other of more) {
    expect(areOther(one!, other)).toBe(false);
    expect(other.dialog).toBe(one?.dialog);
  }
});

/** As Qwen draws it in so many columns, below these words of its talk. */
function inQwen(command: string, columns: number, talk: readonly string[]): Picture {
  const found = screens.find(({ name }) => name === 'qwen/resized-back-120x40.txt')!.picture;
  const wrapped = (text: string, indent: number): string[] => {
    const rows = text.match(new RegExp(`.{1,${columns - indent - 2}}(?: |$)`, 'gu')) ?? [];
    return rows.map((row) => `${' '.repeat(indent)}${row.trimEnd()}`);
  };
  const cut = (text: string): string => (text.length > columns - 6 ? `${text.slice(0, columns - 7)}…` : text);
  const program = command.split(' ')[0] ?? '';
  const head = wrapped(`Shell ${command} ←`, 4);
  const rows = [
    ...talk.map((row) => `  ${row}`),
    `  ? ${head[0]?.trimStart() ?? ''}`,
    ...head.slice(1),
    ...wrapped(command, 5),
    `   Allow execution of: '${program}'?`,
    '   › 1. Yes, allow once',
    `     2. ${cut(`Always allow run '${program} *' commands in this project, whatever else is asked`)}`,
    '     3. No, suggest changes (esc)',
    '',
    '  ⠏ Waiting for user confirmation...',
  ];
  return { ...found, rows, width: columns, cursor: { x: 36, y: rows.length - 1 } };
}

// Rules: A-1, law 8.
test('one command is one question at each width and below all other words, and two are two', () => {
  const chance = new Chance(30);
  const word = (): string =>
    chance.oneOf(['rm', '-rf', 'build', 'src/', '&&', 'make', 'all', '--force', 'test', './x.sh']);
  const words = (least: number): string => Array.from({ length: least + chance.upTo(9) }, word).join(' ');
  const pack = packs.named('qwen');
  const drawn = (command: string) => {
    const talk = Array.from({ length: chance.upTo(8) }, () => `◆ ${words(1)}`);
    const picture = inQwen(command, 60 + chance.upTo(140), talk);
    const dialog = dialogOn({ pack, picture, screen: readScreen(pack, picture) }, 'life');
    return screenMarks(dialog?.question ?? 'none', dialog);
  };
  for (let nth = 0; nth < 300; nth += 1) {
    const command = words(1);
    const first = drawn(command);
    expect(first.dialog).toBeDefined();
    expect(areOther(first, drawn(command)), command).toBe(false);
    expect(areOther(first, drawn(`${command} once${String(nth)}`)), command).toBe(true);
  }
});

// Rules: A-1, law 8.
test.each<[name: string, row: string | RegExp, other: string]>([
  ['aider/add-file-120x40', /./, 'y'],
  ['claude/resized-40-120x40', /\w/, 'cd /production'],
  ['qwen/permission-80x24', /^ {5}rm -rf/, '     rm -rf /production'],
])('%s: other words above a question that stands next to its options make another one', (name, row, other) => {
  const changed = on(name, 'life', (picture) => {
    const at = picture.rows.findIndex((one) => plain(one).match(row));
    return { ...picture, rows: picture.rows.with(at, other) };
  });
  const first = on(name)!;
  expect(areOther(screenMarks(first.question, first), screenMarks(changed!.question, changed))).toBe(true);
});

test('an id is of the life that it was made for, and of no other; another kind of id may be of any', () => {
  const id = dialogId('request', ['life-1', 'per_1']);
  const of = (life: string | null, one = id): boolean => mayBeOf(one, life);
  expect([of('life-1'), of('life-2'), of(null), of('life-2', 'needs-input/builder')]).toEqual([
    true,
    false,
    true,
    true,
  ]);
});
