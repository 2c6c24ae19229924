/** A draft is taken out of a composer only where all of it is ours, to the sign: one word of a person in it, and it stays. */
import { describe, expect, test } from 'vitest';
import { question } from '../../machines/hearings/question.ts';
import { isLeftOver } from '../../src/hearings/draft-state.ts';

const target = { session: 'shop', origin: 'adopted' } as Parameters<typeof question>[0];
const warrant = { reason: 'no output for an hour', requester: 'deacon' } as Parameters<typeof question>[1];
const command = { started: 'town alive', adopted: '/usr/bin/town --root /home/dev/town alive' };
const asked = (number: number): string =>
  question(target, warrant, { number, of: 3, windowMs: 60_000, code: 'K73F' }, command).join('\n');
const REMARK = 'cd app && rm -rf build/* was what you ran last';

describe('ours alone', () => {
  test.each([
    ['a question', asked(1)],
    ['one that a composer broke and framed', asked(2).replace(/(.{38})/gu, '$1\n│ ')],
    ['one in a row of its own', asked(2).replaceAll('\n', ' · ')],
    ['two of them', asked(1) + asked(2)],
    ['a remark', REMARK],
    ['one put back over the first sign of itself', `[${asked(1)}`],
    ['a remark put back over a part of itself', `cd app && rm${REMARK}`],
    ['a remark behind a question', `${asked(3)}\n${REMARK}`],
  ])('%s', (_, draft) => {
    expect(isLeftOver(draft, 'shop', [REMARK])).toBe(true);
  });
});

describe("another's too", () => {
  const [first = '', ...rest] = asked(1).split('\n');
  test.each([
    ['words behind it', `${asked(1)} and then stop`],
    ['signs behind it', `${asked(1)} !!! 🙂 ??? ->`],
    ['words before it', `wait ${asked(1)}`],
    ['words in its first line', [first.replace(', respond', ' no, respond'), ...rest].join('\n')],
    ['words before its last line', asked(1).replace('To answer', 'I am here. To answer')],
    ['half of it', asked(1).slice(0, 150)],
    ['a part that is not its beginning before it', `DOG] ${asked(1)}`],
    ['a part behind it', `${asked(1)}[DOG]`],
    ['that of another session', asked(1).replace('Session shop', 'Session shopping')],
    ['the letters of a remark', 'cd app rm rf build was what you ran last'],
    ['nothing', ' \n'],
  ])('%s', (_, draft) => {
    expect(isLeftOver(draft, 'shop', [REMARK])).toBe(false);
  });
});
