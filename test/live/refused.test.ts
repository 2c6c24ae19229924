/** What a town will not begin: a session on another town's tmux server, and anything while its disk takes no records. */
import { linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestTown } from '../cli/town.ts';

test('a session on a server that another root took: exit 5, its root by name, and no record of what never was', async () => {
  const first = new TestTown();
  const second = new TestTown();
  for (const town of [first, second]) await town.up();
  expect((await first.run('session', 'start', 'builder', '--', 'sleep', '1000')).code).toBe(0);
  // By a name of the socket that no program can tell from another one.
  linkSync(first.socket, second.socket);
  const refused = await second.run('session', 'start', 'other', '--', 'sleep', '1000');
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining(first.root)]);
  expect(refused.stderr).toMatch(/^town: session other was not started: the town of /);
  expect(second.names('sessions')).toEqual([]);
  expect(await second.data('session', 'list')).toMatchObject([{ name: 'builder' }]);
});

test('while the disk takes no records, what needs one is refused with exit 4 and the reason, then and later', async () => {
  const town = new TestTown();
  const [journal, aside] = [join(town.root, 'journal'), join(town.root, 'journal-aside')];
  await town.up();
  renameSync(journal, aside);
  town.write('journal', 'no folder');
  const first = await town.run('session', 'start', 'builder', '--', 'sleep', '1000');
  expect([first.code, first.stderr]).toEqual([
    4,
    expect.stringMatching(/degraded \(records cannot be saved: .*(is not on disk|nothing was begun)/s),
  ]);
  // A busy town may have learned of it by a line of its own before it was asked.
  const isBegun = !first.stderr.includes('nothing was begun');
  for (const words of [
    ['session', 'start', 'other', '--', 'sleep', '1000'],
    ['boot', 'triage'],
  ]) {
    const { code, stderr } = await town.run(...words);
    expect([words, code, stderr]).toEqual([
      words,
      4,
      expect.stringMatching(/records cannot be saved.*nothing was begun/),
    ]);
  }
  rmSync(journal);
  mkdirSync(journal, 0o700);
  for (;;) if (!(await town.data<{ degraded: boolean }>('status')).degraded) break;
  expect((await town.run('boot', 'triage')).code).toBe(0);
  expect(await town.data('session', 'list')).toMatchObject(isBegun ? [{ name: 'builder' }] : []);
});
