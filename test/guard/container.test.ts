/** The town as process 1, as the command of a container: a pid namespace of its own, over the same root again and again. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { MAIN, type Ran, TestTown, until } from '../cli/town.ts';
import type { Status } from '../cli/views.ts';

const APART = ['--fork', '--pid', '--mount-proc', '--kill-child'];
/** A user who may not make namespaces does so as root of another one. */
const AS_ROOT = spawnSync('unshare', [...APART, 'true']).status === 0 ? [] : ['--user', '--map-root-user'];

class Container extends TestTown {
  /** Pid of its process 1, as the host sees it. */
  #first = 0;

  async start(): Promise<{ readonly stderr: Promise<string>; readonly ended: Promise<number | null> }> {
    const words = [...AS_ROOT, ...APART, process.execPath, MAIN, '--root', this.root, 'daemon', 'run'];
    const child = spawn('unshare', words, { env: this.env(), cwd: this.home, stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const stderr = text(child.stderr);
    const children = `/proc/${String(child.pid)}/task/${String(child.pid)}/children`;
    await until(() => readFileSync(children, 'utf8').trim() !== '');
    this.#first = Number(readFileSync(children, 'utf8').trim());
    await until(async () => (await this.run('status')).code === 0);
    return { stderr, ended };
  }

  override async bare(words: readonly string[]): Promise<Ran> {
    const into = [...(AS_ROOT.length === 0 ? [] : ['-U']), '-p', '-m', '-t', String(this.#first)];
    const child = spawn('nsenter', [...into, process.execPath, MAIN, ...words], { env: this.env(), cwd: this.home });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, stderr };
  }

  /** As the machine ends a container: at once, with all in it. */
  stop(): void {
    process.kill(this.#first, 'SIGKILL');
  }
}

// Rules: C-12.
test('it knows itself, says that it reaps nothing, starts again with the same pids, and ends in order', async () => {
  const town = new Container('[sessions]\nbackoff = "100ms"\nscan_every = "200ms"\n');
  const first = await town.start();
  const before = await town.data<Status>('status');
  expect(before).toMatchObject({ pid: 1, running: true, tmux_holder: { root: town.root, pid: 1 } });
  expect((await town.run('up')).stdout).toContain('runs already: town 1,');
  const refused = await town.run('daemon', 'run');
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('A town (pid 1) runs on')]);
  expect((await town.run('doctor')).stdout).toMatch(/process 1: this town is process 1.* below an init/s);
  await town.agent('builder', ['sleep', '100000'], '--restart', 'permanent');
  const life = town.record('builder')!.incarnation!;
  town.stop();
  await first.ended;
  expect(await first.stderr).toMatch(/^town: this town is process 1.*`docker run --init`/m);

  const second = await town.start();
  const now = await town.data<Status>('status');
  expect(now).toMatchObject({ pid: 1, tmux_holder: { root: town.root, pid: 1 } });
  expect(now.epoch).toBeGreaterThan(before.epoch);
  await town.viewed('builder', ({ state, alive, uuid }) => state === 'running' && alive === true && uuid !== life.uuid);
  expect((await town.run('daemon', 'status')).stdout).toContain('town 1, epoch');
  // All in a container end with its process 1, the command that asked for it too.
  await town.run('down');
  expect(await second.ended).toBe(0);
});
