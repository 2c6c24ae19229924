/** Who may answer what, and what becomes of a reply. */
import { describe, expect, test } from 'vitest';
import { optionsFor, rulingOn, type Ask, type MayAnswer } from '../../machines/channels/answers.ts';
import { ANSWERS } from '../../machines/channels/policy.ts';
import { ask, said } from './make.ts';

const rule = (some: Partial<MayAnswer> = {}): MayAnswer => ({
  from: 'ntfy',
  kinds: ['permission'],
  options: ['yes', 'no'],
  tag: null,
  ...some,
});
const taken = { by: 'ntfy', reply: 'r1', word: 'yes', at: 0, outcome: null };

// Rules: A-3.
test.each<[string, Partial<Ask> | null, object, readonly MayAnswer[], string]>([
  ['what a rule allows is taken', {}, {}, [rule()], 'take'],
  ['without a rule nothing is', {}, {}, [], 'not_allowed'],
  ['a rule for another caller allows nothing', {}, {}, [rule({ from: 'telegram:7' })], 'not_allowed'],
  [
    'another user of the same channel neither',
    {},
    { from: 'telegram:8' },
    [rule({ from: 'telegram:7' })],
    'not_allowed',
  ],
  ['another kind of question neither', { kind: 'question' }, {}, [rule()], 'not_allowed'],
  ['a session without the tag neither', {}, {}, [rule({ tag: 'worker' })], 'not_allowed'],
  ['one with the tag may be answered', { tags: ['worker'] }, {}, [rule({ tag: 'worker' })], 'take'],
  ['an option that no rule names is refused', {}, {}, [rule({ options: ['no'] })], 'not_allowed'],
  [
    'one that is not offered is, though all may be chosen',
    {},
    { word: '3' },
    [rule({ options: ['*'] })],
    'not_offered',
  ],
  ['the first answer wins', { answer: taken }, { id: 'r2', word: 'no' }, [rule()], 'over'],
  ['the same reply once more is none', { answer: taken }, { id: 'r1' }, [rule()], 'again'],
  ['what is over takes no answer', { isOver: true }, {}, [rule()], 'over'],
  ['a late one is over', { at: -ANSWERS.expiresMs - 1 }, {}, [rule()], 'over'],
  ['also by a clock that went back', { at: ANSWERS.expiresMs + 1 }, {}, [rule()], 'over'],
  ['an unknown number is over', null, {}, [rule()], 'over'],
  ['who may nothing does not learn that', null, {}, [], 'not_allowed'],
  ['nor that it was answered', { answer: taken }, { id: 'r2' }, [rule({ kinds: ['question'] })], 'not_allowed'],
])('%s', (_, some, words, rules, ruling) => {
  expect(rulingOn(some === null ? undefined : ask(some), said(words), rules, 0)).toBe(ruling);
});

// Rules: A-3.
describe('a channel shows what one of its callers may choose', () => {
  const shown = (channel: string, ...rules: MayAnswer[]) => optionsFor(channel, ask(), rules).map(({ word }) => word);
  test.each([
    ['nothing without a rule', shown('ntfy'), []],
    ['nothing by the rule of another', shown('irc', rule()), []],
    ['what its rule names', shown('ntfy', rule({ options: ['no'] })), ['no']],
    [
      'what the rules of several name',
      shown('telegram', rule({ from: 'telegram:1', options: ['no'] }), rule({ from: 'telegram:2', options: ['yes'] })),
      ['yes', 'no'],
    ],
    ['all by *', shown('ntfy', rule({ options: ['*'] })), ['yes', 'no']],
  ])('%s', (_, words, expected) => {
    expect(words).toEqual(expected);
  });
});
