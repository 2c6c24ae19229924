/** What leaves the machine of a notice. */
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHANNELS } from '../../machines/channels/policy.ts';
import { messageFor, plainText } from '../../src/channels/message.ts';
import { secretOf } from '../../src/channels/secrets.ts';
import { tempFolder } from '../world/over.ts';
import { told } from './make.ts';

const spooled = (text: string, more: object = {}) => {
  return { id: 'a', at: '2026-01-01T00:00:00.000Z', notice: told(text, more), receipts: {} };
};

test.each([
  ['a token of a service', 'push with ghp_16C7e42F292c6912E7710c838347Ae178B4a', 'ghp_16C7'],
  ['a password by its name', 'curl -u x --password=hunter2hunter2', 'hunter2'],
  ['a home folder', `rm -rf ${homedir()}/src`, homedir() === '/root' ? '\0' : homedir()],
  ['an address of a person', 'mail from ana@example.org', 'ana@'],
  ['an escape', 'a \u001b]0;evil\u0007 title', '\u001b'],
  ['what turns the direction of text', 'abc\u202Efed', '\u202E'],
])('%s does not leave the machine', (_, text, secret) => {
  expect(plainText(messageFor([spooled(text)]))).not.toContain(secret);
});

test('the lines to type stay as they are, without control characters', () => {
  const type = ['town answer 12 yes', 'town mail read m-1795868844148-8a334b7d', 'a\u001b[31mb'];
  expect(messageFor([spooled('x', { type })]).type).toEqual([type[0], type[1], 'ab']);
});

test('what a question is about stands whole behind its text, also rows of signs alone', () => {
  const shows = ['if true', '{', '&&', '}', ...Array.from({ length: 16 }, (_, nth) => `${'é'.repeat(20)} ${nth}`)];
  const ask = { number: 3, kind: 'permission', tags: [], shows, options: [{ word: 'yes', label: 'Yes' }] };
  const message = messageFor([spooled('x '.repeat(5_000), { ask })]);
  expect(message.text.length).toBeLessThanOrEqual(CHANNELS.maxText);
  expect(message.text.endsWith(`\n${shows.map((row) => `| ${row}`).join('\n')}`)).toBe(true);
  expect(message.ask?.options).toHaveLength(1);
});

test('a question that shows more than a message holds takes no answer', () => {
  const shows = Array.from({ length: 20 }, () => 'x'.repeat(200));
  const ask = { number: 3, kind: 'permission', tags: [], shows, options: [{ word: 'yes', label: 'Yes' }] };
  expect(messageFor([spooled('x', { ask })]).ask).toBeNull();
});

test('a text of ten megabytes is cut', () => {
  const { text } = messageFor([spooled('x '.repeat(5_000_000))]);
  expect(text.length).toBeLessThanOrEqual(CHANNELS.maxText);
});

test('200 that waited are one message with their count', () => {
  const all = Array.from({ length: 200 }, (_, nth) => spooled(`alert ${nth}`, { together: nth === 0 ? 3 : undefined }));
  const { text, count, type } = messageFor(all);
  expect(text).toMatch(/^200 messages waited for this channel:\nalert 0\n/);
  expect(text).toMatch(/and 195 more$/);
  expect(count).toBe(202);
  expect(type).toContain('town questions');
});

test('one message for many names the gravest of them first, and then the oldest', () => {
  const all = Array.from({ length: 9 }, (_, nth) => spooled(`alert ${nth}`, nth === 7 ? { severity: 'critical' } : {}));
  const [, ...rows] = messageFor(all).text.split('\n');
  expect(rows).toEqual(['alert 7', 'alert 0', 'alert 1', 'alert 2', 'alert 3', 'and 4 more']);
});

test('a secret is read from a file alone: another kind may never end', () => {
  const file = join(tempFolder('channels'), 'token');
  writeFileSync(file, ' tk_1 \nmore\n');
  expect(secretOf({ file }, 'key')).toBe('tk_1');
  expect(() => secretOf({ file: '/dev/null' }, 'key')).toThrow(
    'key stands in /dev/null, which is no file that can be read',
  );
});
