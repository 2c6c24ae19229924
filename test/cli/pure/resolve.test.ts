/** What a typed word means where an id is asked for: never a guess. */
import { describe, expect, test } from 'vitest';
import {
  find,
  candidatesFor,
  numberOf,
  resolve,
  sessionsNamed,
  shortNumbers,
  type Candidate,
} from '../../../src/cli/naming/resolve.ts';

const one = (id: string, more: Partial<Candidate<string>> = {}): Candidate<string> => ({
  id,
  number: numberOf(id),
  session: null,
  isOpen: true,
  at: 0,
  value: id,
  ...more,
});
const KIND = { what: 'hearing', list: 'town dog dances --all', code: 'unknown_dance' };
const ids = (word: string, all: readonly Candidate<string>[]): string[] => candidatesFor(word, all).map(({ id }) => id);

const OLD = one('dog-1763905393123', { session: 'builder', isOpen: false, at: 1 });
const LATER = one('dog-1763905400456', { session: 'builder', isOpen: false, at: 2 });
const OPEN = one('dog-1763905411123', { session: 'mayor', at: 3 });
const ALL = [OLD, LATER, OPEN];

describe('a word means', () => {
  test.each<[string, readonly Candidate<string>[]]>([
    ['dog-1763905400456', [LATER]],
    ['dog-17639054004', [LATER]],
    ['456', [LATER]],
    ['11123', [OPEN]],
    ['123', [OLD, OPEN]],
    ['builder', [LATER]],
    ['mayor', [OPEN]],
    ['may', [OPEN]],
    ['stranger', []],
    ['', []],
  ])('%j: %o', (word, expected) => expect(candidatesFor(word, ALL)).toEqual(expected));

  test('the whole id, also where others begin with it', () => {
    expect(ids('w-1', [one('w-10'), one('w-1')])).toEqual(['w-1']);
  });

  test('the open one of a session before any later one, and both where two are open', () => {
    const open = one('w-1', { session: 'builder', at: 1 });
    const closed = one('w-2', { session: 'builder', at: 2, isOpen: false });
    expect(ids('builder', [open, closed])).toEqual(['w-1']);
    expect(ids('builder', [open, one('w-3', { session: 'builder' })])).toEqual(['w-1', 'w-3']);
  });

  test('one thing under two ids once', () => {
    expect(ids('dog', [one('dog-1', { value: 'x' }), one('dog-1b', { value: 'x' })])).toHaveLength(1);
  });
});

test('more than one is named and refused, none says where to look', () => {
  expect(() => find('123', ALL, KIND)).toThrow(
    expect.objectContaining({
      exit: 2,
      code: 'ambiguous',
      message:
        '"123" may be any hearing of dog-1763905393123 (builder), dog-1763905411123 (mayor); write more of it, or see `town dog dances --all`',
    }),
  );
  expect(() => resolve('999', ALL, KIND)).toThrow(
    expect.objectContaining({
      exit: 2,
      code: 'unknown_dance',
      message: 'there is no hearing "999"; see `town dog dances --all`',
    }),
  );
});

test('a number is of the thing: what comes later changes none, it is only written longer', () => {
  const before = shortNumbers([OLD, LATER]);
  expect([before(OLD.id), before(LATER.id)]).toEqual(['123', '456']);
  const after = shortNumbers(ALL);
  expect(ALL.map(({ id }) => after(id))).toEqual(['3123', '456', '1123']);
  for (const all of [ALL, [OLD, LATER]])
    for (const { id } of all) expect(ids(shortNumbers(all)(id), all)).toEqual([id]);
});

test('a number is made of the id alone, so that two which began together have two, and neither changes', () => {
  expect(numberOf('dance-failed/dog-1763905393123')).toBe('1763905393123');
  // A hash that begins with digits is of the cause, which two letters may share.
  expect(numberOf('refinery-shop-waits-remote-433610aa12ce-1763905393123')).toBe('1763905393123');
  const many = Array.from({ length: 200 }, (_, n) => one(`needs-input/e${n}`));
  for (const { number } of many) expect(number).toMatch(/^\d{10}$/);
  const short = shortNumbers(many);
  expect(new Set(many.map(({ id }) => short(id))).size).toBe(many.length);
  expect(Math.max(...many.map(({ id }) => short(id).length))).toBeLessThanOrEqual(7);
});

test('of two with the same number each is called by its id', () => {
  const all = [one('dog-1763905393123'), one('cat-1763905393123')];
  expect(all.map(({ id }) => shortNumbers(all)(id))).toEqual(all.map(({ id }) => id));
});

test('sessions by a beginning or by the digits they end with', () => {
  const all = sessionsNamed(['gt-foo', 'gt-foobar', 'worker-12']);
  expect(ids('gt-foo', all)).toEqual(['gt-foo']);
  expect(ids('gt-foob', all)).toEqual(['gt-foobar']);
  expect(ids('gt', all)).toEqual(['gt-foo', 'gt-foobar']);
  expect(ids('12', all)).toEqual(['worker-12']);
});
