/** What stands, compared with what stood: the one place where an alert that lasts begins and ends (law 8). */
import { describe, expect, test } from 'vitest';
import { Comparison, levelsOf, type Claim, type Level, type Standing } from '../../machines/alerts/levels.ts';
import { TELL_AGAIN_MS } from '../../machines/alerts/policy.ts';
import type { Order } from '../../machines/protocol.ts';

const about = (name: string, text = 'it is bad'): Standing => ({ name, severity: 'low', session: null, text });
const LEVEL: Level<Claim | null> = {
  kind: 'crash-loop',
  asks: null,
  claim: (claim) => claim,
  ended: (name) => `${name ?? 'none'} is well`,
};

function said(orders: readonly Order[]): string[] {
  return orders.map((order) => {
    if (order.type === 'alert') return `begins ${order.alert.episode}: ${order.alert.text}`;
    if (order.type === 'endAlert') return `ends ${order.episode}: ${order.text}`;
    if (order.type !== 'endOthers') return order.type;
    const { of, within, except } = order;
    return `others of ${of}${within === undefined ? '' : ` within ${within}`} but ${except.join(' ')}`;
  });
}

function compared() {
  const comparison = new Comparison();
  const levels = levelsOf([LEVEL], ({ value }) => value === 'open');
  const actors = { one: {}, other: {} };
  const compare = (claim: Claim | null, now = 0, value = 'open', actor: keyof typeof actors = 'one') =>
    comparison.compare(levels, actors[actor], { value, context: claim }, now);
  return { comparison, compare, actors, claim: (...of: Parameters<typeof compare>) => said(compare(...of)) };
}

describe('a claim', () => {
  test('begins what is new, leaves what is the same, tells other words anew, and ends what is gone', () => {
    const { claim } = compared();
    const [a, b] = [about('a'), about('b')];
    expect(claim({ stands: [a], only: [] })).toEqual([
      'begins crash-loop/a: it is bad',
      'others of crash-loop but crash-loop/a',
    ]);
    expect(claim({ stands: [{ ...a }, b], only: [] })).toEqual(['begins crash-loop/b: it is bad']);
    expect(claim({ stands: [about('a', 'it is worse'), b], only: [] })).toEqual(['begins crash-loop/a: it is worse']);
    expect(claim({ stands: [b], only: [] })).toEqual(['ends crash-loop/a: a is well']);
    expect(claim({ stands: [], only: [] })).toEqual(['ends crash-loop/b: b is well']);
    expect(claim({ stands: [], only: [] })).toEqual([]);
  });

  // Rules: law 8.
  test('keeps what an earlier process told and is unknown yet, until it is known', () => {
    const { claim } = compared();
    expect(claim({ stands: [], only: ['a'] })).toEqual(['others of crash-loop but crash-loop/a']);
    expect(claim({ stands: [], only: ['a'] })).toEqual([]);
    expect(claim({ stands: [], only: [] })).toEqual(['ends crash-loop/a: a is well']);
  });

  test('of a part, by one actor, says nothing of what others claim; one of the whole ends what no actor claims', () => {
    const { claim } = compared();
    expect(claim({ stands: [about('a')] }, 0, 'open', 'other')).toEqual(['begins crash-loop/a: it is bad']);
    expect(claim({ stands: [], over: ['ab'] })).toEqual(['ends crash-loop/ab: ab is well']);
    const whole: Claim = { stands: [], only: ['a', 'ab'] };
    expect(claim(whole)).toEqual(['others of crash-loop but crash-loop/a']);
    expect(claim({ stands: [], only: ['ab'] })).toEqual(['ends crash-loop/a: a is well']);
  });

  test('within a name ends its own and its parts, of any origin, and nothing of another', () => {
    const { claim } = compared();
    const shop = (...stands: Standing[]) => claim({ stands, within: 'shop' });
    expect(shop(about('shop'), about('shop/a'))).toEqual([
      'begins crash-loop/shop: it is bad',
      'begins crash-loop/shop/a: it is bad',
      'others of crash-loop within shop but crash-loop/shop crash-loop/shop/a',
    ]);
    expect(claim({ stands: [about('bank/a')], within: 'bank' }, 0, 'open', 'other')).toEqual([
      'begins crash-loop/bank/a: it is bad',
      expect.stringContaining('within bank'),
    ]);
    expect(shop(about('shop/a'))).toEqual(['ends crash-loop/shop: shop is well']);
    // Who knows of the whole keeps a name with its parts.
    expect(claim({ stands: [], only: ['shop'] })).toEqual([
      'ends crash-loop/bank/a: bank/a is well',
      'others of crash-loop but crash-loop/shop/a',
    ]);
    expect(shop()).toEqual(['ends crash-loop/shop/a: shop/a is well']);
  });

  // Rules: W-6.
  test('that several actors make of one name is over with the last of them, or when the others are gone', () => {
    const { comparison, compare, claim, actors } = compared();
    const stands: Claim = { stands: [about('a')], over: [] };
    const over: Claim = { stands: [], over: ['a'] };
    expect(claim(stands)).toEqual(['begins crash-loop/a: it is bad']);
    expect(said(compare({ ...stands }, 0, 'open', 'other'))).toEqual([]);
    expect(claim(over)).toEqual([]);
    expect(said(compare({ ...over }, 0, 'open', 'other'))).toEqual(['ends crash-loop/a: a is well']);
    expect(claim({ ...stands })).toEqual(['begins crash-loop/a: it is bad']);
    expect(said(compare({ ...over }, 0, 'open', 'other'))).toEqual([]);
    comparison.forget(actors.one);
    expect(said(compare({ ...over }, 0, 'open', 'other'))).toEqual(['ends crash-loop/a: a is well']);
  });

  test('of nothing begins and ends nothing: unknown, or an actor that still opens (law 1)', () => {
    const { claim } = compared();
    claim({ stands: [about('a')], only: [] });
    expect(claim(null)).toEqual([]);
    expect(claim({ stands: [], only: [] }, 0, 'opening')).toEqual([]);
    expect(claim({ stands: [] })).toEqual([]);
    expect(claim({ stands: [], over: ['a'] })).toEqual(['ends crash-loop/a: a is well']);
  });

  test('that could not be told is compared with the disk again, after a while', () => {
    const { comparison, compare, claim } = compared();
    const stands: Claim = { stands: [about('a')], only: [] };
    const [first] = compare(stands, 1_000);
    expect(comparison.failed(first!.id, 2_000)).toBe(true);
    expect(comparison.failed({ issuer: 'sessions', verb: 'scan' }, 2_000)).toBe(false);
    expect(claim(stands, 2_000 + TELL_AGAIN_MS - 1)).toEqual([]);
    expect(claim(stands, 2_000 + TELL_AGAIN_MS)).toEqual([
      'begins crash-loop/a: it is bad',
      'others of crash-loop but crash-loop/a',
    ]);
  });
});
