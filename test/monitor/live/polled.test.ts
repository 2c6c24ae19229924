/** A worker’s own report as a message for its orchestrator, on a real tmux, over a kill of the town (M-4, M-5). */
import { expect, test } from 'vitest';
import { killHard, TestTown, until } from '../../cli/town.ts';
import { toml, sh, poll } from './monitor.test.ts';

// Rules: M-4, M-5, M-10, I-2.
test('a report is one message for the tag, polled once, and not sent again by a town that was killed', async () => {
  const town = await new TestTown(toml).up();
  await town.agent('w1', sh('while :; do date +%N; sleep 0.3; done'), '--tag', 'worker');
  await until(async () => (await town.data<unknown[]>('workers')).length === 1);
  expect((await town.run('report-status', 'complete', '--session', 'w1', '--outcome', 'partial')).code).toBe(0);
  const [alert] = await until(
    () => poll(town, '--after', 'none'),
    (all) => all.length > 0,
  );
  expect(alert).toMatchObject({
    msg_type: 'worker.complete',
    payload: { worker_name: 'w1', worker_id: town.life('w1')?.uuid, outcome: 'partial', completion_message: '' },
  });
  const { pid } = await town.status();
  killHard(pid);
  await town.status(({ pid: now, ready }) => ready && now !== pid);
  // Longer than a baseline and three more looks.
  await until(async () => (await town.data<{ intervals_unchanged: number }[]>('workers')).length === 1);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect((await poll(town, '--after', 'none')).map(({ id }) => id)).toEqual([alert?.id]);
  expect(await poll(town, '--after', alert?.id ?? '')).toEqual([]);
  expect(await poll(town)).toEqual([]);
});
