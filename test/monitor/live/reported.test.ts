/** What an agent reports of itself, as `status` and `session list` show it (M-2). */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exits, killHard, TestTown, until } from '../../cli/town.ts';

interface Shown {
  readonly state: string;
  readonly screen: { readonly state: string; readonly source: string | null; readonly since: string | null } | null;
}

// Rules: M-2, M-13, law 3.
test('a report is how its agent is, with source and age, of that life alone, also while the town is down', async () => {
  const town = await new TestTown().up();
  await town.agent('w1', ['sleep', '1000'], '--restart', 'permanent');
  const shown = (): Promise<Shown> => town.data<Shown>('session', 'status', 'w1');
  exits(await town.run('report-status', 'waiting_for_input', '-m', 'which database?', '--session', 'w1'), 0, '');
  const { screen } = await shown();
  expect(screen).toMatchObject({ state: 'asks', source: 'its own report' });
  expect(Date.parse(screen?.since ?? '')).toBeGreaterThan(0);
  exits(await town.run('down'), 0, '');
  // Exit 3 = no town runs, and what is shown is true.
  const down = await town.run('--json', 'session', 'status', 'w1');
  expect([down.code, JSON.parse(down.stdout)]).toMatchObject([3, { data: { screen: { source: 'its own report' } } }]);
  await town.up();
  const first = town.life('w1');
  killHard(first?.agent.pid ?? 0);
  await until(
    () => Promise.resolve(town.life('w1')),
    (life) => life !== null && life.uuid !== first?.uuid,
  );
  expect((await shown()).screen?.source).not.toBe('its own report');
});

// Rules: P-4, M-2.
test('what an agent reports that it needs is asked of a person, in its words, until it reports otherwise', async () => {
  const town = await new TestTown('[hands]\nasks_after = "1s"\n[sessions]\nscan_every = "100ms"\n').up();
  await town.agent('w1', ['sleep', '1000']);
  const reports = async (...words: string[]) =>
    exits(await town.run('report-status', ...words, '--session', 'w1'), 0, '');
  const status = async (): Promise<string> => (await town.run('status')).stdout;
  await reports('blocked', '-m', 'which database?');
  const asked = 'w1 waits for a person. It reported: "which database?".';
  await until(status, (text) => text.includes(asked));
  expect((await town.run('questions')).stdout).toContain(asked);
  await reports('error', '-m', 'no disk');
  await until(status, (text) => !text.includes(asked) && text.includes('ended with an error: "no disk"'));
  await reports('working');
  await until(status, (text) => !text.includes('no disk'));
});

interface Asked {
  readonly kind: string;
  readonly text: string;
  readonly session: string | null;
}

// Rules, law 8.
test('what an agent reports at an empty prompt that its pack knows stands in all lists, and its next question is told too', async () => {
  const town = await new TestTown('[hands]\nasks_after = "1s"\n[sessions]\nscan_every = "100ms"\n').up();
  await town.agent('builder', [join(import.meta.dirname, '../../fixtures/agents/claude'), 'bare']);
  await until(
    () => town.data<Shown>('session', 'status', 'builder'),
    ({ screen }) => screen?.state === 'idle',
  );
  const asks = (): Promise<Asked[]> => town.data<Asked[]>('questions');
  const reports = async (message: string) => {
    exits(await town.run('report-status', 'waiting_for_input', '-m', message, '--session', 'builder'), 0, '');
    return until(asks, (all) => all.some(({ text }) => text.includes(message)));
  };
  expect(await reports('which database?')).toMatchObject([{ kind: 'alert', session: 'builder' }]);
  expect(await town.data('ask', 'list')).toMatchObject([{ alerts: ['needs-input/builder'] }]);
  expect((await town.run('ask', 'show', 'needs-input/builder')).stdout).toContain('which database?');
  // Its report hides no dialog that might still stand.
  exits(await town.run('ask', 'show', 'dialog-902417317240317'), 3, /is open: it was answered, or its cause is over/);
  expect((await town.run('ack', 'builder')).code).toBe(0);
  expect(await asks()).toMatchObject([{ session: 'builder', isAcked: true }]);
  expect(await reports('which port?')).toHaveLength(1);
  expect(await town.data('alerts', 'list')).toMatchObject([{ episode: 'needs-input/builder', acked: null }]);
});

// Rules: M-5, law 8.
test('an agent that changes its report again and again sends its budget of messages, and is one alert with a number', async () => {
  const town = await new TestTown('[watchdog]\npoll_interval_secs = 1\nreports_per_hour = 2\n').up();
  await town.agent('w1', ['sleep', '1000'], '--tag', 'worker');
  const workers = (): Promise<readonly { readonly message: string | null }[]> => town.data('workers');
  await until(workers, (all) => all.length === 1);
  for (let n = 1; n <= 6; n += 1) {
    const words = [n % 2 === 0 ? 'error' : 'complete', '-m', `report ${n}`];
    exits(await town.run('report-status', ...words, '--session', 'w1'), 0, '');
    await until(workers, ([one]) => one?.message === `report ${n}`);
  }
  // The last one waits for the budget.
  const told = 'w1 changes its report again and again: 3 reports or more were not sent';
  await until(async () => (await town.run('status')).stdout.includes(told));
  const sent = await town.data<readonly { readonly msg_type: string }[]>('alerts', 'poll', '--for', 'orchestrator');
  expect(sent).toHaveLength(2);
  const about = (await town.episodes()).filter((one) => one.startsWith('worker-reports-again'));
  expect(about).toEqual(['worker-reports-again/w1']);
});
