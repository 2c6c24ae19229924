/** Timers on a real tmux: the words and Enter, a town that is killed, a session that is away (M-6). */
import { expect, test } from 'vitest';
import { exits, killHard, TestTown, until } from '../../cli/town.ts';

interface Timer {
  readonly name: string;
  readonly last: string | null;
}

// Rules: M-6, law 5.
test('a timer types its words with Enter at its own pace, over a kill of the town, and leaves out what is away', async () => {
  const town = await new TestTown().up();
  // Prints what was entered: a line that stands there twice was sent.
  await town.agent('w1', ['cat']);
  await town.agent('gone', ['sleep', '1000'], '--restart', 'temporary');
  const seen = (): number =>
    town
      .tmux('capture-pane', '-p', '-t', 'w1')
      .split('\n')
      .filter((row) => row.trim() === 'Nudge: check').length;
  exits(await town.run('watchdog', 'start', 'absent'), 2, 'no session absent was ever seen here');
  exits(await town.run('watchdog', 'start', 'w1', '--interval', '2'), 0, '');
  exits(await town.run('watchdog', 'start', 'gone', '--interval', '2', '--name', 'away'), 0, '');
  town.tmux('kill-session', '-t', '=gone');
  await until(() => seen() >= 4);
  const { pid } = await town.status();
  killHard(pid);
  const before = seen();
  await until(() => seen() >= before + 2);
  const timers = await until(
    () => town.data<Timer[]>('watchdog', 'status'),
    (all) => all.every(({ last }) => last !== null),
  );
  expect(timers.map(({ name, last }) => `${name}: ${last}`).sort()).toEqual([
    'away: not typed: its agent is gone',
    'default: typed',
  ]);
  exits(await town.run('watchdog', 'stop'), 0, '');
  expect(await town.data('watchdog', 'status')).toEqual([]);
});
