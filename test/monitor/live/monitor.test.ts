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

export const toml = '[watchdog]\npoll_interval_secs = 1\n';
export const sh = (script: string): string[] => ['bash', '-c', script];
export const poll = (town: TestTown, ...more: string[]): Promise<Alert[]> =>
  town.data<Alert[]>('alerts', 'poll', '--for', 'orchestrator', ...more);

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
  const { text } = orchestrate(town);
  const heard = (): string[] => [...text().matchAll(/^worker\.\w+ \w+: \w+$/gm)].map(([line]) => line).sort();
  await until(() => heard().length >= 2);
  const { pid } = await town.status();
  killHard(pid);
  await until(() => heard().length >= 3);
  // Once it has its answer it does nothing, and is stuck ten polls later.
  await worker('asking', [CLAUDE, 'at-once', 'rm x']);
  await until(() => heard().length >= 4);
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(heard()).toEqual([
    'worker.complete complete: collect_results',
    'worker.error error: investigate',
    'worker.needs_input asking: provide_input',
    'worker.stuck stuck: check_on_worker',
  ]);
  await until(() => town.tmux('capture-pane', '-p', '-t', 'asking').includes('chose Yes for rm x'));
  expect(readFileSync(join(town.home, 'last'), 'utf8')).toMatch(/^worker-\d+-/);
});
