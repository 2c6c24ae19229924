/** Who may come in, by Host and Origin. */
import { expect, test } from 'vitest';
import { refusal } from '../../src/inspect/origin.ts';

test.each<[string | undefined, string | undefined, boolean]>([
  ['127.0.0.1:4000', undefined, true],
  ['localhost:4000', undefined, true],
  ['LocalHost', undefined, true],
  ['[::1]:4000', undefined, true],
  ['localhost:9', 'http://localhost:3000', true],
  ['127.0.0.1', 'https://127.0.0.1', true],
  ['127.0.0.1', 'http://[::1]:80', true],
  [undefined, undefined, false],
  ['', undefined, false],
  ['evil.example', undefined, false],
  ['127.0.0.1.evil.example', undefined, false],
  ['localhost.evil.example:4000', undefined, false],
  ['127.0.0.1@evil.example', undefined, false],
  ['evil.example#127.0.0.1', undefined, false],
  ['0.0.0.0:4000', undefined, false],
  ['192.168.1.7:4000', undefined, false],
  ['localhost:4000', 'https://evil.example', false],
  ['localhost:4000', 'http://localhost.evil.example', false],
  ['localhost:4000', 'http://localhost@evil.example', false],
  ['localhost:4000', 'http://localhost/@evil', false],
  ['localhost:4000', 'null', false],
  ['localhost:4000', '', false],
  ['localhost:4000', 'file://localhost', false],
  ['localhost:4000', 'chrome-extension://localhost', false],
])('Host %s, Origin %s: %s', (host, origin, isWelcome) => {
  expect(refusal({ host, origin }) === null).toBe(isWelcome);
});
