/** A slow, a full and a missing disk: the town is degraded, kills no agent, keeps its pid, and recovers by itself. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEAF, LiveTown, until } from '../crash/live.ts';
import { mayTrace } from '../crash/strike.ts';
import { faulty, setFaults } from './machine.ts';

/** As long as a hearing of the short windows takes, and more. */
const HEARING_MS = 3_000;

async function withSlowDisk(town: LiveTown, pid: number, meanwhile: () => Promise<void>): Promise<void> {
  if (!mayTrace()) {
    setFaults(town, 'slow');
    await meanwhile();
    setFaults(town);
    return;
  }
  const inject = 'inject=fsync,fdatasync:delay_enter=8000000';
  const args = ['-f', '-p', String(pid), '-o', '/dev/null', '-e', 'trace=fsync,fdatasync', '-e', inject];
  const tracer = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(tracer.stderr, 'data'); // `Process … attached`
  await meanwhile();
  tracer.kill('SIGINT');
  await once(tracer, 'exit');
}

test.concurrent('fsyncs of 8 s: degraded, exit 4, no process is signalled meanwhile, the same pid goes on', async () => {
  await using town = new LiveTown();
  const life = await town.up(faulty);
  await town.agent('deaf', DEAF);
  const before = await town.status();
  await withSlowDisk(town, life.child.pid ?? 0, async () => {
    town.accuse('deaf');
    const slow = await town.statusWhen(({ degraded }) => degraded.is);
    expect(slow.degraded.why).toMatch(/disk/);
    const said = await town.cli.run('status', '--json');
    expect([said.code, said.stderr]).toEqual([4, '']);
    expect(JSON.parse(said.stdout)).toMatchObject({ data: { running: true, degraded: true } });
    await pause(HEARING_MS);
    expect(town.verdicts()).toEqual({});
    expect(town.journal()).not.toMatch(/signal/i);
  });
  const after = await town.statusWhen(({ degraded }) => !degraded.is);
  expect([after.pid, after.epoch]).toEqual([before?.pid, before?.epoch]);
  expect(await town.verdict('deaf')).toBe('executed');
});

/** A root on a file system of its own of 2 MB; false = this machine does not let us mount. */
function mountSmall(town: LiveTown): boolean {
  const toml = execFileSync('cat', [join(town.root, 'town.toml')]);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=700', 'tmpfs', town.root], {
    stdio: 'ignore',
  });
  if (mounted.status === 0) town.cli.write('town.toml', toml);
  return mounted.status === 0;
}

function fill(file: string): void {
  for (let chunk = 65_536; chunk >= 1; chunk = Math.floor(chunk / 2)) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(chunk), { flag: 'a' });
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
  }
}

// Rules: I-10.
test.concurrent('a full disk in the middle of a hearing: degraded, no agent is killed, and it goes on when there is room', async () => {
  await using town = new LiveTown();
  const isMounted = mountSmall(town);
  try {
    await town.up(faulty);
    await town.agent('deaf', DEAF);
    town.accuse('deaf');
    await until(() => town.dances().get('deaf')?.stage === 'interrogating.listening');
    const stuffing = join(town.root, 'stuffing');
    if (isMounted) fill(stuffing);
    else setFaults(town, 'full');
    const full = await town.statusWhen(({ degraded }) => degraded.is);
    expect(full.degraded.why).toMatch(/ENOSPC|no space/i);
    expect((await town.cli.run('status')).code).toBe(4);
    await pause(HEARING_MS);
    expect(town.verdicts()).toEqual({});
    expect(town.dances().get('deaf')).toMatchObject({ killing: false, verdict: null });
    const [deaf] = await town.cli.data<{ name: string; alive: boolean }[]>('session', 'list');
    expect(deaf).toMatchObject({ name: 'deaf', alive: true });

    if (isMounted) rmSync(stuffing);
    else setFaults(town);
    const after = await town.statusWhen(({ degraded }) => !degraded.is);
    expect([after.pid, after.epoch]).toEqual([full.pid, full.epoch]);
    expect(await town.verdict('deaf')).toBe('executed');
  } finally {
    const town1 = await town.status();
    if (town1?.pid) process.kill(town1.pid, 'SIGKILL');
    if (isMounted) await until(() => spawnSync('umount', [town.root]).status === 0);
  }
});

test('a root that cannot be written, and a file where a folder should be: one sentence, and nothing runs', async () => {
  await using town = new LiveTown();
  for (const command of [['up'], ['daemon', 'run']]) {
    const nowhere = await town.cli.bare(['--root', '/proc/town-that-is-not', ...command]);
    expect(nowhere.code, nowhere.stderr).not.toBe(0);
    expect(nowhere.stderr).toContain('/proc/town-that-is-not');
    // In the foreground a first line says that no town is there yet.
    const isNews = (line: string): boolean => command[0] === 'daemon' && /there is no town at/.test(line);
    expect(
      nowhere.stderr
        .trim()
        .split('\n')
        .filter((line) => !isNews(line)),
    ).toHaveLength(1);
  }
  town.cli.write('daemon', 'a file');
  for (const command of [['up'], ['daemon', 'run']]) {
    const blocked = await town.cli.run(...command);
    expect(blocked.code, blocked.stderr).not.toBe(0);
    expect(blocked.stderr).toContain(join(town.root, 'daemon'));
    expect(blocked.stderr).not.toMatch(/^\s+at /m);
  }
});
