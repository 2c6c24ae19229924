/** When a person's command is started: the rules cell by cell, and a flood of a day in virtual time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NOTIFY } from '../../machines/alerts/policy.ts';
import { type Told } from '../../machines/alerts/slots.ts';
import { MINUTE, note, Person } from './slot-person.ts';

const { windowMs, longestMs, tries, maxNamed } = NOTIFY;

const over = (text: string): Told => note(text, { kind: 'recovered' });
const alert = (text: string, severity: string): Told => note(text, { kind: 'alert', severity });

const TABLE: [what: string, play: (person: Person) => void, heard: string[]][] = [
  [
    'an alert among what is over is told, and what is over is counted',
    (p) => {
      p.ring(note('a'));
      for (const one of ['b', 'c', 'd', 'e', 'f']) p.ring(over(one));
      p.ring(alert('slow does not work', 'medium'));
      p.ring(over('g'));
      p.wait(MINUTE);
    },
    ['0m a', '1m 7 notices of one cause: slow does not work · and 6 more'],
  ],
  [
    'the gravest stands first, however many came before it',
    (p) => {
      p.ring(note('a'));
      for (const one of ['b', 'c', 'd', 'e', 'f']) p.ring(alert(one, 'medium'));
      p.ring(alert('g', 'critical'));
      p.wait(MINUTE);
    },
    ['0m a', '1m 6 notices of one cause: g · b · c · d · e · and 1 more'],
  ],
  [
    'of what is over alone each is named',
    (p) => {
      p.ring(over('a'));
      p.ring(over('b'));
      p.ring(over('c'));
      p.wait(MINUTE);
    },
    ['0m a', '1m 2 notices of one cause: b · c'],
  ],
  [
    'among others a long one is cut at a blank, so that no part of a secret stands there unmasked',
    (p) => {
      for (const text of ['a', `${'b'.repeat(maxNamed - 9)} ghp_${'0'.repeat(36)}`, 'c']) p.ring(note(text));
      p.wait(MINUTE);
    },
    ['0m a', `1m 2 notices of one cause: ${'b'.repeat(maxNamed - 9)} … · c`],
  ],
  ['one notice', (p) => p.ring(note('a')), ['0m a']],
  [
    'a second one within the window waits for its end, as it is',
    (p) => {
      p.ring(note('a'));
      p.ring(note('b'));
      p.wait(10 * MINUTE);
    },
    ['0m a', '1m b'],
  ],
  [
    'several are told together',
    (p) => {
      p.ring(note('a'));
      for (const text of 'bcdefgh') p.ring(note(text));
      p.wait(10 * MINUTE);
    },
    ['0m a', '1m 7 notices of one cause: b · c · d · e · f · and 2 more'],
  ],
  [
    'the same letter once more, from another part of the town, adds nothing',
    (p) => {
      p.ring(note('a', { id: 'm-1' }));
      p.ring(note('a', { id: 'm-1' }));
      p.ring(note('b', { id: 'm-2' }));
      p.ring(note('b', { id: 'm-2' }));
      p.wait(10 * MINUTE);
    },
    ['0m a', '1m b'],
  ],
  [
    'the same letter once more, whose command failed: it is tried again, as one',
    (p) => {
      p.isWell = false;
      p.ring(note('a', { id: 'm-1' }));
      p.isWell = true;
      p.ring(note('a', { id: 'm-1' }));
      p.wait(10 * MINUTE);
    },
    ['0m a', '1m a'],
  ],
  [
    'an alert that is repeated has the same id, and is told again',
    (p) => {
      p.ring(note('a', { kind: 'alert', id: 'm-1' }));
      p.ring(note('a', { kind: 'alert', id: 'm-1' }));
      p.wait(10 * MINUTE);
    },
    ['0m a', '1m a'],
  ],
  [
    'one that comes after a quiet window is told at once',
    (p) => {
      p.ring(note('a'));
      p.wait(3 * MINUTE);
      p.ring(note('b'));
    },
    ['0m a', '3m b'],
  ],
  [
    'no look came at the end of the window: the next notice takes along what waits',
    (p) => {
      p.ring(note('a'));
      p.ring(note('b'));
      p.now += 5 * MINUTE;
      p.ring(note('c'));
    },
    ['0m a', '5m 2 notices of one cause: b · c'],
  ],
  [
    'a notice that comes while the command runs is sent after it, also a lighter one',
    (p) => {
      p.isWell = 'slow';
      p.ring(alert('a', 'critical'));
      p.ring(over('b'));
      p.wait(MINUTE);
      p.ring(alert('c', 'high'));
      p.ring(note('d'));
      p.wait(2 * MINUTE);
    },
    ['0m a', '1m b', '3m 2 notices of one cause: c · d'],
  ],
  [
    'another cause does not wait for this one',
    (p) => {
      p.ring(note('a'));
      p.ring(note('b'), { name: 'd' });
    },
    ['0m a', '0m b'],
  ],
  [
    'the process dies before its command ended: another one tells it',
    (p) => {
      p.isWell = null;
      p.ring(note('a'));
      p.isWell = true;
      p.wait(2 * MINUTE);
    },
    ['1m a'],
  ],
  [
    'the command fails: it is tried again, and for so long only',
    (p) => {
      p.isWell = false;
      p.ring(note('a'));
      p.wait(48 * 60 * MINUTE);
    },
    ['0m a', '1m a', '3m a', '7m a', '15m a', '30m a', '45m a', '60m a'],
  ],
  [
    'the wall clock goes back by a day',
    (p) => {
      p.ring(note('a'));
      p.now -= 24 * 60 * MINUTE;
      p.ring(note('b'));
      p.now += 24 * 60 * MINUTE;
    },
    ['0m a', '0m b'],
  ],
];

test.each(TABLE)('%s', (_, play, heard) => {
  const person = new Person();
  play(person);
  expect(person.heard.map((line) => line.replace(/^-\d+m/, '0m'))).toEqual(heard);
  expect(tries).toBe(8);
});

describe('a flood of one cause', () => {
  // Rules: law 8.
  test('ten thousand at once are one start, and one with their count', () => {
    const person = new Person();
    for (let nth = 0; nth < 10_000; nth += 1) person.ring(note(`n${nth}`));
    expect(person.heard).toEqual(['0m n0']);
    person.wait(24 * 60 * MINUTE);
    expect(person.all.map(({ together }) => together)).toEqual([undefined, 9_999]);
    expect(person.slots).toEqual({});
  });

  test('one each second for a day is a hundred starts, and each is counted once', () => {
    const person = new Person();
    for (let second = 0; second < 24 * 60 * 60; second += 1) {
      person.ring(note('again'));
      person.wait(1_000);
    }
    person.wait(longestMs * 2);
    expect(person.all.length).toBeLessThan(110);
    expect(person.all.reduce((sum, { together = 1 }) => sum + Number(together), 0)).toBe(24 * 60 * 60);
  });

  test('of sessions the window stays short: an agent that asks does not wait for a flood of others', () => {
    const person = new Person();
    for (let second = 0; second < 60 * 60; second += 1) {
      person.ring(note('asks'), { longestMs: windowMs });
      person.wait(1_000);
    }
    expect(person.all.length).toBeGreaterThan(55);
  });

  test('what is told together is as grave as its gravest', () => {
    const person = new Person();
    for (const one of [note('first'), note('why?', { kind: 'alert', question: true, type: ['town x'] }), note('last')])
      person.ring(one);
    person.wait(2 * MINUTE);
    const grave = { kind: 'alert', question: true, type: ['town status', 'town x'], together: 2 };
    expect(person.all.at(-1)).toMatchObject(grave);
  });
});

test('property: each notice is told, in any order and over any deaths, once its command works again', () => {
  const event = fc.oneof(
    fc.record({ ring: fc.constantFrom('a', 'b'), kind: fc.constantFrom('recovered', 'mail', 'alert') }),
    fc.record({ waitMs: fc.integer({ min: 1, max: 5 * MINUTE }) }),
    fc.record({ isWell: fc.constantFrom<true | 'slow' | null>(true, 'slow', null) }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const person = new Person();
      let nth = 0;
      for (const one of events) {
        if ('ring' in one) person.ring(note(`<${++nth}>`, { kind: one.kind }), { name: one.ring });
        else if ('waitMs' in one) person.wait(one.waitMs);
        else person.isWell = one.isWell;
      }
      person.isWell = true;
      person.wait(3 * longestMs);
      const counted = person.all.reduce((sum, { together = 1 }) => sum + Number(together), 0);
      expect(counted).toBe(nth);
      const alone = person.all.filter(({ together }) => together === undefined).map(({ text }) => text);
      expect(new Set(alone).size).toBe(alone.length);
    }),
  );
});
