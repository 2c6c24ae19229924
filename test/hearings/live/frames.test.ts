/** D-3 within the frames of real programs: our question in their transcript, at every width, answers nothing; their word below it does. */
import { describe, expect, test } from 'vitest';
import { answerOn, wordsIn } from '../../../src/hearings/answer.ts';
import { ownRows } from '../../../src/hearings/echo-filter.ts';
import { readPast } from '../../../src/hearings/sent-text-filter.ts';
import { matches } from '../../../src/screen/matching.ts';
import { Packs } from '../../../src/screen/packs.ts';
import { UNKNOWN_PICTURE } from '../../../src/screen/picture.ts';
import { plain } from '../../../src/screen/text.ts';
import { recordedScreens, type RecordedScreen } from '../../screen/recorded.ts';

const packs = new Packs();
const QUESTION = [
  '[DOG] HEALTH CHECK: Session shop, respond ALIVE within 60s or face termination.',
  'Warrant reason: no output for an hour; is it ALIVE at all?',
  'Filed by: boot',
  'Attempt: 1/3',
  'To answer, run: town alive K7-3F – or print one line: ALIVE, a space, and that code without its dash',
];
const WIDTHS = [20, 24, 32, 40, 60, 80, 100, 120, 160, 200];

/** How each program shows what a person said: the mark before the first row, before each further one, and at their end. */
const SAID: Record<string, readonly [first: string, next: string, end?: string]> = {
  aider: ['> ', ''],
  amp: [' ┃ ', ' ┃ '],
  claude: ['❯ ', '  '],
  codex: ['› ', '  '],
  copilot: ['❯ ', '  '],
  'cursor-agent': [' │ ', ' │ ', ' │'],
  gemini: [' > ', '   '],
  opencode: ['  ┃  ', '  ┃  '],
  qwen: ['  > ', '    '],
};

const wrap = (text: string, width: number): string[] => text.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [];

function saidBy(agent: string, lines: readonly string[], width: number): string[] {
  const [first, next, end = ''] = SAID[agent]!;
  const columns = width - Math.max(first.length, next.length) - end.length;
  return lines
    .flatMap((line) => wrap(line, columns))
    .map((row, at) => `${at === 0 ? first : next}${end === '' ? row : row.padEnd(columns)}${end}`);
}

/** The screen with these rows in its transcript, cut to a width as a narrow terminal shows it. */
function withSaid({ agent, picture }: RecordedScreen, rows: readonly string[], width: number) {
  const pack = packs.named(agent);
  const { composer } = readPast(pack, picture, []);
  const cut = picture.rows.map((row) => [...plain(row)].slice(0, width).join(''));
  const at = composer?.from ?? cut.length;
  return { rows: cut.toSpliced(at, 0, ...rows), composer: composer && { from: at + rows.length, to: cut.length } };
}

function answerIn(screen: RecordedScreen, said: readonly string[], width: number) {
  const { rows, composer } = withSaid(screen, said, width);
  const input = new Set([...rows.keys()].filter((row) => composer !== null && row >= composer.from));
  const page = { rows, own: ownRows(rows, [QUESTION]), input, isAfter: () => true, asked: wordsIn([QUESTION]) };
  return answerOn(page, 'K73F');
}

test.each([
  ['copilot', '  └ '],
  ['gemini', '    '],
  ['qwen', '  '],
])('%s shows a question that waits by its beginning, and that is no answer', (agent, before) => {
  expect(matches(packs.named(agent).noise, `${before}${QUESTION.join(' · ').slice(0, 110)}…`)).toBe(true);
});

/** As a person's capture shows it: it was never run here. */
const CURSOR_AGENT: RecordedScreen = {
  name: 'cursor-agent',
  agent: 'cursor-agent',
  state: 'idle',
  picture: {
    ...UNKNOWN_PICTURE,
    rows: [
      '  Cursor Agent',
      '',
      '  $ sleep 10 10s',
      '',
      '  1 + 1 = 2',
      '',
      '  → Add a follow-up',
      '',
      '  Composer 2.5',
    ],
  },
};

/** Those on which no question was asked before. */
const resting = [...recordedScreens(), CURSOR_AGENT].filter(
  ({ state, picture }) =>
    (state === 'idle' || state === 'busy') && !/alive|K7-?3F/i.test(plain(picture.rows.join(' '))),
);

describe.each(Object.keys(SAID))('%s', (agent) => {
  const screens = resting.filter((one) => one.agent === agent);

  test.each(WIDTHS)('%i columns: its echo is no answer, whole, twice, without its top', (width) => {
    expect(screens.length).toBeGreaterThan(0);
    const echo = saidBy(agent, QUESTION, width);
    const joined = saidBy(agent, [QUESTION.join(' ')], width);
    for (const screen of screens)
      for (const said of [echo, joined, [...echo, '', ...echo], echo.slice(3)])
        expect(answerIn(screen, said, width), `${screen.name}\n${said.join('\n')}`).toBeNull();
  });

  test.each(WIDTHS)('%i columns: what it says below it is one', (width) => {
    const echo = saidBy(agent, QUESTION, width);
    for (const screen of screens) {
      expect(answerIn(screen, [...echo, '', '● ALIVE K73F'], width), screen.name).toMatchObject({ by: 'code' });
      expect(answerIn(screen, [...echo, '', "  I'm alive"], width), screen.name).toMatchObject({ by: 'bare ALIVE' });
    }
  });
});
