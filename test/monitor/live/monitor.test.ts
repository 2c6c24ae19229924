/** The monitor on a real tmux: five workers, the example orchestrator, and a town that is killed in between (M-1 … M-5, M-10). */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, killHard, TestTown, until } from '../../cli/town.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');
const CLAUDE = join(import.meta.dirname, '../../fixtures/agents/asking/claude');

interface Alert {
  readonly id: string;
  readonly msg_type: string;
  readonly payload: { readonly worker_name: string; readonly worker_id: string };
}

const toml = '[watchdog]\npoll_interval_secs = 1\n';
const sh = (script: string): string[] => ['bash', '-c', script];
const poll = (town: TestTown, ...more: string[]): Promise<Alert[]> =>
  town.data<Alert[]>('alerts', 'poll', '--for', 'orchestrator', ...more);

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

/** What the example orchestrator printed so far. */
function orchestrate(town: TestTown): { readonly text: () => string } {
  let text = '';
  const env = town.env({ TOWN: `${process.execPath} ${MAIN} --root ${town.root}`, STATE: join(town.home, 'last') });
  const child = spawn(process.execPath, [join(EXAMPLES, 'orchestrator/orchestrator.mjs')], { cwd: town.home, env });
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { text: () => text };
}

// Rules: M-1, M-3, M-5, M-10, law 8.
test('the example orchestrator gets exactly four alerts of five workers, over a kill of the town', async () => {
  const town = await new TestTown(`${toml}stuck_threshold_intervals = 10\n`).up();
  const call = join(town.root, 'daemon/call-town');
  const worker = (name: string, command: readonly string[]): Promise<void> =>
    town.agent(name, command, '--tag', 'worker', '--restart', 'temporary');
  await worker('healthy', sh('while :; do date +%N; sleep 0.2; done'));
  await worker(
    'error',
    sh(
      "test -e again && exec sh -c 'while :; do date +%N; sleep 0.2; done'; touch again; sleep 3; echo \"Error: Cannot find module 'foo'\"; while :; do date +%N; sleep 0.2; done",
    ),
  );
  await worker('stuck', sh('echo Processing file 42 of 100...; exec sleep 1000'));
  await worker(
    'complete',
    sh(`sleep 3; sh ${call} report-status complete --outcome success -m done; while :; do date +%N; sleep 0.2; done`),
  );
  await worker('asking', [CLAUDE, 'at-once', 'rm x']);
  const { text } = orchestrate(town);
  const heard = (): string[] => [...text().matchAll(/^worker\.\w+ \w+: \w+$/gm)].map(([line]) => line).sort();
  await until(() => heard().length >= 2);
  const { pid } = await town.status();
  killHard(pid);
  await until(() => heard().length >= 4);
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  expect(heard()).toEqual([
    'worker.complete complete: collect_results',
    'worker.error error: investigate',
    'worker.needs_input asking: provide_input',
    'worker.stuck stuck: check_on_worker',
  ]);
  await until(() => town.tmux('capture-pane', '-p', '-t', 'asking').includes('chose Yes for rm x'));
  expect(readFileSync(join(town.home, 'last'), 'utf8')).toMatch(/^worker-\d+-/);
});
