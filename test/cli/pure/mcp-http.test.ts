/** What stands before the door of `town mcp --http`: which callers cost something, and what a person reads there. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { hashOf } from '../../../state/sessions/tokens.ts';
import { sharedRead } from '../../../src/cli/asking/shared-read.ts';
import { linesOf, portFailure } from '../../../src/cli/commands/mcp-http.ts';
import { agentRecorded } from '../../../src/cli/naming/caller.ts';
import { session } from '../../state/make.ts';

// Rules: law 11.
test('callers that wait while a session starts share their reads, and have the agent once it is on record', async () => {
  let [reads, open, most] = [0, 0, 0];
  const read = sharedRead(async () => {
    most = Math.max(most, ++open);
    reads += 1;
    const value =
      reads < 3 ? session('a', { state: 'starting', tokenHash: null }) : session('a', { tokenHash: hashOf('right') });
    await Promise.resolve();
    open -= 1;
    return { found: [{ name: 'a', value, stat: {} as never }] };
  }, 20);
  const tokens = Array.from({ length: 64 }, (_, n) => (n === 7 ? 'right' : `made up ${n}`));
  const agents = await Promise.all(tokens.map((token) => agentRecorded(token, read)));
  expect(agents.flatMap((one, n) => (one === null ? [] : [n]))).toEqual([7]);
  expect([most, reads < tokens.length / 2]).toEqual([1, true]);
});

test('each caller has a read that began after it asked, also behind one that failed', async () => {
  let n = 0;
  const during: Promise<number>[] = [];
  const read: () => Promise<number> = sharedRead(async () => {
    const mine = ++n;
    if (mine === 2) during.push(read());
    await Promise.resolve();
    if (mine === 1) throw new Error('no disk');
    return mine;
  }, 1);
  const first = read();
  await expect(first).rejects.toThrow('no disk');
  expect(await Promise.all([read(), read()])).toEqual([2, 2]);
  expect(await Promise.all(during)).toEqual([3]);
});

test('the line for a shell names the file of the token, in a root of any name', () => {
  const line = linesOf('http://127.0.0.1:1/mcp', "/a b/it's/$HOME")
    .find((one) => one.includes('export'))
    ?.replace('$(cat ', '$(printf %s ');
  const { stdout } = spawnSync('sh', ['-c', `${line ?? ''}; printf %s "$TOWN_MCP_TOKEN"`], { encoding: 'utf8' });
  expect(stdout).toBe("/a b/it's/$HOME");
});

// Rules: F-4.
test.each([
  ['EADDRINUSE', /^port 80 of this machine is taken; .*--port 0/],
  ['EACCES', /^port 80 of this machine is for root alone; .*--port 0/],
  ['EMFILE', null],
])('a port that cannot be had, by %s', (code, says) => {
  const failure = portFailure(80, code);
  expect(failure === null ? null : says?.test(failure.message)).toBe(says && true);
});
