/** What is not ordered, a file that does not count or a disk in trouble, stands in the journal too: once, with its end. */
import { expect, test } from 'vitest';
import { episodeIn, type News, type Order } from '../../machines/protocol.ts';
import { Chronicle } from '../../src/journal/chronicle.ts';
import { NOW } from '../state/make.ts';

const stamp = { at: 7, wall: NOW };
const file = {
  type: 'FILE_REFUSED',
  file: 'sessions/a1.json',
  why: 'it is no JSON.',
  movedTo: null,
  sequel: null,
} as const;
const full = { type: 'CONDITION_FOUND', what: 'disk', why: 'no space is left' } as const;
const recovered = (episode: string): Order => ({
  type: 'notify',
  id: { giver: 'alerts', verb: 'notify', name: episode },
  what: 'recovered',
  count: 1,
  asks: null,
  alert: { episode: episodeIn(episode), severity: 'high', session: null, text: 'It is over.' },
});

test('each is told once while it stands, and again when it came back', () => {
  const chronicle = new Chronicle();
  const lines = (facts: readonly object[], orders: readonly Order[] = []) =>
    chronicle
      .lines({ facts: facts.map((fact) => ({ ...fact, ...stamp }) as News), records: [], orders, wall: NOW })
      .map(({ kind, episode }) => [kind, episode]);
  expect(lines([file, full, full])).toEqual([
    ['alert', 'file-refused/sessions/a1.json'],
    ['alert', 'disk'],
  ]);
  expect(lines([file, { ...full, why: null }], [recovered('disk')])).toEqual([['alert.ended', 'disk']]);
  expect(lines([full])).toEqual([['alert', 'disk']]);
  expect(lines([], [recovered('needs-input/builder')])).toEqual([]);
});
