/** What can never be is refused at once. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { impossibleSocket } from '../../src/tmux/socket.ts';
import { TestTown } from './town.ts';

test('the longest path that a socket takes, and one byte more', () => {
  expect(impossibleSocket(`/${'x'.repeat(106)}`)).toBeNull();
  expect(impossibleSocket(`/${'ü'.repeat(53)}x`)).toContain('has a path of 108 bytes, and a socket takes 107');
});

test.each(['up', 'restart', 'config check'])(
  '`%s` refuses a socket path that no socket can have, and writes nothing',
  async (word) => {
    const town = new TestTown();
    town.configure('', join(town.home, 'x'.repeat(120)));
    const ran = await town.run(...word.split(' '));
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/has a path of \d+ bytes, and a socket takes 107/);
    expect(readdirSync(town.root)).toEqual(['town.toml']);
    const { code, stdout } = await town.run('doctor');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/bad\s+tmux socket: .*has a path of/s)]);
  },
);

test('`down --purge` finds nothing to clean up there', async () => {
  const town = new TestTown();
  town.configure('', join(town.home, 'x'.repeat(120)));
  expect(await town.run('down', '--purge')).toMatchObject({ code: 0, stderr: '' });
});
