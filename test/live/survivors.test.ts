/** What an agent leaves running when it dies, over five restarts of the real program on a real tmux server (C-6). */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Proc } from '../../machines/protocol.ts';
import type { Overview } from '../../src/overview/overview.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { exits, killHard, TestTown, until } from '../cli/town.ts';

const LIVES = 6;
const processes = createProcesses();

/**
 * Notes which of its earlier copies live, forks a child into a session of its own that ignores HUP and TERM, and dies; the
 * last life stays.
 */
const FORKER = `
for pid in $(cat copies 2>/dev/null); do grep -qs '^State:.[^Z]' /proc/$pid/status && echo $pid >> beside; done
setsid sh -c 'trap "" HUP TERM; echo $$ >> copies; exec sleep 100000' &
while [ "$(wc -l < copies)" -le "$(wc -l < lives)" ]; do sleep 0.05; done
echo life >> lives
[ "$(wc -l < lives)" -ge ${LIVES} ] && exec sleep 100000
exit 3
`;

class Forkers {
  readonly town: TestTown;
  readonly dir: string;

  constructor(toml: string) {
    this.town = new TestTown(
      `${toml}\nbackoff = "100ms"\nmax_backoff = "300ms"\nscan_every = "200ms"\nsurvivors_every = "300ms"\n[dance]\nterm_grace = "300ms"\n`,
    );
    this.dir = join(this.town.home, 'work');
    mkdirSync(this.dir);
    for (const name of ['copies', 'beside', 'lives']) writeFileSync(join(this.dir, name), '');
  }

  async start(name: string, ...command: string[]): Promise<void> {
    const words = [
      'session',
      'start',
      name,
      '--dir',
      this.dir,
      '--restart',
      'permanent',
      '--no-wait',
      '--',
      ...command,
    ];
    exits(await this.town.run(...words), 0, '');
  }

  lines(name: string): string[] {
    return readFileSync(join(this.dir, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  }

  /** Copies that were ever forked, and live. */
  copies(): Proc[] {
    return this.lines('copies')
      .map((pid) => processes.proc(Number(pid)))
      .filter((proc) => proc !== null);
  }

  async lastLife(): Promise<void> {
    await until(
      () => [this.lines('lives').length, this.town.record('forker')?.state],
      ([lives, state]) => lives === LIVES && state === 'running',
    );
  }

  async told(name: string): Promise<{ survivors: readonly string[]; alerts: readonly string[]; note: string }> {
    const { sessions, alerts } = await this.town.data<Overview>('status');
    const found = sessions?.find((one) => one.name === name);
    const texts = alerts?.filter(({ episode }) => episode === `survivors/${name}`).map(({ text }) => text);
    return { survivors: found?.survivors ?? [], alerts: texts ?? [], note: found?.note ?? '' };
  }

  /** What is told of `forker`, once it is so. */
  tells(is: (told: Awaited<ReturnType<Forkers['told']>>) => boolean) {
    return until(() => this.told('forker'), is);
  }

  killTown(): number {
    const { pid } = JSON.parse(this.town.read('daemon/daemon.pid')) as { pid: number };
    killHard(pid);
    return pid;
  }
}

// Rules: C-6.
test('what five dead lives left is named in status and in one alert, also after a kill -9 of the town, until it is gone', async () => {
  const forkers = new Forkers('[sessions]');
  const { town } = forkers;
  await town.up();
  await forkers.start('forker', 'sh', '-c', FORKER);
  await forkers.lastLife();
  expect(forkers.copies()).toHaveLength(LIVES);
  const left = forkers.copies().slice(0, -1);
  const named = left.map(({ pid }) => `${pid} sleep`);
  const all = (told: { survivors: readonly string[] }): boolean => named.every((one) => told.survivors.includes(one));

  const told = await forkers.tells(all);
  expect(told.survivors).toHaveLength(left.length);
  expect(told.alerts).toHaveLength(1);
  expect(told.alerts[0]).toContain(`5 processes of 5 earlier lives: pid ${left[0]?.pid ?? ''} sleep`);
  expect(told.note).toContain('5 processes of 5 earlier lives');

  const pid = forkers.killTown();
  await until(
    () => (JSON.parse(town.read('daemon/daemon.pid')) as { pid: number }).pid,
    (now) => now !== pid && processes.proc(now) !== null,
  );
  expect(
    (
      await until(
        () => forkers.told('forker').catch(() => null),
        (now) => now !== null && all(now),
      )
    )?.alerts,
  ).toHaveLength(1);
  expect((await town.run('why', 'forker', '--all')).stdout).toContain('earlier lives');

  for (const proc of left) processes.signal(proc, 'KILL');
  const over = await forkers.tells(({ alerts }) => alerts.length === 0);
  expect(over.survivors).toEqual([]);
  expect(town.record('forker')?.remains).toBeUndefined();
  expect(forkers.copies(), 'that of the living agent').toHaveLength(1);
});

// Rules: C-6.
test('where they are to be ended none is left beside any start, their work is saved first, and a town killed meanwhile goes on', async () => {
  const forkers = new Forkers('[sessions]\nsurvivors = "end"');
  const { town, dir } = forkers;
  const git = (...args: string[]): string =>
    spawnSync('git', args, { cwd: dir, env: town.env(), encoding: 'utf8' }).stdout;
  git('init', '-q');
  await town.up();
  await forkers.start('forker', 'sh', '-c', FORKER);
  await until(() => town.names('journal').some((day) => town.read(`journal/${day}`).includes('survivors.signalled')));
  forkers.killTown();
  await forkers.lastLife();
  expect(forkers.lines('beside')).toEqual([]);
  expect(forkers.copies()).toHaveLength(1);
  expect(forkers.lines('copies')).toHaveLength(LIVES);
  const kept = git('for-each-ref', '--format=%(refname)').trim().split('\n');
  expect(kept).toHaveLength(LIVES - 1);
  expect(git('show', `${kept[0] ?? ''}:lives`)).toContain('life');
  await forkers.tells(({ alerts, survivors }) => alerts.length + survivors.length === 0);
  const why = (await town.run('why', 'forker', '--all')).stdout;
  expect(why).toMatch(/KILL was ordered for 1 process that an earlier life of it had left/);
  expect(why).toMatch(/files? of its work (was|were) saved under refs\/town\/rescue\/life-/);
});

test('a process without the mark is known by the tree that it was seen in; what stands in no tree is no agent’s', async () => {
  const forkers = new Forkers('[hands]\ncpu_sample_every = "100ms"\n[sessions]');
  const { town } = forkers;
  await town.up();
  const agent = 'env -i setsid sleep 100001 & echo $! >> copies; while [ ! -e go ]; do sleep 0.1; done; rm go; exit 3';
  await forkers.start('forker', 'sh', '-c', agent);
  const stranger = spawnSync('sh', ['-c', 'setsid sleep 100002 >/dev/null 2>&1 & echo $!'], {
    env: town.env(),
    encoding: 'utf8',
  });
  await until(() => forkers.copies().length === 1);
  await new Promise((resolve) => setTimeout(resolve, 2_000)); // so long it is seen below its agent
  writeFileSync(join(forkers.dir, 'go'), '');
  await until(() => forkers.copies().length === 2);
  const [copy] = forkers.copies();
  const told = await forkers.tells(({ survivors }) => survivors.length > 0);
  expect(told.survivors).toEqual([`${copy?.pid ?? ''} sleep`]);
  expect(processes.proc(Number(stranger.stdout))).not.toBeNull();
  for (const proc of forkers.copies()) processes.signal(proc, 'KILL');
});
