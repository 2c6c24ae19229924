/** What of a value leaves the process: bounded, without tokens, and whatever it is, it does not throw. */
import { describe, expect, test } from 'vitest';
import { INSPECT } from '../../machines/policy-inspect.ts';
import { trimmed, withoutSecrets } from '../../src/inspect/trim.ts';
import { TOKEN } from './rig.ts';

const shown = (value: unknown): unknown => JSON.parse(JSON.stringify(trimmed(value, INSPECT)));

describe('tokens', () => {
  test.each([
    ['a token of ours', TOKEN],
    ['in the middle of a text', `the agent said ${TOKEN}.`],
    ['as an assignment', `TOWN_TOKEN=${TOKEN.slice(0, 20)}`],
    ['in JSON within a text', '{"api_key":"abcdef-0123"}'],
    ['an API key', 'sk-ant-REDACTED'],
    ['a GitHub token', `ghp_${'a1'.repeat(18)}`],
    ['a header', 'Authorization: Bearer abc.def.ghi'],
    ['a web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.abc'],
    ['cut by the limit of a text', `${'x '.repeat(INSPECT.mostTextChars / 2 - 10)}${TOKEN}`],
  ])('%s is not shown', (_, text) => {
    const told = JSON.stringify(trimmed({ text }, INSPECT));
    for (const part of [TOKEN.slice(0, 16), 'api03', 'a1a1a1', 'abcdef-0123', 'abc.def', 'eyJhbG']) {
      expect(told).not.toContain(part);
    }
  });

  test.each(['token', 'tokenHash', 'TOWN_TOKEN', 'secret', 'entropy', 'password', 'apiKey', 'authorization'])(
    'whatever is kept under %s is not shown',
    (name) => {
      expect(shown({ [name]: 'short' })).toEqual({ [name]: '[redacted]' });
      expect(shown(new Map([[name, 'short']]))).toEqual({ [name]: '[redacted]' });
    },
  );

  test('the word after a flag that announces it is not shown', () => {
    expect(shown(['agent', '--api-key', 'short', '--model', 'm'])).toEqual([
      ...['agent', '--api-key', '[redacted]', '--model', 'm'],
    ]);
  });

  test('what only looks a little like one stays: ids, hashes of git, codes, sentences', () => {
    const text = '3f6c1d2e9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d uuid-1 K73F the key to it: patience';
    expect(withoutSecrets(text)).toBe(text);
  });
});

describe('bounds', () => {
  test('a long list, a wide object, a deep one and a long text are cut, and say so', () => {
    const list = shown(Array.from({ length: 1_000 }, (_, n) => n)) as unknown[];
    expect([list.length, list.at(-1)]).toEqual([INSPECT.mostEntries + 1, '… 968 more']);
    const wide = shown(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, n]))) as object;
    expect(wide).toMatchObject({ k0: 0, '…': '68 more' });
    let deep: unknown = 'bottom';
    for (let n = 0; n < 10_000; n++) deep = { deep };
    expect(JSON.stringify(shown(deep)).length).toBeLessThan(200);
    expect(shown('word '.repeat(1_000))).toMatch(/word … 5000 characters$/);
  });

  test('the whole stays within its limit, whatever is in it', () => {
    const leaf = Array.from({ length: 30 }, (_, n) => 'x y '.repeat(n));
    const value = Array.from({ length: 30 }, () => Array.from({ length: 30 }, () => leaf));
    const text = JSON.stringify(trimmed(value, INSPECT));
    expect(text.length).toBeLessThan(INSPECT.mostValueChars * 2);
  });

  test('what is not shown is not read either', () => {
    let reads = 0;
    const watched = Object.defineProperties(
      {},
      Object.fromEntries(
        Array.from({ length: 10_000 }, (_, n) => [`k${n}`, { enumerable: true, get: () => (reads += 1) }]),
      ),
    );
    trimmed(watched, INSPECT);
    expect(reads).toBeLessThanOrEqual(INSPECT.mostEntries + 1);
  });
});

test('whatever it is, it becomes JSON', () => {
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
      ...{ ring, broken, actor, map: new Map([['a', 1]]), set: new Set(['b']), date: new Date(0) },
      ...{ error: new Error('why'), fn: function named() {}, big: 5n, bytes: new Uint8Array(3), none: null },
      ['__proto__']: 'plain',
    }),
  ).toMatchObject({
    ring: { name: 'ring', self: '[circular]' },
    broken: '[unreadable: TypeError]',
    actor: { xstate$$type: 1, id: 'anna' },
    map: { a: 1 },
    set: ['b'],
    error: { name: 'Error', message: 'why' },
    fn: { type: 'named' },
    big: '5',
    bytes: '3 bytes',
    none: null,
  });
});
