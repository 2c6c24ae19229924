/** Frames of other programs: checked, kept within bounds, and never mistaken for the town's. */
import { describe, expect, test } from 'vitest';
import { INSPECT } from '../../src/inspect/policy.ts';
import { Guests, parentsFirst } from '../../src/inspect/guests.ts';

const actor = (sessionId: string, more: object = {}) =>
  JSON.stringify({ type: '@xstate.actor', name: 'a', sessionId, snapshot: {}, _version: '0.7.2', ...more });
const snapshot = (sessionId: string, more: object = {}) =>
  JSON.stringify({ type: '@xstate.snapshot', sessionId, snapshot: { status: 'active' }, event: { type: '' }, ...more });
const event = (sessionId: string, more: object = {}) =>
  JSON.stringify({ type: '@xstate.event', sessionId, event: { type: 'GO' }, ...more });
const idOf = (text: string): unknown => (JSON.parse(text) as { sessionId: unknown }).sessionId;

describe('a frame', () => {
  test.each([
    ['no JSON', '{'],
    ['no object', '"@xstate.actor"'],
    ['null', 'null'],
    ['another type', '{"type":"hello","sessionId":"x:0"}'],
    ['no sessionId', actor('x:0', { sessionId: undefined })],
    ['an empty sessionId', actor('')],
    ['a long sessionId', actor('x'.repeat(257))],
    ['a number as parent', actor('x:0', { parentId: 3 })],
    ['an id of the town', actor('town:x:0')],
    ['a parent in the town', actor('x:9', { parentId: 'town:x:0' })],
    ['an event sent by the town', event('x:9', { sourceId: 'town:x:0' })],
    ['an id of another guest', snapshot('guest-1:x:0')],
    ['no snapshot', actor('x:0', { snapshot: null })],
    ['a definition that is no text', actor('x:0', { definition: {} })],
    ['no name', actor('x:0', { name: undefined })],
    ['no event', event('x:0', { event: 'GO' })],
  ])('with %s is refused and nothing of it kept', (_, text) => {
    const guests = new Guests(INSPECT);
    expect(() => guests.take(guests.enter(), text)).toThrow();
    expect(guests.greeting()).toEqual([]);
  });

  test('of the only guest passes as it came; ids of others get a prefix', () => {
    const guests = new Guests(INSPECT);
    const [first, second] = [guests.enter(), guests.enter()];
    expect(guests.take(first, actor('x:0'))).toBe(actor('x:0'));
    const passed = JSON.parse(guests.take(second, actor('x:1', { parentId: 'x:0', rootId: 'x:0' }))) as object;
    expect(passed).toMatchObject({ sessionId: 'guest-1:x:1', parentId: 'guest-1:x:0', rootId: 'guest-1:x:0' });
  });
});

describe('a late viewer', () => {
  test('is told actors, parents first, then the last snapshots, then events', () => {
    const guests = new Guests(INSPECT);
    const place = guests.enter();
    for (const text of [actor('x:1', { parentId: 'x:0' }), actor('x:0'), event('x:0'), snapshot('x:0', { n: 1 })])
      guests.take(place, text);
    guests.take(place, snapshot('x:0', { n: 2 }));
    expect(guests.greeting()).toEqual([
      actor('x:0'),
      actor('x:1', { parentId: 'x:0' }),
      snapshot('x:0', { n: 2 }),
      event('x:0'),
    ]);
  });

  test('sees those that left, until another takes their place', () => {
    const guests = new Guests(INSPECT);
    const place = guests.enter();
    guests.take(place, actor('x:0'));
    guests.leave(place);
    expect(guests.greeting().map(idOf)).toEqual(['x:0']);
    expect(guests.enter()).toBe(place);
    expect(guests.greeting()).toEqual([]);
  });

  test('is told a bounded number of actors and characters, the newest', () => {
    const guests = new Guests({ ...INSPECT, maxGuestActors: 3, ringEvents: 2 });
    const place = guests.enter();
    for (let n = 0; n < 50; n++) {
      guests.take(place, actor(`x:${n}`));
      guests.take(place, event(`x:${n}`));
    }
    expect(guests.greeting().map(idOf)).toEqual(['x:47', 'x:48', 'x:49', 'x:48', 'x:49']);
    const small = new Guests({ ...INSPECT, maxGuestChars: 1_000 });
    for (let n = 0; n < 50; n++) {
      small.take(place, actor(`x:${n}`));
      small.take(place, snapshot(`x:${n}`, { more: 'y'.repeat(n) }));
    }
    expect(small.greeting().join('').length).toBeLessThanOrEqual(1_000);
    expect(small.greeting().map(idOf)).toContain('x:49');
  });
});

test.each([
  [['a', 'b<a', 'c<b'], 'a b c'],
  [['c<b', 'b<a', 'a'], 'a b c'],
  [['b<a', 'c<a', 'a', 'd<gone'], 'a b c d'],
  [['a<b', 'b<a'], 'b a'],
  [['a<a'], 'a'],
])('parents first: %s -> %s', (given, order) => {
  const nodes = given.map((text) => ({ id: text.split('<')[0]!, parentId: text.split('<')[1] ?? null }));
  expect(
    parentsFirst(nodes)
      .map(({ id }) => id)
      .join(' '),
  ).toBe(order);
});
