/** What the system refuses, as one sentence: the path, why in words, what to do. */
import { expect, test } from 'vitest';
import { constants } from 'node:os';
import { tell } from '../../src/terminal/failure.ts';

const refused = (code: string, more: object): Error =>
  Object.assign(new Error(`${code}: words of the system, open '/root/x'`), {
    code,
    errno: -1,
    syscall: 'open',
    ...more,
  });

test('each has a path, words, its code and what to do', () => {
  for (const code of Object.keys(constants.errno)) {
    const { lines, exit, code: told } = tell(refused(code, { path: '/root/x' }));
    expect([lines.length, exit, told]).toEqual([1, 1, code.toLowerCase()]);
    expect(lines[0]).toMatch(new RegExp(`^/root/x: [a-z][^:]* \\(${code}\\); \\S`));
  }
  expect(tell(refused('EISDIR', { path: '/root/x' })).lines).toEqual([
    '/root/x: a folder is where a file should be (EISDIR); move it away',
  ]);
});

test('of two paths the one that it could not become is told, and without a path what was tried, behind the words', () => {
  expect(tell(refused('EISDIR', { path: '/root/x.tmp', dest: '/root/x' })).lines[0]).toMatch(/^\/root\/x: /);
  expect(tell(refused('EMFILE', {})).lines[0]).toMatch(/^too many files are open \(EMFILE, open\); /);
});
