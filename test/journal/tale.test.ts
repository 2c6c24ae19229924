/** The story that `town why` tells: chapters of the journal, one sentence each. */
import { expect, test } from 'vitest';
import { taleOf } from '../../src/journal/tale.ts';
import type { WrittenLine } from '../../state/journal.ts';

type Given = readonly [second: number, kind: string, more?: Readonly<Record<string, unknown>>];
const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');
const story = (given: readonly Given[]): string[] =>
  taleOf(
    given.map(([second, kind, more]): WrittenLine => {
      return { at: new Date(BEGIN + second * 1_000).toISOString(), kind, session: 'builder', ...more };
    }),
  ).map(({ text }) => text);

const BY_OPERATOR = { via: 'operator' };
const HEARING = { dance: 'dog-7', warrants: ['w-1'], attempt: 1 };
const ANSWER = { kind: 'answered', by: 'code', quote: 'ALIVE K73F' };
const hearing: readonly Given[] = [
  [10, 'warrant.filed', { warrant: 'w-1', requester: 'mayor', reason: 'silent' }],
  [11, 'dance.idle', HEARING],
  [12, 'dance.interrogating.asking', HEARING],
  [13, 'question.typed', { dance: 'dog-7' }],
  [14, 'look', { dance: 'dog-7', sight: ANSWER }],
];
const pardoned: Given = [15, 'dance.closed', { ...HEARING, verdict: 'pardoned', reason: 'answered: code' }];
const die = (at: number, more = {}): Given => [
  at,
  'session.backing_off',
  { note: 'ended with exit code 3; starts again', waitMs: 500, ...more },
];

// Rules: V-3.
test('a hearing is one sentence: who, what for, how often asked, how it came out, on what evidence', () => {
  expect(story([...hearing, pardoned])).toEqual([
    'mayor filed a warrant: silent; 1 question; pardoned: answered: code ("ALIVE K73F") [dog-7]',
  ]);
  expect(story(hearing)).toEqual(['mayor filed a warrant: silent; 1 question; the hearing goes on [dog-7]']);
  expect(story(hearing.slice(0, 1))).toEqual(['mayor filed a warrant: silent; not heard yet']);
});

test('lives are told by their end, restarts one after the other once, the first start apart', () => {
  const start = (at: number, uuid: string): Given[] => [
    [at, 'start.ordered', { command: ['claude'] }],
    [at + 1, 'session.running', { uuid }],
  ];
  const asked: Given = [0, 'requested', { request: { verb: 'startSession' }, ...BY_OPERATOR }];
  expect(story([asked, ...start(0, 'a'), die(10), ...start(12, 'b'), die(70), ...start(72, 'c')])).toEqual([
    'it was started with `claude`',
    'it ended with exit code 3; started again after 3 s (2 times in 1 min 3 s)',
  ]);
  expect(story([...start(0, 'a'), die(10)]).at(-1)).toBe(
    'it waited 500 ms for its next start: ended with exit code 3; starts again',
  );
});

test('a hearing between two restarts parts them', () => {
  const lives = (at: number, uuid: string): Given => [at, 'session.running', { uuid }];
  const told = story([die(1), lives(2, 'b'), ...hearing, pardoned, die(20), lives(21, 'c')]);
  expect(told.map((line) => line.split(' ')[0])).toEqual(['it', 'mayor', 'it']);
});

test('an alert is told with its end, checks and alerts that repeat are counted, requests by what came of them', () => {
  const check = (at: number): Given[] => [
    [at, 'requested', { request: { verb: 'healthCheck' }, ...BY_OPERATOR }],
    [at, 'question.typed', { check: `c-${at}` }],
    [at + 1, 'health.ended', { check: `c-${at}`, result: 'answered: code' }],
  ];
  const alert = { episode: 'needs-input/builder', severity: 'medium', text: 'it waits.' };
  expect(
    story([...check(1), ...check(11), [20, 'alert', alert], [30, 'alert.ended', { ...alert, text: 'it was heard.' }]]),
  ).toEqual(['the health check was answered: code (2 times in 11 s)', 'alert (medium): it waits. Over: it was heard.']);
});

test('no request is told by a name of our own', () => {
  const ask = (verb: string, more = {}): string =>
    story([[1, 'requested', { request: { verb, ...more }, by: 'mayor' }]]).join('');
  expect(ask('adoptSession')).toBe('mayor asked for it to be adopted');
  expect(ask('startSession')).toBe('mayor asked for its start');
  expect(ask('cancelWarrant', { id: 'w-1' })).toBe('mayor withdrew warrant w-1');
});

test('requests are counted where the same was asked again, and only there', () => {
  const ask = (at: number, verb: string): Given => [at, 'requested', { request: { verb }, by: 'mayor' }];
  expect(story([ask(1, 'stopSession'), ask(2, 'removeSession'), ask(3, 'removeSession')])).toEqual([
    'mayor told it to stop',
    'mayor asked for it to be forgotten (2 times in 1 s)',
  ]);
});

test('odd lines do no harm', () => {
  const odd: Given[] = [
    [1, 'look', { dance: 7, sight: 7 }],
    [2, 'dance.closed', { dance: 'd' }],
    [3, 'alert', { episode: [] }],
    [4, 'alert.ended', { episode: 'x' }],
    [5, 'session.running', {}],
    [6, 'never.heard', { more: 1 }],
  ];
  expect(story(odd)).toHaveLength(6);
});
