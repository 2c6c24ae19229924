import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerOn, wordsIn } from '../../../src/hearings/answer.ts';
import { ownRows } from '../../../src/hearings/echo-filter.ts';

const question = (attempt: number, code: string): string[] => [
  `[DOG] HEALTH CHECK: Session gt-max, respond ALIVE within ${60 * 2 ** (attempt - 1)}s or face termination.`,
  'Warrant reason: no evidence of life for 21 min; is it ALIVE at all?',
  'Filed by: boot',
  `Attempt: ${attempt}/3`,
  `To answer, run: town alive ${code} – or print one line: ALIVE, a space, and that code without its dash`,
];
const QUESTIONS = [question(1, 'K7-3F'), question(2, 'PQ-9Z')];
const JOINED = QUESTIONS[0]?.join(' · ') ?? '';

const wrap = (text: string, width: number): string[] =>
  Array.from({ length: Math.ceil(text.length / width) }, (_, i) => text.slice(i * width, (i + 1) * width));
/** As programs wrap: between words, a longer word cut. */
const wrapWords = (text: string, width: number): string[] => {
  const rows = [''];
  for (const word of text.split(' ').flatMap((one) => wrap(one, width)))
    if (`${rows.at(-1)} ${word}`.trim().length <= width) rows.push(`${rows.pop()} ${word}`.trim());
    else rows.push(word);
  return rows;
};
const boxed = (rows: readonly string[], width: number): string[] => [
  `╭${'─'.repeat(width + 2)}╮`,
  ...rows.map((row, i) => `│ ${i === 0 ? '>' : ' '} ${row.padEnd(width)} │`),
  `╰${'─'.repeat(width + 2)}╯`,
];

const search = (rows: readonly string[], code = 'K73F', questions = QUESTIONS) =>
  answerOn(
    { rows, own: ownRows(rows, questions), input: new Set(), isAfter: () => true, asked: wordsIn(questions) },
    code,
  );

describe('D-3: our own question is no answer', () => {
  const shapes: Record<string, (width: number) => string[]> = {
    'wrapped by the terminal': (width) => wrap(JOINED, width),
    'wrapped between words': (width) => wrapWords(JOINED, width),
    'line by line': (width) => (QUESTIONS[0] ?? []).flatMap((line) => wrapWords(line, width)),
    'in a box': (width) => boxed(wrapWords(JOINED, width), width),
    quoted: (width) => wrapWords(JOINED, width).map((row) => `> ${row}`),
    'echoed twice': (width) => [...wrap(`$ ${JOINED}`, width), '', ...wrapWords(JOINED, width)],
    'behind a prompt': (width) => wrap(`boss@town:~/rig$ ${JOINED}`, width),
    'cut off at the top': (width) => wrapWords(JOINED, width).slice(1),
    'cut off with dots': (width) => wrapWords(JOINED, width).slice(0, -1).concat('To answ…'),
  };
  const widths = [5, 8, 20, 40, 80, 200];
  test.each(Object.keys(shapes).flatMap((shape) => widths.map((width) => [shape, width] as const)))(
    '%s, %i columns: no answer, and one below it is found',
    (shape, width) => {
      const rows = shapes[shape]?.(width) ?? [];
      expect(search(rows)).toBeNull();
      expect(search([...rows, '⏺ ALIVE'])).toMatchObject({ by: 'bare ALIVE' });
      expect(search([...rows, '● ALIVE K73F'])).toMatchObject({ by: 'code' });
      expect(search([...rows, 'ALIVE PQ9Z'])).toBeNull();
    },
  );

  test('an answer in the middle of our own rows is found', () => {
    const rows = (QUESTIONS[0] ?? []).flatMap((line) => [line, 'ALIVE']);
    expect(search(rows.slice(0, 4))).toMatchObject({ by: 'bare ALIVE' });
    const wrapped = wrapWords(JOINED, 5);
    expect(wrapped).toContain('ALIVE');
    for (let at = 1; at < wrapped.length; at += 1)
      expect(search(wrapped.toSpliced(at, 0, 'ALIVE')), `after ${wrapped[at - 1]}`).not.toBeNull();
  });

  test.each([1, 2, 3, 10])('a reason that repeats the word hides no answer, given %i times', (times) => {
    const lines = question(1, 'K7-3F').with(1, `Warrant reason: ${'ALIVE '.repeat(12)}`);
    for (const width of [5, 40, 200]) {
      const rows = wrapWords(lines.join(' · '), width);
      expect(search(rows, 'K73F', [lines])).toBeNull();
      const answers = Array.from({ length: times }, () => 'ALIVE');
      expect(search([...rows, ...answers], 'K73F', [lines]), `${width} columns`).not.toBeNull();
      expect(search(answers, 'K73F', [lines])).not.toBeNull();
    }
  });

  test('an answer between two copies is found', () => {
    expect(search([...wrap(JOINED, 40), 'ALIVE', ...wrap(JOINED, 40)])).toMatchObject({ by: 'bare ALIVE' });
  });

  test('a word more is no bare answer', () => {
    expect(search([...wrap(JOINED, 80), 'it is ALIVE', 'ALIVE?', 'ALIVE AND WELL'])).toBeNull();
  });
});

describe('property: any wrap of our own question pardons no agent', () => {
  const word = fc.constantFrom(
    'ALIVE',
    'within',
    'K7-3F',
    'respond',
    '…',
    'kaputt',
    'sñ',
    '日本',
    '60s',
    '> x',
    '`ls`',
  );
  const reason = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));
  const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 });
  const frame = fc.constantFrom<(row: string) => string>(
    (row) => row,
    (row) => `> ${row}`,
    (row) => `│ ${row}   │`,
    (row) => `  ${row}`,
  );
  const wrapAt = (text: string, lengths: readonly number[]): string[] => {
    const rows: string[] = [];
    for (let at = 0, i = 0; at < text.length; i += 1) {
      const length = lengths[i % lengths.length] ?? 1;
      rows.push(text.slice(at, at + length));
      at += length;
    }
    return rows;
  };
  const asked = (why: string): string[] => (QUESTIONS[0] ?? []).with(1, `Warrant reason: ${why}`);

  // Rules: D-3, I-7.
  test('alone it is no answer; a true one below it always is', () => {
    fc.assert(
      fc.property(
        reason,
        cuts,
        frame,
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        (why, lengths, dress, isTwice, times) => {
          const lines = asked(why);
          const once = wrapAt(lines.join(' · '), lengths).map(dress);
          const rows = isTwice ? [...once, '', ...lines.flatMap((line) => wrapAt(line, lengths)).map(dress)] : once;
          expect(search(rows, 'K73F', [lines])).toBeNull();
          const answers = Array.from({ length: times }, () => dress('ALIVE'));
          expect(search([...rows, ...answers], 'K73F', [lines])).not.toBeNull();
          expect(search([...rows, dress('ALIVE K73F')], 'K73F', [lines])).not.toBeNull();
        },
      ),
      { numRuns: 300 },
    );
  });

  test('an answer between its rows is found, a word of others is none', () => {
    fc.assert(
      fc.property(reason, cuts, frame, fc.nat(), (why, lengths, dress, at) => {
        const lines = asked(why);
        const rows = wrapAt(lines.join(' · '), lengths).map(dress);
        const between = (row: string): string[] => rows.toSpliced(1 + (at % rows.length), 0, row);
        expect(search(between(dress('ALIVE')), 'K73F', [lines])).not.toBeNull();
        expect(search(between(dress('compiling')), 'K73F', [lines])).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
