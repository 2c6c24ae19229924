/** `town send` on a real tmux: typed once, over a kill of the town, also to the next life. */
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exits, killHard, prints, TestTown, until } from '../../cli/town.ts';

interface Sent {
  readonly session: string;
  readonly text: string;
}

test('work is typed as it is, once, in its order, over a kill of the town, and waits for a session that is away', async () => {
  const town = await new TestTown().up();
  // Prints what was entered.
  await town.agent('w1', ['cat']);
  await town.agent('w2', ['cat'], '--restart', 'temporary');
  const seen = (session: string): string[] =>
    town
      .tmux('capture-pane', '-p', '-t', `=${session}:`)
      .split('\n')
      .filter((row) => row.startsWith('do '));
  const waiting = (): Promise<Sent[]> => town.data<Sent[]>('send', '--list');
  exits(await town.run('send', 'absent', 'x'), 2, 'no session absent was ever seen here');
  exits(await town.run('send', 'w1'), 2, 'no work for w1');
  exits(await town.run('send', 'w1', 'x'.repeat(5_000)), 2, 'at most 4096 are typed');
  const file = join(town.root, 'task.md');
  writeFileSync(file, 'do the first\n');
  prints(await town.run('send', 'w1', '--file', file), 0, 'typed to w1 once it is at rest');
  prints(await town.run('send', 'w1', 'do the second', '--wait'), 0, 'was typed to w1');
  // The terminal shows a line as it is typed, and cat prints it.
  await until(() => seen('w1').length >= 4);
  town.tmux('kill-session', '-t', '=w2');
  prints(await town.run('send', 'w2', 'do the third'), 0, 'once it is at rest');
  const { pid } = await town.status();
  killHard(pid);
  await until(waiting, (all) => all.length === 1);
  prints(await town.run('session', 'start', 'w2'), 0, 'w2');
  await until(() => seen('w2').length >= 2);
  await until(waiting, (all) => all.length === 0);
  expect(seen('w1')).toEqual(['do the first', 'do the first', 'do the second', 'do the second']);
  exits(await town.run('send', 'w2', 'ALIVE'), 2, 'would read as the answer to a question');
  // w2 ends, and another session takes its name: what waits for the first is not typed to the second.
  town.tmux('kill-session', '-t', '=w2');
  await until(
    () => town.data<{ state: string }>('session', 'status', 'w2'),
    ({ state }) => state === 'ended',
  );
  const [, id = ''] = /^(\S+) is typed/.exec((await town.run('send', 'w2', 'do the old')).stdout) ?? [];
  prints(await town.run('session', 'remove', 'w2'), 0, 'w2');
  await town.agent('w2', ['cat'], '--restart', 'temporary');
  prints(await town.run('send', 'w2', 'do the new', '--wait'), 0, 'was typed to w2');
  await until(() => seen('w2').length >= 2);
  expect(seen('w2')).toEqual(['do the new', 'do the new']);
  expect(await waiting()).toMatchObject([
    { id, text: 'do the old', is_undone: true, waits: 'the session was removed' },
  ]);
  prints(await town.run('questions'), 0, `town send --cancel ${id}`);
  prints(await town.run('send', '--cancel', id), 0, 'is cancelled');
  exits(await town.run('send', '--cancel', id), 2, `no work ${id} waits`);
});
