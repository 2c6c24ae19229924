/** Who may answer what, and what becomes of a reply. */
import { describe, expect, test } from 'vitest';
import { optionsFor, rulingOn, type Ask, type MayAnswer } from '../../machines/channels/answers.ts';
import { askedOfTown, choicesIn } from '../../machines/channels/of-town.ts';
import { ANSWERS } from '../../machines/channels/policy.ts';
import { ask, said, told } from './make.ts';

const rule = (some: Partial<MayAnswer> = {}): MayAnswer => ({
  from: 'ntfy',
  kinds: ['permission'],
  options: ['yes', 'no'],
  tag: null,
  ...some,
});
const taken = { by: 'ntfy', reply: 'r1', word: 'yes', at: 0, outcome: null };

const GRAVE: Partial<Ask> = { options: [{ word: 'yes', label: 'execute', isGrave: true }] };
const ALWAYS: Partial<Ask> = { options: [{ word: 'always', label: 'Allow always', isGrave: true }] };
const MUST: Partial<Ask> = { options: [{ word: 'yes', label: 'reply', text: 'must' }] };

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
  ['what ends an agent is not meant by *', GRAVE, {}, [rule({ options: ['*'] })], 'not_allowed'],
  ['it is taken where a rule names it', GRAVE, {}, [rule({ options: ['yes'] })], 'take'],
  [
    'what answers later questions is not meant by *',
    ALWAYS,
    { word: 'always' },
    [rule({ options: ['*'] })],
    'not_allowed',
  ],
  ['always is taken where a rule names it', ALWAYS, { word: 'always' }, [rule({ options: ['Always'] })], 'take'],
  ['the first answer wins', { answer: taken }, { id: 'r2', word: 'no' }, [rule()], 'over'],
  ['the same reply once more is none', { answer: taken }, { id: 'r1' }, [rule()], 'again'],
  ['what is over takes no answer', { isOver: true }, {}, [rule()], 'over'],
  ['a late one is over', { at: -ANSWERS.expiresMs - 1 }, {}, [rule()], 'over'],
  ['also by a clock that went back', { at: ANSWERS.expiresMs + 1 }, {}, [rule()], 'over'],
  ['a text behind an option that takes none is refused', {}, { text: 'please' }, [rule()], 'text'],
  ['an option that needs a text is refused without', MUST, {}, [rule()], 'text'],
  ['with one it is taken', MUST, { text: 'staging' }, [rule()], 'take'],
  ['a text of a book is refused', MUST, { text: 'x'.repeat(ANSWERS.maxChars + 1) }, [rule()], 'text'],
  ['who may not choose it does not learn that', MUST, {}, [rule({ options: ['no'] })], 'not_allowed'],
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
    ['what its rule names in capitals', shown('ntfy', rule({ options: ['YES'] })), ['yes']],
  ])('%s', (_, words, expected) => {
    expect(words).toEqual(expected);
  });
});

// Rules: A-4.
test.each<[string, object, string | null]>([
  ['an alert that asks is', { episode: 'escalation/tw-1' }, 'escalation/tw-1'],
  ['news is not', { episode: 'escalation/tw-1', question: false }, null],
  ['several alerts as one are not', { episode: 'escalation/tw-1', together: 3 }, null],
  ['the end of one is not', { kind: 'recovered', episode: 'escalation/tw-1' }, null],
  ['a dialog has offers of its own', { episode: 'needs-input/builder' }, null],
  ['what offers something already is not asked for again', { episode: 'escalation/tw-1', ask: {} }, null],
  ['a letter that asks is', { kind: 'mail', id: 'm-1' }, 'm-1'],
  ['several letters as one are not', { kind: 'mail', id: 'm-1', together: 2 }, null],
  ['the word of the guard is not', { kind: 'guard' }, null],
])('of the questions of the town: %s', (_, more, of) => {
  expect(askedOfTown(told('x', more))?.of ?? null).toBe(of);
});

// Rules: A-4, law 8.
test.each<[string, object, readonly string[]]>([
  ['a dialog that may be answered is', { episode: 'needs-input/builder', ask: { kind: 'permission' } }, ['permission']],
  ['a letter that asks is', { kind: 'mail', id: 'm-1' }, ['letter']],
  [
    'an alert with answers of its own is',
    { episode: 'escalation/tw-1', answers: ['close'] },
    ['alert', 'case', 'escalation', 'gate'],
  ],
  ['an alert that can only be acknowledged is not', { episode: 'send-failed/1' }, []],
])('a choice: %s', (_, more, kinds) => {
  expect(choicesIn(told('x', more))).toEqual(kinds);
});
