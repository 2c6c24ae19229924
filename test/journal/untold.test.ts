/** The journal tells each hearing's end, also one that a kill -9 kept from it (V-3). */
import { expect, test } from 'vitest';
import { Chronicle } from '../../src/journal/chronicle.ts';
import type { SessionRecord } from '../../machines/protocol.ts';
import { closed, NOW, session } from '../state/make.ts';

test('an end that was saved and not told is told by the next town, as of its own time', () => {
  const read = { type: 'RECORDS_READ', dances: [], warrants: [], heard: [], lastDanceMs: 5 } as const;
  const stamp = { re: {}, at: 7, wall: NOW + 60_000 };
  const fact = { ...read, ...stamp, untold: [closed('dog-5')] };
  const seen = { facts: [fact], records: [], orders: [], wall: NOW + 60_000 };
  expect(new Chronicle().lines(seen)).toMatchObject([
    { at: NOW, kind: 'dance.closed', dance: 'dog-5', session: 'gt-nux', verdict: 'executed' },
  ]);
});

// Rules: M-9.
test('an agent that shows its limit no more once it was told to go on is one line', () => {
  const chronicle = new Chronicle();
  const lines = (bar?: SessionRecord['bar']): string[] => {
    const value = session('ada', bar === undefined ? {} : { bar });
    const records = [{ kind: 'session', id: 'ada', value } as const];
    return chronicle.lines({ facts: [], records, orders: [], wall: NOW }).map(({ kind }) => kind);
  };
  const limit = { by: 'limited', life: 'u', since: 1, isCut: true } as const;
  expect(lines(limit)).not.toContain('limit.over');
  expect(lines()).toEqual([]);
  expect(lines({ ...limit, goOn: { is: 'told', at: 2 } })).toEqual([]);
  expect(lines()).toEqual(['limit.over']);
  expect(lines()).toEqual([]);
});
