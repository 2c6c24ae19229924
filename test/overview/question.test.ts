/** Which question an agent asks: another one counts from its own beginning, and a source that falls silent makes no other one of it. */
import { expect, test } from 'vitest';
import { idIn, isOtherQuestion, marksIn } from '../../machines/alerts/question.ts';
import { HANDS } from '../../src/ports/policy.ts';
import {
  isAbout,
  marksOf,
  questionAfter,
  questionId,
  screenMarks,
  type Question,
} from '../../src/overview/question.ts';
import { dialogOn } from '../../src/screen/dialog.ts';
import { Packs } from '../../src/screen/packs.ts';
import { readScreen } from '../../src/screen/read.ts';
import type { Picture } from '../../src/screen/screen.ts';
import { DIALOG, IDLE, LIFE, OTHER, SECOND, yard } from './panes.ts';

const LASTS = HANDS.asksAfterMs / SECOND;
const words = { program: 'Bash: npm test' } as const;
const asked = (marks: Question['marks'], since = 0): Question => ({ what: 'it', since, by: 'program', marks });

// Rules: A-1, law 8.
test.each<[string, Question['marks'], Question['marks'], boolean]>([
  ['the same words', words, words, false],
  ['other words', words, { program: 'Bash: npm start' }, true],
  ['the same words under another id', { ...words, request: '1' }, { ...words, request: '2' }, true],
  ['other words under the same id', { ...words, request: '1' }, { program: 'an approval', request: '1' }, false],
  ['an id that comes later', words, { ...words, request: '1' }, false],
  ['a screen in place of a silent program', { ...words, request: '1' }, { screen: 'Do you want to proceed' }, false],
  [
    'a dialog of which a part is out of sight by now',
    { screen: 'Proceed', dialog: 'Proceed rm' },
    { screen: 'Proceed' },
    false,
  ],
  ['the same words for another act', { screen: 'P', dialog: 'P rm' }, { screen: 'P', dialog: 'P make' }, true],
  ['another screen', { screen: 'Do you want to proceed' }, { screen: 'Trust this folder' }, true],
])('%s', (_, before, next, isOther) => {
  const found = questionAfter(asked(before), asked(next), 60_000);
  expect(found).toEqual(isOther ? asked(next, 60_000) : asked({ ...before, ...next }));
});

test('a dialog that is drawn in another width has the same marks', () => {
  const [wide, narrow] = ['╭─╮ rm -rf build/ (5s)', '╭╮ rm -r f bui ld/ (4s)'].map((dialog) =>
    screenMarks('Proceed?', { content: [dialog], cutTo: null }),
  );
  expect(narrow).toEqual(wide);
});

// Rules: A-1.
test.each([
  ['kill 123', 'kill 124', true],
  ['sleep 5s', 'sleep 6s', true],
  ['(sleep 5s; kill 123)', '(sleep 5s; kill 124)', true],
  ['make (3s)', 'make (4s)', false],
  ['make (12s · esc to interrupt)', 'make (1m 4s · esc to interrupt)', false],
  ['❯ 1. Yes 2. No', '1. Yes ❯ 2. No', false],
])('of %j and %j the digits of the command count, and those of the frame do not', (one, other, isOther) => {
  const [before = '', after = ''] = [one, other].map((dialog) =>
    questionId('a', screenMarks('Proceed?', { content: [dialog], cutTo: null })),
  );
  expect(isOtherQuestion(before, after)).toBe(isOther);
});

test('of another life is another one, and in another process the same, whichever of its marks that one knows', () => {
  const before = questionId('a', { ...words, request: 'toolu_1: x' });
  expect(isOtherQuestion(before, questionId('a', words))).toBe(false);
  expect(isOtherQuestion(before, questionId('a', { ...words, request: 'toolu_1: x', screen: 'Proceed' }))).toBe(false);
  expect(isOtherQuestion(before, questionId('a', { request: 'toolu_2' }))).toBe(true);
  expect(isOtherQuestion(before, questionId('b', words))).toBe(true);
});

const EDGE = '─'.repeat(DIALOG!.width!);
const dialogAbout = (command: readonly string[], edge = EDGE): Picture => {
  const options = ['Do you want to proceed?', '❯ 1. Yes', '  2. No'].map((row) => ` ${row}`);
  const rows = [edge, ' Bash command', '', ...command.map((row) => `   ${row}`), '', ...options, '', ' Esc to cancel'];
  return { ...DIALOG!, rows: [...rows, ...Array<string>(40).fill('')].slice(0, 40), cursor: { x: 0, y: rows.length } };
};
const long = (last: string) => [...Array.from({ length: 23 }, (_, at) => `step ${String(at)}`), last];

// Rules: A-1, law 8.
test.each<[string, Picture, Picture]>([
  ['of more rows than are shown', dialogAbout(long('make')), dialogAbout(long('rm -rf /precious'))],
  ['of which a part is left out', dialogAbout(['make', '… +12 lines']), dialogAbout(['rm -rf /', '… +12 lines'])],
  ['below a short rule', dialogAbout(['make'], EDGE.slice(9)), dialogAbout(['rm -rf /'], EDGE.slice(9))],
  [
    'that shows a secret',
    dialogAbout(['make TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz']),
    dialogAbout(['rm -rf /']),
  ],
])(
  'a dialog %s is another one than the next in the same words, and stays the same while it stands',
  async (_, one, next) => {
    const { server, asking, pass, of } = yard();
    const id = () => asking.questionOf(LIFE.uuid);
    server.show(LIFE.paneId, one);
    await pass(LASTS + 10);
    const first = id();
    server.show(LIFE.paneId, one);
    await pass(4);
    expect([of(), isOtherQuestion(first, id())]).toEqual(['Do you want to proceed?', false]);
    server.show(LIFE.paneId, next);
    await pass(4);
    expect([of(), isOtherQuestion(first, id())]).toEqual(['', true]);
    await pass(LASTS + 10);
    expect([of(), isOtherQuestion(first, id())]).toEqual(['Do you want to proceed?', true]);
  },
);

// Rules: A-1, law 8.
test('what is in sight of a long dialog tells no question from another where its terminal has another size by now', () => {
  const [wide, narrow, next] = (
    [
      ['rm -rf /pre… (3s)', '200x50'],
      ['rm -rf…', '80x50'],
      ['make (3s)', '200x50'],
    ] as const
  ).map(([row, cutTo]) => questionId('a', screenMarks('Proceed?', { content: [row], cutTo })));
  expect(isOtherQuestion(wide, narrow)).toBe(false);
  expect(isOtherQuestion(wide, next)).toBe(true);
});

// Rules: A-2, law 8.
test('a dialog that is looked at by itself has the marks of its alert', async () => {
  const { server, asking, pass } = yard();
  server.show(LIFE.paneId, DIALOG);
  await pass(LASTS + 10);
  const pack = new Packs().named('claude');
  const dialog = dialogOn({ pack, screen: readScreen(pack, DIALOG!), picture: DIALOG! }, LIFE.uuid)!;
  expect(questionId(LIFE.uuid, marksOf(dialog))).toBe(asking.questionOf(LIFE.uuid));
  expect(marksOf({ ...dialog, mark: 'toolu_1' })).toEqual({ request: 'toolu_1', id: dialog.id });
});

// Rules: P-4.
test('one after another: each is told once it has stood for a while, under an id of its own', async () => {
  const { asking, says, pass, of } = yard();
  const id = () => asking.questionOf(LIFE.uuid);
  says(LIFE, 'asks', 'Bash: npm test', 60);
  await pass(4);
  const first = id();
  expect([of(), typeof first]).toEqual(['Bash: npm test', 'string']);
  // Its program tells only since when it has been asking.
  says(LIFE, 'asks', 'Bash: npm start', 60);
  await pass(LASTS - 2);
  expect([of(), isOtherQuestion(first, id())]).toEqual(['', true]);
  await pass(10);
  expect(of()).toBe('Bash: npm start');
  expect(isOtherQuestion(first, id())).toBe(true);
});

// Rules: law 8.
test('after an answer from afar the next one is told at its first look, that one before is not, and a later one takes its while', async () => {
  const { server, asking, says, pass, of } = yard();
  says(LIFE, 'asks', 'Bash: npm test', 0);
  await pass(4);
  asking.answered.note(LIFE.uuid, server.now);
  await pass(4);
  expect(of()).toBe('');
  says(LIFE, 'asks', 'Bash: npm start', 0);
  await pass(6);
  expect(of()).toBe('Bash: npm start');
  says(LIFE, 'working');
  await pass(60);
  says(LIFE, 'asks', 'Bash: npm run build', 0);
  await pass(6);
  expect(of()).toBe('');
});

// Rules: A-2, law 8.
test('what was seen before an answer counts no more; the next scan looks, and the same words take their while again', async () => {
  const { server, asking, pass, of } = yard();
  const both = (): unknown[] => [of(), asking.questionOf(LIFE.uuid)];
  server.show(LIFE.paneId, DIALOG);
  await pass(LASTS + 10);
  expect(both()).toEqual(['Do you want to proceed?', expect.any(String)]);
  await asking.look([LIFE], true);
  server.show(LIFE.paneId, IDLE);
  asking.endQuestion(LIFE.uuid);
  expect(both()).toEqual(['', undefined]);
  await pass(2);
  expect(of()).toBeNull();
  server.show(LIFE.paneId, DIALOG);
  await pass(LASTS - 2);
  expect(of()).toBe('');
  await pass(10);
  expect(of()).toBe('Do you want to proceed?');
});

// Rules: A-2, law 8.
test('an answer during a look: what that look finds does not count either, and the next one looks though nothing was printed', async () => {
  const { server, asking, pass, of } = yard();
  server.show(LIFE.paneId, DIALOG);
  server.show(OTHER.paneId, DIALOG);
  await pass(LASTS + 10);
  const look = asking.look([LIFE, OTHER], true);
  asking.endQuestion(LIFE.uuid);
  await look;
  expect([of(), asking.of(OTHER.uuid)]).toEqual(['', 'Do you want to proceed?']);
  await pass(2);
  expect([of(), typeof asking.questionOf(LIFE.uuid)]).toEqual(['', 'string']);
  await pass(LASTS + 2);
  expect(of()).toBe('Do you want to proceed?');
});

test('many that are answered within seconds: none is told', async () => {
  const { says, pass, of } = yard();
  const seen = new Set<unknown>();
  for (let n = 0; n < 40; n += 1) {
    says(LIFE, 'asks', `Bash: echo ${n}`);
    for (let spent = 0; spent < 12; spent += 2) {
      await pass(2);
      seen.add(of());
    }
  }
  expect(seen).toEqual(new Set(['']));
});

test('a program that falls silent while its dialog stands on the screen asks the same', async () => {
  const { server, asking, names, says, pass, of } = yard();
  server.show(LIFE.paneId, DIALOG);
  says(LIFE, 'asks', 'Bash: npm test', 60);
  await pass(10);
  const before = asking.questionOf(LIFE.uuid);
  names('c-1');
  server.show(LIFE.paneId, DIALOG);
  await pass(10);
  const isOther = isOtherQuestion(before, asking.questionOf(LIFE.uuid));
  expect([of(), before, isOther]).toEqual(['Do you want to proceed?', expect.any(String), false]);
});

const REQUEST = {
  id: 'toolu_1',
  kind: 'permission',
  question: 'Bash: npm test?',
  shows: [],
  whole: null,
  offers: [],
  withheld: [],
  answer: () => Promise.resolve('taken' as const),
  isOver: () => Promise.resolve(false),
} as const;

// Rules: A-1.
test('a question keeps the name of its first sight, whichever source tells of it later', async () => {
  const { server, asking, says, pass } = yard();
  const id = () => idIn(asking.questionOf(LIFE.uuid));
  server.show(LIFE.paneId, DIALOG);
  await pass(6);
  const first = id();
  expect(first).toMatch(/^dialog-\d+$/);
  says(LIFE, 'asks', 'Bash: npm test', 4, { asked: REQUEST });
  await pass(6);
  expect([id(), marksIn(asking.questionOf(LIFE.uuid)!).request]).toEqual([first, expect.any(String)]);
  // The next question of the same program has a name of its own, and keeps that once no connection holds it any more.
  says(LIFE, 'asks', 'Bash: npm start', 4, { asked: { ...REQUEST, id: 'toolu_2' } });
  await pass(6);
  const next = id();
  expect(next).toMatch(/^request-\d+$/);
  says(LIFE, 'asks', 'Bash: npm start', 4, { mark: 'toolu_2' });
  await pass(6);
  expect(id()).toBe(next);
});

// Rules.
test('where a program says only that it asks, its dialog names the question, at one look', async () => {
  const { server, asking, says, pass, of } = yard();
  server.show(LIFE.paneId, DIALOG);
  says(LIFE, 'asks', 'permission prompt', 0);
  await pass(LASTS + 10);
  expect(idIn(asking.questionOf(LIFE.uuid))).toMatch(/^dialog-\d+$/);
  expect([of(), server.readings]).toEqual(['permission prompt', 1]);
});

// Rules.
test.each([
  ['Bash: npm test?', ['Bash command', '  npm test', '❯ 1. Yes'], true],
  ['Bash: npm test?', ['Bash command', '  npm test:all', '❯ 1. Yes'], false],
  ['Bash: ls?', ['tools', '│ ls │', '❯ 1. Yes'], true],
  ['Bash: ls?', ['tools', '❯ 1. Yes'], false],
  ['Bash: rm -rf build && make all the thi…', ['rm -rf build && ma', 'ke all the things'], true],
  ['Edit: /home/me/app/src/index.ts?', ['Edit file', 'src/index.ts'], true],
  ['Which one?', ['Which one?', '1. This'], true],
])('%j stands in %j: %s', (question, shows, is) => {
  expect(isAbout({ shows }, question)).toBe(is);
});
