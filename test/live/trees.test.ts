/** Whole trees of real programs, ended by the town as a caller of the command line sees it (D-10): daemons, lost panes. */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Dance, Proc } from '../../machines/protocol.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { exits, TestTown, until } from '../cli/town.ts';
import type { Warrant } from '../cli/views.ts';

const CODEX = join(import.meta.dirname, '../fixtures/agents/codex');
const processes = createProcesses();

/** A town that is up; it and all that was started with its HOME are ended after the test. */
async function liveTown(): Promise<TestTown> {
  const town = new TestTown('[dance]\nlook_every = "100ms"\ngone_again = "500ms"\nterm_grace = "300ms"\n');
  // What a sandbox left of a repository above all agents hides none and stops no execution.
  mkdirSync(join(town.home, '.git', 'objects'), { recursive: true });
  await town.up();
  return town;
}

/** Resolves with its process. */
async function start(town: TestTown, name: string, dir: string, ...command: string[]): Promise<Proc> {
  const folder = join(town.home, dir);
  mkdirSync(folder, { recursive: true });
  exits(await town.run('session', 'start', name, '--dir', folder, '--restart', 'temporary', '--', ...command), 0, '');
  const agent = town.record(name)?.incarnation?.agent;
  if (agent === undefined) throw new Error(`${name} has no process`);
  return agent;
}

async function judged(town: TestTown, ...filing: string[]): Promise<Warrant> {
  return town.closed(await town.data<Warrant>(...filing));
}

const killed = (town: TestTown, name: string): Promise<Warrant> => judged(town, 'session', 'kill', name, '--force');

const hearing = async (town: TestTown, { dance }: Warrant): Promise<Dance> =>
  (await town.data<{ record: Dance }>('dog', 'show', dance ?? '')).record;

/** Lines that the tool in this folder wrote so far. */
function linesIn(town: TestTown, dir: string): number {
  try {
    return statSync(join(town.home, dir, 'ticks')).size;
  } catch {
    return 0; // It has not begun.
  }
}

async function worksIn(town: TestTown, dir: string): Promise<void> {
  const before = linesIn(town, dir);
  await until(() => linesIn(town, dir) > before);
}

// Rules: D-10.
test('of two agents with one daemon the first ends with its tool; daemon, neighbour and its tool go on', async () => {
  const town = await liveTown();
  const home = join(town.home, 'codex');
  mkdirSync(home);
  const codex = ['env', `CODEX_HOME=${home}`, process.execPath, CODEX];
  const first = await start(town, 'first', 'one', ...codex);
  await worksIn(town, 'one');
  const second = await start(town, 'second', 'two', ...codex);
  await worksIn(town, 'two');
  const daemon = (await processes.carrying(`CODEX_HOME=${home}`)).find(({ pid }) =>
    processes.commandOf(pid)?.argv.includes('app-server'),
  );
  if (daemon === undefined) throw new Error('no daemon');

  const verdict = await killed(town, 'first');
  const left = `work may go on elsewhere: pid ${daemon.pid} codex app-server`;
  expect(verdict.reason).toBe(`killed by an operator without a hearing; ${left}`);
  expect(await hearing(town, verdict)).toMatchObject({ elsewhere: [{ ...daemon, program: 'codex app-server' }] });
  expect([first, daemon, second].map((proc) => processes.alive(proc))).toEqual([false, true, true]);
  const ended = linesIn(town, 'one');
  await worksIn(town, 'two');
  expect(linesIn(town, 'one'), 'a tool that ignores HUP and TERM').toBe(ended);

  // A third one in the folder of the second: nothing tells whose the tools there are.
  const third = await start(town, 'third', 'two', ...codex);
  const doubtful = await killed(town, 'second');
  expect(doubtful.reason).toContain(`${left}, pid `);
  await worksIn(town, 'two');
  expect([second, daemon, third].map((proc) => processes.alive(proc))).toEqual([false, true, true]);
  const shown = (await town.run('dog', 'show', doubtful.dance ?? '')).stdout;
  expect(shown).toContain('rescue      its folder is in no git worktree, so none of its files were saved');
  expect(shown).toContain(`elsewhere   work may go on in pids ${daemon.pid} (codex app-server), `);
  expect((await town.run('why', 'second', '--all')).stdout).toContain('left alone where its work may go on');
});

// Rules: D-10.
test('an agent that ignores HUP and outlives its pane is left to a person, and ended whole by force', async () => {
  const town = await liveTown();
  const deaf = 'trap "" HUP; (trap "" HUP TERM; setsid sleep 100000) & while :; do sleep 0.2; done';
  const agent = await start(town, 'deaf', 'deaf', 'bash', '-c', deaf);
  town.tmux('kill-session', '-t', '=deaf');
  const verdict = await judged(town, 'warrant', 'file', 'deaf', '--reason', 'it says nothing');
  expect(verdict).toMatchObject({
    verdict: 'escalated',
    reason: expect.stringMatching(
      new RegExp(
        `^it cannot be asked: .* gone, but its process ${agent.pid} lives on; to end it: .* kill deaf --force$`,
      ),
    ) as string,
  });
  expect(processes.alive(agent)).toBe(true);
  const forced = await killed(town, 'deaf');
  expect(forced).toMatchObject({ verdict: 'stopped', reason: 'killed by an operator without a hearing' });
  const { tree, survivors } = await hearing(town, forced);
  expect(tree?.length).toBeGreaterThan(2);
  expect([survivors, (tree ?? []).filter((proc) => processes.alive(proc))]).toEqual([[], []]);
});
