/** `npm install -g` of another version, and the removal of the package, while a town runs from it and hears an agent. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { connectTown } from '../../src/socket/client.ts';
import { PACKAGE, Packed } from './packed.ts';
import { type Ran, type RunOptions, TestTown, until } from './town.ts';
import type { Warrant } from './views.ts';

const packed = new Packed();
beforeAll(async () => {
  await packed.pack();
  await packed.run('npm', 'install', '-g', packed.tarball);
}, 600_000);

const WINDOWS = '[dance]\nwindows = ["6s", "6s", "6s"]\nlook_every = "200ms"\nterm_grace = "500ms"\n';
const PACE =
  '[hands]\nevidence_after = "300ms"\ncpu_above = 100000\n[patrol]\nidle = "3s"\nactive = "3s"\nrest = "1s"\n';

/** Whether a process is gone, or is a zombie: tmux reaps its children at its leisure. */
function hasEnded(pid: number): boolean {
  const words = `/proc/${String(pid)}/cmdline`;
  return !existsSync(words) || readFileSync(words, 'utf8') === '';
}

/** A town of the installed package. */
class InstalledTown extends TestTown {
  readonly repo = join(this.home, 'repo');

  override async bare(words: readonly string[], { env = {}, cwd = this.home }: RunOptions = {}): Promise<Ran> {
    const child = spawn(packed.at('prefix/bin/town'), words, {
      cwd,
      env: this.env(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, stderr };
  }

  git(...words: string[]): string {
    const id = ['-c', 'user.name=t', '-c', 'user.email=t@t.example'];
    return execFileSync('git', ['-C', this.repo, ...id, ...words], { encoding: 'utf8', stdio: 'pipe' });
  }

  /** A repository that is a rig too, and an agent that is silent in it over work that nothing else has. */
  async silentAgent(): Promise<void> {
    mkdirSync(this.repo);
    this.git('init', '-q', '-b', 'main');
    this.git('commit', '-q', '--allow-empty', '-m', 'begin');
    writeFileSync(join(this.repo, 'work.txt'), 'the work of a night\n');
    await this.run('rig', 'add', 'shop', '--repo', this.repo);
    const ran = await this.run('session', 'start', 'builder', '--dir', this.repo, '--', 'sleep', '100000');
    if (ran.code !== 0) throw new Error(ran.stderr);
  }

  /** Accused, and asked. */
  async heard(): Promise<{ readonly warrant: Warrant; readonly pid: number }> {
    const { pid } = (await this.view('builder'))!;
    const warrant = await this.accuse('builder');
    await until(() => this.tmux('capture-pane', '-p', '-t', 'builder').includes('HEALTH CHECK'));
    return { warrant, pid };
  }

  /** Executed, with its work saved. */
  async isJudged({ warrant, pid }: Awaited<ReturnType<InstalledTown['heard']>>): Promise<void> {
    await until(() => this.names('deacon/dogs/completed').length > 0);
    const [file = ''] = this.names('deacon/dogs/completed');
    expect(this.read(`deacon/dogs/completed/${file}`)).toMatch(/"verdict": ?"executed"/);
    expect(this.read(`deacon/dogs/completed/${file}`)).toContain(warrant.id);
    await until(() => hasEnded(pid));
    const saved = this.git('for-each-ref', '--format=%(refname)', 'refs/town/rescue').trim().split('\n');
    expect(this.git('show', `${saved[0] ?? ''}:work.txt`)).toBe('the work of a night\n');
  }
}

interface Health {
  readonly well: boolean;
  readonly changes: readonly string[];
  readonly ages_ms: Readonly<Record<string, number | null>>;
}

// Rules: D-10.
test('npm install -g of another version: the hearing goes on to its end, and the guard restarts the town with the new one', async () => {
  const town = new InstalledTown(`${WINDOWS}${PACE}`);
  await town.up();
  await town.silentAgent();
  const first = await town.status();
  const heard = await town.heard();
  await packed.run('npm', 'install', '-g', await packed.renamed('9.9.9'));
  await town.isJudged(heard);
  const now = await town.status((status) => status.epoch > first.epoch && status.ready && status.guard_pid !== null);
  expect(now).toMatchObject({ version: '9.9.9' });
  await town.status(({ guard_pid: guard }) => guard !== null && guard !== first.guard_pid);
  expect(await town.data<Health>('health')).toMatchObject({ well: true, changes: [] });
  expect((await town.status()).alerts.filter(({ episode }) => episode.includes('package'))).toEqual([]);
});

// Rules: D-10.
test('the package is removed: the hearing goes on to its end, patrols go on, and health names it', async () => {
  const town = new InstalledTown(`${WINDOWS}${PACE}`);
  await town.up();
  await town.silentAgent();
  const ask = async (): Promise<{ readonly health: Health; readonly degraded: { readonly why: string | null } }> => {
    const client = await connectTown(town.root);
    const status = await client.status();
    client.close();
    return status as never;
  };
  const ageOf = async (): Promise<number | null> => (await ask()).health.ages_ms['patrol of shop'] ?? null;
  await until(async () => (await ageOf()) !== null);
  const heard = await town.heard();
  renameSync(packed.at(PACKAGE), packed.at('away'));
  try {
    await town.isJudged(heard);
    await until(async () => (await ask()).degraded.why?.includes('was removed while its town runs') === true);
    // The thread of the patrols ends when it was not needed for a second, and begins anew for the next.
    let last = 0;
    for (let rounds = 0; rounds < 2;) {
      const age = (await ageOf()) ?? 0;
      if (age < last) rounds += 1;
      last = age;
      await pause(100);
    }
    expect(town.read('daemon/daemon.log')).not.toContain('Cannot find module');
  } finally {
    renameSync(packed.at('away'), packed.at(PACKAGE));
  }
});
