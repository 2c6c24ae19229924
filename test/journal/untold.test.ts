/** The journal tells each hearing's end, also one that a kill -9 kept from it (V-3). */
import { expect, test } from 'vitest';
import { Chronicle } from '../../src/journal/chronicle.ts';
import { closed, NOW } from '../state/make.ts';

test('an end that was saved and not told is told by the next town, as of its own time', () => {
  const read = { type: 'RECORDS_READ', dances: [], warrants: [], heard: [], lastDanceMs: 5 } as const;
  const stamp = { re: {}, at: 7, wall: NOW + 60_000 };
  const fact = { ...read, ...stamp, untold: [closed('dog-5')] };
  const seen = { facts: [fact], records: [], orders: [], wall: NOW + 60_000 };
  expect(new Chronicle().lines(seen)).toMatchObject([
    { at: NOW, kind: 'dance.closed', dance: 'dog-5', session: 'gt-nux', verdict: 'executed' },
  ]);
});
