/** What is claimed of many quiet sessions is no new claim with each step: it is the same object, and names none that is known. */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { BURNING_LEVEL } from '../../machines/sessions/burning.ts';
import { MEMORY_LEVEL } from '../../machines/sessions/memory.ts';
import { emptyBook, type SessionsState } from '../../machines/sessions/state.ts';
import { life, running, spec } from './one.ts';

const { uuid } = life;
const policy = { ...POLICY.sessions, maxMemoryBytes: 1_000 };
const quiet = (more: Partial<SessionsState> = {}): SessionsState => ({
  ...emptyBook({ policy, entropy: 'test', agents: [] }),
  records: { s1: running({ spec }) },
  burning: { s1: { uuid, state: 'calm' } },
  memory: { s1: { uuid, bytes: 10, isOver: false } },
  ...more,
});

test.each([BURNING_LEVEL, MEMORY_LEVEL])('of $kind', ({ claim }) => {
  const book = quiet();
  const before = claim(book);
  expect(claim({ ...book, scanning: true })).toBe(before);
  expect(claim({ ...book, records: { s1: running({ spec, note: 'other words' }) } }), 'says the same').toBe(before);
  expect(claim({ ...book, records: {} })).toEqual({ stands: [], only: [] });
  expect(claim(quiet({ burning: {}, memory: {} }))).not.toEqual(claim(quiet({ records: {} })));
});

test('a calm session is in no list, and one that is not known yet keeps what an earlier process said', () => {
  expect(BURNING_LEVEL.claim(quiet())).toEqual({ stands: [], only: [] });
  expect(BURNING_LEVEL.claim(quiet({ burning: {} }))).toEqual({ stands: [], only: ['s1'] });
  expect(BURNING_LEVEL.claim(quiet({ burning: { s1: { uuid: 'of an earlier life', state: 'calm' } } }))).toEqual({
    stands: [],
    only: [],
  });
});
