import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastWords } from '../../src/guard/last-words.ts';
import { newYard } from './yard.ts';

const AT = '2026-11-22T05:51:05.123Z';
const guard = (text: string): string => `${AT} guard 41 ${text}`;
const PINO = `{"level":"fatal","time":"${AT}","pid":42,"err":{"type":"Refused"},"msg":"the town may not run here"}`;

const BEGUN = 'started the town: pid 42';
const FALL = 'the town fell: it ended with exit code 1; fall';
const ENDS = guard('ends: it ended with exit code 5');

const CASES: readonly (readonly [what: string, log: readonly string[], words: string | null])[] = [
  ['nothing', [], null],
  ['a refusal between the words of the guard', [guard(BEGUN), 'It belongs to /a/town.', ENDS], 'It belongs to /a/town'],
  ['a line of pino', [PINO, ENDS], 'the town may not run here'],
  [
    'an uncaught error with its stack',
    [
      'file:///town/src/main.ts:7',
      'throw new Error("no");',
      '      ^',
      '',
      'Error: the disk is on fire',
      '    at start (file:///town/src/main.ts:7:7) {',
      "  code: 'EFIRE'",
      '}',
      '',
      'Node.js v24.21.0',
      guard(`${FALL} 1 in a row, next try in 50 ms`),
    ],
    'the disk is on fire',
  ],
  ['what is said of it already', ['the town could not be started: Error: EISDIR: no', ENDS], 'EISDIR: no'],
  ['a guard that fails itself', [guard('failed: Error: no lock'), '    at main (x.ts:1:1)'], 'no lock'],
  ['a fall that was told as an alarm', ['it is broken', guard(`ALARM ${FALL} 24 in a row`)], 'it is broken'],
  ['only the guard', [guard(BEGUN), guard('ends: stopped')], 'ends: stopped'],
];

test.each(CASES)('%s', (_, log, words) => {
  expect(lastWords(`${log.join('\n')}\n`)).toBe(words);
});

test('an `up` that fails says one sentence, and where the rest is', async () => {
  const yard = newYard();
  writeFileSync(join(yard.root, 'fail'), '5');
  await expect(yard.up()).rejects.toMatchObject({
    exit: 5,
    message: `the town could not be started: the tmux server belongs to /other/town (all of it: ${join(yard.root, 'daemon/guard.log')})`,
  });
});
