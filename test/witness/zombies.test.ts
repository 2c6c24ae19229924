/** Who is what it says: the table, cell by cell, and how a polecat comes to its row and its column. */
import { expect, test } from 'vitest';
import type { PolecatSeen } from '../../machines/witness/observation.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { lifeOf, LIVES, findingOf, WORDS, wordOf, type Life } from '../../machines/witness/zombies.ts';
import { MINUTE, polecat } from '../patrols/seen.ts';

const LIFE: Readonly<Record<Life, Partial<PolecatSeen>>> = {
  unknown: { session: 'unknown' },
  starting: { session: 'dead', ageMs: MINUTE },
  alive: { session: 'alive' },
  'gone once': { session: 'dead', isConfirmed: false },
  gone: { session: 'dead' },
  disputed: { session: 'dead', isDisputed: true },
};
const LOAD = {
  work: {},
  'closed work': { hook: null, isHookClosed: true },
  'no work': { hook: null },
} as const;

/** working, idle, asks, stuck, done */
const CELLS = `
unknown    work         leave     leave   leave     leave     leave
unknown    closed work  leave     leave   leave     leave     leave
unknown    no work      leave     leave   leave     leave     leave
starting   work         leave     leave   leave     leave     finish
starting   closed work  leave     leave   leave     leave     finish
starting   no work      leave     leave   leave     leave     finish
alive      work         watch     watch   leave     stuck     finish
alive      closed work  outlived  finish  outlived  outlived  finish
alive      no work      watch     idle    leave     stuck     finish
gone once  work         leave     leave   leave     leave     finish
gone once  closed work  leave     leave   leave     leave     finish
gone once  no work      leave     leave   leave     leave     finish
gone       work         leave     leave   leave     leave     finish
gone       closed work  clear     clear   clear     clear     finish
gone       no work      clear     clear   clear     clear     finish
disputed   work         confirm   confirm confirm   confirm   confirm
disputed   closed work  clear     clear   clear     clear     finish
disputed   no work      clear     clear   clear     clear     finish
`;
const rows = CELLS.trim()
  .split('\n')
  .map((line) => line.split(/\s{2,}|(?<=(?:confirm|leave|watch|stuck|finish|clear|idle)) /));
const cells = rows.flatMap(([life = '', load = '', ...verdicts]) =>
  verdicts.map((verdict, at) => [life as Life, load as keyof typeof LOAD, WORDS[at]!, verdict] as const),
);

test('every life, load and word has its cell', () => {
  expect(new Set(cells.map((cell) => cell.slice(0, 3).join('/'))).size).toBe(LIVES.length * 3 * WORDS.length);
});

// Rules: P-3.
test.each(cells)('a polecat: %s, with %s, that says it is %s: %s', (life, load, word, verdict) => {
  const says = word === 'done' ? { doneIntentMs: 2 * MINUTE } : { report: word };
  const one = polecat({ ...LIFE[life], ...LOAD[load], ...says });
  expect(lifeOf(one, WITNESS)).toBe(life);
  expect(findingOf(one, WITNESS)).toBe(verdict);
});

test('who says nothing works, and who began to finish more than a minute ago is done', () => {
  expect(wordOf(polecat({ report: null }), WITNESS)).toBe('working');
  expect(wordOf(polecat({ report: 'working', doneIntentMs: MINUTE }), WITNESS)).toBe('working');
  expect(wordOf(polecat({ report: 'working', doneIntentMs: MINUTE + 1 }), WITNESS)).toBe('done');
});
