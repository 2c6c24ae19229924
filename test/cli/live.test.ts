import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { FILES } from '../../state/files/layout.ts';
import { noteText } from '../../state/watchdog/records.ts';
import { PROCESS } from '../../src/ports/policy.ts';
import { connectTown } from '../../src/socket/client.ts';
import { exits, MAIN, TestTown, until } from './town.ts';
import type { Warrant } from './views.ts';

interface Shown {
  readonly record: { readonly attempt: number; readonly attempts: readonly { readonly code: string }[] };
}

let town: TestTown;

beforeAll(() => {
  town = new TestTown();
});

test('up, a session, a hearing answered by its code, down: the agent outlives the town', async () => {
  const started = await town.run('up', '--json');
  expect([started.code, started.stderr]).toEqual([0, '']);
  const first = (JSON.parse(started.stdout) as { data: { pid: number } }).data;
  const again = await town.data('up');
  expect(again).toMatchObject({ pid: first.pid, already_running: true });

  const second = await town.run('daemon', 'run');
  expect(second.code).not.toBe(0);
  expect(second.stderr).toContain(String(first.pid));

  // The agent leaves its token where the test finds it, and reads on for ever.
  exits(
    await town.run(
      'session',
      'start',
      'builder',
      '--dir',
      town.home,
      '--tag',
      'worker',
      '--',
      'sh',
      '-c',
      'printf %s "$TOWN_TOKEN" > token.tmp; mv token.tmp token; while :; do sleep 1; done',
    ),
    0,
    '',
  );
  exits(await town.run('session', 'start', 'builder', '--', 'sh'), 1, /builder is (running|starting) already/);

  const status = await town.status();
  expect(status).toMatchObject({
    running: true,
    pid: first.pid,
    degraded: false,
    sessions: [{ name: 'builder', alive: true }],
  });
  expect(status.guard_pid).toBeGreaterThan(1);
  expect(status.actors.length).toBeGreaterThan(3);
  for (const actor of status.actors) expect(Object.keys(actor).sort()).toEqual(['id', 'restarts', 'state']);

  const { id } = await town.data<Warrant>('warrant', 'file', 'builder', '--reason', 'it is silent');
  await until(async () => (await town.data<Warrant>('warrant', 'show', id)).state === 'dancing');
  const { record } = await until(
    () => town.data<Shown>('dog', 'show', id),
    ({ record: { attempts } }) => attempts.length > 0,
  );
  const code = record.attempts[record.attempt - 1]?.code ?? '';
  const token = await until(
    async () => spawnSync('cat', ['token'], { cwd: town.home, encoding: 'utf8' }).stdout,
    (text) => text !== '',
  );
  const rival = ['session', 'start', 'rival', '--', 'sleep', '60'];
  expect((await town.as(token, ...rival)).stderr).toMatch(/starting rival is for the operator.*builder calls/);
  const agent = await connectTown(town.root, PROCESS, token);
  const spec = { ...town.record('builder')!.spec, name: 'rival' };
  expect(await agent.request({ verb: 'startSession', spec })).toMatchObject({ exit: 5, code: 'operator_only' });
  await expect(agent.stop()).rejects.toThrow(/stopping the town is for the operator/);
  agent.close();
  expect(town.record('rival')).toBeNull();
  expect((await town.as(token, 'session', 'start', 'builder')).stderr).toMatch(/builder is running already/);
  expect((await town.run('why', 'builder', '--all')).stdout).toMatch(
    /the operator asked for its start[\s\S]*builder asked for its start/,
  );

  expect((await town.as(token, 'alive', code.toLowerCase())).stderr).toBe('');
  expect((await town.closed({ id })).verdict).toBe('pardoned');
  expect((await town.run('why', 'builder', '--all')).stdout).toMatch(
    /the hearing ended: pardoned: answered: town alive/,
  );

  exits(await town.run('down'), 0, '');
  const after = await town.run('status', '--json');
  expect(after.code).toBe(3);
  expect(JSON.parse(after.stdout)).toMatchObject({
    data: { running: false, sessions: [{ name: 'builder', alive: true }] },
  });
});

test('a town.toml that was broken while the town runs does not keep `down` from stopping it', async () => {
  const broken = await new TestTown().up();
  broken.configure('broken = [');
  rmSync(join(broken.root, 'daemon/town.toml.good')); // else all of it goes by that one
  exits(await broken.run('down', '--purge'), 2, /town\.toml line 3.*mend that line/);
  expect((await broken.run('health')).code).toBe(0);
  const down = await broken.run('down');
  expect([down.code, down.stdout]).toEqual([0, expect.stringMatching(/^the town is down \(town \d+, guard \d+\)/)]);
  expect(down.stderr).toMatch(/town\.toml line 3.*mend that line/);
  expect((await broken.run('health')).code).toBe(3);
});

test('a disk that takes no latch does not keep `down` from stopping the town', async () => {
  const stuck = await new TestTown().up();
  stuck.write('daemon/stopped/folder', 'in the way');
  rmSync(`${stuck.root}/quarantine`, { recursive: true });
  stuck.write('quarantine', 'so that it cannot be put away');
  const down = await stuck.run('down');
  expect([down.code, down.stdout]).toEqual([0, expect.stringMatching(/^the town is down \(town \d+, guard \d+\)/)]);
  expect(down.stderr).toMatch(
    /^town: daemon\/stopped could not be written, so a starter may not see it: .*folder.*move it away/m,
  );
  expect((await stuck.run('health')).code).toBe(3);
  exits(
    await stuck.run('down'),
    2,
    /quarantine is a file where a folder of the town goes; move it away and try again\n$/,
  );
});

// Rules: F-1.
test('the first up of a root says what it found and that it touches nothing; a pipe ends', async () => {
  const bare = new TestTown();
  const { socket } = bare;
  const run = (line: string): { stdout: string; status: number | null } =>
    spawnSync('sh', ['-c', line], {
      env: bare.env({ TOWN_TMUX_SOCKET: socket, TOWN_ROOT: `${bare.home}/fresh` }),
      cwd: bare.home,
      encoding: 'utf8',
    });
  const town1 = `'${process.execPath}' '${MAIN}'`;
  spawnSync('tmux', ['-f', '/dev/null', '-S', socket, 'new-session', '-d', '-s', 'mine', 'sleep 100'], {
    env: bare.env(),
  });
  const { stdout } = run(`${town1} up | cat`);
  expect(stdout).toMatch(
    /^root {11}.*\/fresh \(from TOWN_ROOT\)\ntmux socket {4}.*\nsessions seen {2}mine\nI will touch: none\n/,
  );
  expect(stdout).toMatch(/is up: town \d+, guard \d+/);
  expect(run(`${town1} down --purge`).status).toBe(0);
  expect(spawnSync('tmux', ['-S', socket, 'ls', '-F', '#S'], { env: bare.env(), encoding: 'utf8' }).stdout).toBe(
    'mine\n',
  );
});

test('the pool is as large as the running town has it, and as configured when it is down', async () => {
  const small = new TestTown('[dance]\npool_size = 7\n');
  const sizes = async (): Promise<number[]> => {
    const { size } = await small.data<{ size: number }>('dog', 'pool', 'status');
    const { pool } = await small.data<{ pool: { size: number } }>('boot', 'status');
    return [size, pool.size];
  };
  expect(await sizes()).toEqual([7, 7]);
  expect((await small.run('up', '--set', 'dance.pool_size=1')).code).toBe(0);
  expect(await sizes()).toEqual([1, 1]);
  expect((await small.run('dog', 'pool', 'status')).stdout).toBe('0 of 1 dogs are at work; 0 warrants wait\n');
  await small.run('down');
  expect(await sizes()).toEqual([7, 7]);
});

// Rules: C-2.
test('a mark of Boot that a killed town left is none of a Boot that runs, and keeps the next town from no triage', async () => {
  const left = new TestTown();
  const status = () => left.data<{ running_since: string | null; last: { action: string } | null }>('boot', 'status');
  const marked = async (at: number): Promise<string | null> => {
    left.write(FILES.bootRunning, noteText('bootRunning', { at }));
    return (await status()).running_since;
  };
  const before = Date.now();
  await marked(before);
  await left.up();
  expect((await until(status, ({ last }) => last !== null)).last).toMatchObject({ action: 'NOTHING' });
  expect(await marked(before)).toBeNull();
  const now = Date.now();
  expect(await marked(now)).toBe(new Date(now).toISOString());
});
