/** Which processes the kernel ends first when memory is used up: their values in /proc, on real tmux. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createProcesses } from '../../../src/proc/processes.ts';
import { runMarked } from '../../../src/proc/marked-run.ts';
import { MAIN, TestTown, until } from '../../cli/town.ts';
import { tempFolder } from '../../world/over.ts';

const scoreOf = (pid: number | string): number => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'));
/** Of this test, and so of what it starts. */
const OWN = scoreOf('self');
const AGENT = Math.max(OWN, 500);

const processes = createProcesses();

/** The scores of a town's own processes. */
async function ownScores(town: TestTown): Promise<Record<string, number>> {
  const { pid, guard_pid: guard } = await town.status((now) => now.guard_pid !== null);
  const server = Number(town.tmux('display-message', '-p', '#{pid}'));
  return { town: scoreOf(pid), guard: scoreOf(guard ?? 0), server: scoreOf(server) };
}
const of = (score: number) => ({ town: score, guard: score, server: score });

test('an agent and all that it starts go before the tmux server, the town and its guard', async () => {
  const town = await new TestTown().up();
  // A child from its first moment on, and one that comes later.
  await town.agent('builder', ['sh', '-c', 'sleep 100001 & sleep 1; sleep 100002']);
  const agent = (await until(() => town.life('builder')))?.agent.pid ?? 0;
  const below = await until(
    async () => (await processes.children()).get(agent) ?? [],
    (pids) => pids.length === 2 && pids.every((pid) => processes.commandOf(pid)?.argv[1]?.startsWith('10000') === true),
  );
  expect([agent, ...below].map(scoreOf)).toEqual([AGENT, AGENT, AGENT]);
  expect(await ownScores(town)).toEqual(of(OWN));
});

test('a town that is started from an agent’s pane goes no sooner for that, and no later', async () => {
  const town = new TestTown();
  const words = `"${process.execPath}" "${MAIN}" --root "${town.root}"`;
  // As a manager of services starts it.
  const score = Math.max(OWN, 200);
  const inShell = `echo ${score} >/proc/self/oom_score_adj; exec ${words} up`;
  expect(await town.bare([inShell], { node: 'sh', main: '-c' })).toMatchObject({ code: 0 });
  const before = (await town.status()).pid;
  await town.agent('shell', [
    'sh',
    '-c',
    `unset TOWN_TOKEN; ${words} down; ${words} up; echo $? >"${town.root}/came"; exec sleep 1000`,
  ]);
  await town.status(({ running, pid }) => running && pid !== before);
  await until(() => town.read('came') === '0\n');
  expect(scoreOf(town.life('shell')?.agent.pid ?? 0)).toBe(AGENT);
  expect(await ownScores(town)).toEqual(of(score));
});

test('without tmux too; so also a command of the user’s that the town runs', async () => {
  const town = new TestTown('[sessions]\nscan_every = "100ms"\n');
  const env = { PATH: town.programs('sh', 'sleep', 'env') };
  const run = (...words: string[]) => town.bare(['--root', town.root, ...words], { env });
  await run('up');
  await run('session', 'start', 'one', '--', 'sh', '-c', 'sleep 1; sleep 100003');
  expect(scoreOf((await until(() => town.life('one')))?.agent.pid ?? 0)).toBe(AGENT);

  const ran = await runMarked({
    mark: { name: 'TOWN_TEST_RUN', id: town.root },
    command: ['sh', '-c', 'sleep 0.2; cat /proc/self/oom_score_adj'],
    dir: tempFolder('out-of-memory'),
    env: { PATH: process.env['PATH'] ?? '' },
    deadlineMs: 60_000,
    cancelled: new AbortController().signal,
    policy: { killGraceMs: 1_000, maxOutputBytes: 1_000 },
    processes,
  });
  expect(ran).toMatchObject({ is: 'done', output: `${AGENT}\n` });
});
