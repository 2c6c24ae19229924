/** On channels each letter that asks, and each begin and end of a dialog, is a message of its own. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NOTIFY } from '../../machines/alerts/policy.ts';
import { causeApart } from '../../machines/alerts/slots.ts';
import { MINUTE, note, Person } from './slot-person.ts';

const { windowMs, longestMs } = NOTIFY;

// Rules: A-4, law 8.
describe('letters that ask, on channels', () => {
  test('within one window each comes by itself, so that each has its answer; none twice', () => {
    const person = new Person();
    for (const id of ['a', 'b', 'a', 'b']) person.write(id);
    person.wait(10 * MINUTE);
    expect(person.heard).toEqual(['0m a', '0m b']);
    expect(person.slots).toEqual({});
  });

  test('a storm of 200 is a few by themselves and one with the count', () => {
    const person = new Person();
    for (let nth = 0; nth < 200; nth += 1) person.write(`n${nth}`);
    // Another part of the town announces one of those that are counted.
    person.write('n199');
    person.wait(30 * MINUTE);
    expect(person.all.map(({ together = 1 }) => together)).toEqual([1, 1, 1, 197]);
  });

  test('property: each is told once, in any order and over any deaths', () => {
    const event = fc.oneof(fc.constant('write'), fc.integer({ min: 1, max: 5 * MINUTE }), fc.constantFrom(true, null));
    const property = fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const person = new Person();
      let nth = 0;
      for (const one of events) {
        if (one === 'write') person.write(`<${++nth}>`);
        else if (typeof one === 'number') person.wait(one);
        else person.isWell = one;
      }
      person.isWell = true;
      person.wait(3 * longestMs);
      expect(person.all.reduce((sum, { together = 1 }) => sum + Number(together), 0)).toBe(nth);
    });
    fc.assert(property);
  });
});

test('what begins and ends a dialog is no part of another message on channels, however many come', () => {
  const person = new Person();
  const of = { name: 'alert/needs-input/medium', longestMs };
  const notices = ['builder', 'tester', 'builder'].flatMap((session, nth) =>
    ['alert', 'recovered'].map((kind) =>
      note(`${session} ${kind}`, { kind, episode: `needs-input/${session}`, at: new Date(nth).toISOString() }),
    ),
  );
  for (const notice of notices) person.ring(notice, causeApart(person.slots, of, notice, NOTIFY));
  expect(person.all).toEqual(notices);
  person.wait(2 * windowMs);
  expect(person.slots).toEqual({});
  const fall = note('builder falls', { kind: 'alert', episode: 'crash-loop/builder', question: true });
  expect(causeApart({}, of, fall, NOTIFY)).toBe(of);
});
