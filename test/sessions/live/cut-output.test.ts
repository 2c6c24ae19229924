/** What an agent without a pane prints is cut while it runs: its file cannot fill the disk, and the end of it is kept. */
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cutOutput, keptPaths, openOutput, outputPath } from '../../../state/sessions/output.ts';
import { TestTown, until } from '../../cli/town.ts';
import { tempFolder } from '../../world/over.ts';

const MAX = 1_000;
const [older = '', newer = ''] = keptPaths('one');

function opened() {
  const root = tempFolder('cut');
  mkdirSync(join(root, 'output'));
  const agent = openOutput(root, 'one', { maxBytes: MAX, again: false });
  const say = (text: string): number => writeSync(agent.fd, text);
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  return { root, say, read, close: () => agent.close() };
}

test('up to its size nothing is cut; over it the end stands in the older file, and the agent goes on at the new end', () => {
  const { root, say, read, close } = opened();
  say('x'.repeat(MAX));
  expect(cutOutput(root, 'one', MAX)).toBe(false);
  say('last words\n');
  expect(cutOutput(root, 'one', MAX)).toBe(true);
  expect(read(older)).toBe(`${'x'.repeat(MAX - 11)}last words\n`);
  say('and on\n');
  expect(read(newer)).toBe('and on\n');
  expect(statSync(join(root, older)).mode & 0o777).toBe(0o600);
  close();
});

test('a second cut takes the place of the first; what cannot be copied stays as it is', () => {
  const { root, say, read, close } = opened();
  for (const word of ['a', 'b']) {
    say(word.repeat(2 * MAX));
    cutOutput(root, 'one', MAX);
  }
  expect(read(older)).toBe('b'.repeat(MAX));
  say('c'.repeat(2 * MAX));
  symlinkSync(newer.slice('output/'.length), join(root, 'output', 'two.log'));
  expect(() => cutOutput(root, 'two', MAX)).toThrow('ELOOP');
  expect(read(newer)).toBe('c'.repeat(2 * MAX));
  close();
});

test('an agent whose file was never made has nothing to cut', () => {
  const root = tempFolder('cut');
  expect(cutOutput(root, 'none', MAX)).toBe(false);
  expect(existsSync(join(root, 'output'))).toBe(false);
});

// Rules: C-7.
test('a town without tmux cuts it while the agent runs, which notices nothing', async () => {
  const town = new TestTown('[sessions]\nscan_every = "100ms"\n[log]\nmax_bytes = 20000\n');
  const PATH = town.programs('bash', 'sleep', 'env', 'cat', 'sh', 'seq');
  const run = (...words: string[]) => town.bare(['--root', town.root, ...words], { env: { PATH } });
  expect((await run('up')).code).toBe(0);
  const talk = 'n=0; while sleep 0.05; do seq -f "line %g" $n $((n + 99)); n=$((n + 100)); done';
  expect((await run('session', 'start', 'one', '--', 'bash', '-c', talk)).code).toBe(0);
  const first = town.life('one');
  const last = (): number => Number(/line (\d+)\n$/.exec(town.read(outputPath('one')))?.[1] ?? 0);
  await until(() => last() > 10_000);
  expect(Buffer.byteLength(town.read(older)) + Buffer.byteLength(town.read(newer))).toBeLessThan(80_000);
  expect(town.read(older)).toMatch(/line \d+\n$/);
  expect(town.life('one')).toEqual(first);
});
