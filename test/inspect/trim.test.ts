/** What of a value leaves the process: bounded, no word that may tell a secret, and no value makes it throw. */
import { describe, expect, test } from 'vitest';
import { INSPECT } from '../../src/inspect/policy.ts';
import { trim } from '../../src/inspect/trim.ts';
import { TOKEN } from './rig.ts';

const REDACTED = '[redacted]';
const shown = (value: unknown): unknown => JSON.parse(JSON.stringify(trim(value, INSPECT)));

describe('words', () => {
  test.each([
    ['a code', { attempt: { code: 'K73F' }, asked: 'health-K73F' }],
    ['what was typed', { question: ['respond ALIVE', 'or print one line: K7-3F'] }],
    [
      'what a pane showed',
      { observation: { kind: 'answered', quote: 'K73F' }, tail: 'K73F', what: 'K73F', tailBefore: 'K73F' },
    ],
    ['what people wrote', { reason: 'K73F', requester: 'K73F', text: 'K73F', why: 'K73F', note: 'K73F', body: 'K73F' }],
    ['what is run and where', { command: ['agent', '--key', 'K73F'], dir: '/K73F', process: 'K73F', tags: ['K73F'] }],
    ['what the codes are drawn from', { entropy: 'K73F', uuid: 'K73F', tokenHash: 'K73F' }],
    ['a field that is not known yet', { brandNew: 'K73F', deeper: [{ brandNew: new Map([['x', ['K73F']]]) }] }],
    ['a text where a name should be', { session: 'the code is K73F', id: 'a\nK73F', name: 'x K73F' }],
    ['an error', { error: new Error('K73F'), date: Symbol('K73F') }],
    ['a name that is none', { 'said K73F': 1, ['K73F'.repeat(100)]: 1 }],
  ])('%s: not shown', (_, value) => {
    expect(JSON.stringify(shown(value))).not.toMatch(/K7-?3F/);
  });

  test('nor is a life’s uuid or a hash, as value or in a name', () => {
    const uuid = '0123abcd-0123-4123-8123-0123456789ab';
    const told = shown({ re: { life: uuid, verb: 'ask' }, open: { [uuid]: 1, [TOKEN]: 2 }, id: TOKEN });
    expect(told).toEqual({
      re: { life: REDACTED, verb: 'ask' },
      open: { '[redacted 1]': 1, '[redacted 2]': 2 },
      id: REDACTED,
    });
  });

  test('what tells where an actor stands is shown', () => {
    const value = {
      type: 'LOOKED',
      re: { dance: 'dog-1', attempt: 1, verb: 'look', turn: 3 },
      observation: { kind: 'silent' },
      server: { pid: 12 },
      paneId: '%3',
      records: { 'gt-foo': { state: 'running', restarts: 2, restartAgesMs: [1, 2] } },
      known: new Set([1]),
      stage: 'interrogating.listening',
      verdict: null,
      session: 'gt-foo',
      killing: false,
    };
    expect(shown(value)).toEqual({ ...value, known: [1] });
  });
});

describe('bounds', () => {
  test('a long list, a wide object, and a deep one are cut, and say so', () => {
    const list = shown(Array.from({ length: 1_000 }, (_, n) => n)) as unknown[];
    expect([list.length, list.at(-1)]).toEqual([INSPECT.maxEntries + 1, '… 968 more']);
    const wide = shown(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, n]))) as object;
    expect(wide).toMatchObject({ k0: 0, '…': '68 more' });
    let deep: unknown = 'bottom';
    for (let n = 0; n < 10_000; n++) deep = { deep };
    expect(JSON.stringify(shown(deep)).length).toBeLessThan(200);
  });

  test('the whole stays within its limit, with any content', () => {
    const leaf = Array.from({ length: 30 }, (_, n) => ({ id: 'x'.repeat(4 * n), text: 'x y '.repeat(n) }));
    const value = Array.from({ length: 30 }, () => Array.from({ length: 30 }, () => leaf));
    const text = JSON.stringify(trim(value, INSPECT));
    expect(text.length).toBeLessThan(INSPECT.maxValueChars * 2);
  });

  test('what is not shown is not read either', () => {
    let reads = 0;
    const watched = Object.defineProperties(
      {},
      Object.fromEntries(
        Array.from({ length: 10_000 }, (_, n) => [`k${n}`, { enumerable: true, get: () => (reads += 1) }]),
      ),
    );
    trim(watched, INSPECT);
    expect(reads).toBeLessThanOrEqual(INSPECT.maxEntries + 1);
  });
});

test('any value becomes JSON', () => {
  const ring: Record<string, unknown> = { name: 'ring' };
  ring['self'] = ring;
  const broken = Object.defineProperty({}, 'x', {
    enumerable: true,
    get: () => {
      throw new TypeError('no');
    },
  });
  const actor = { id: 'anna', sessionId: 'x:1', send: () => undefined };
  expect(
    shown({
      ring,
      broken,
      actor,
      map: new Map([['a', 1]]),
      set: new Set(['b']),
      date: new Date(0),
      error: new Error('why'),
      fn: function named() {},
      big: 5n,
      bytes: new Uint8Array(3),
      none: null,
      ['__proto__']: 7,
    }),
  ).toMatchObject({
    ring: { name: 'ring', self: '[circular]' },
    broken: '[unreadable: TypeError]',
    actor: { xstate$$type: 1, id: 'anna' },
    map: { a: 1 },
    set: [REDACTED],
    date: 0,
    error: { name: 'Error', message: REDACTED },
    fn: { type: 'named' },
    big: REDACTED,
    bytes: '3 bytes',
    none: null,
  });
});
