/** What is not ordered, a file that does not count or a disk in trouble, stands in the journal too: once, with its end. */
import { expect, test } from 'vitest';
import { episodeIn, type Alert, type News, type Order } from '../../machines/protocol.ts';
import { Chronicle, type StepSeen } from '../../src/journal/chronicle.ts';
import { StandingAlerts } from '../../src/journal/standing-alerts.ts';
import type { WrittenLine } from '../../state/journal.ts';
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
  id: { issuer: 'alerts', verb: 'notify', name: episode },
  what: 'recovered',
  count: 1,
  asks: null,
  alert: { episode: episodeIn(episode), severity: 'high', session: null, text: 'It is over.' },
});

// Rules: law 8.
test('a town that begins anew writes no alert again that its journal has, but other words, and another question or life', () => {
  const journal: WrittenLine[] = [];
  const town = () => {
    const standing = new StandingAlerts();
    for (const line of journal) standing.read(line);
    const chronicle = new Chronicle(standing);
    const step = (more: Partial<StepSeen>): number => {
      const lines = chronicle.lines({ facts: [], records: [], orders: [], wall: NOW, ...more });
      // As they stand on the disk.
      journal.push(...lines.map((line) => JSON.parse(JSON.stringify({ ...line, at: '' })) as WrittenLine));
      return lines.length;
    };
    return {
      alert: (more: Partial<Alert> = {}) => {
        const about = {
          episode: episodeIn('needs-input/b'),
          severity: 'medium',
          session: 'b',
          text: 'it asks',
        } as const;
        const id = { issuer: 'level', kind: 'needs-input', turn: 1 } as const;
        return step({ orders: [{ type: 'alert', id, alert: { ...about, ...more } }] });
      },
      end: () => {
        const re = { issuer: 'alerts', verb: 'confirm', name: 'x' } as const;
        const ended = [{ episode: episodeIn('needs-input/b'), text: 'it was answered' }];
        return step({ facts: [{ type: 'ALERTED', ended, re, ...stamp }] });
      },
    };
  };
  expect(town().alert({ life: 'u1', question: 'screen:1' })).toBe(1);
  expect(town().alert({ life: 'u1', question: 'screen:1 dialog:2' })).toBe(0);
  const second = town();
  expect(second.alert({ life: 'u1', question: 'screen:1' })).toBe(0);
  expect(second.alert({ life: 'u1', question: 'screen:3' })).toBe(1);
  expect(town().alert({ life: 'u1', question: 'screen:3', text: 'it asks once more' })).toBe(1);
  expect(town().alert({ life: 'u1', question: 'screen:3', text: 'it asks once more', severity: 'high' })).toBe(1);
  const third = town();
  expect(third.alert({ life: 'u2', text: 'it asks once more', severity: 'high' })).toBe(1);
  expect(third.end()).toBe(1);
  expect(town().alert({ life: 'u2', text: 'it asks once more', severity: 'high' })).toBe(1);
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
