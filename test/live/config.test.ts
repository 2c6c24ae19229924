/**
 * A town.toml that is broken while a town runs: a typed `up` is refused, but a town that its guard or a unit starts
 * again, and the commands that only read or file, go on with the text that a town last came up with.
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { exits, prints, TestTown, until } from '../cli/town.ts';
import { LiveTown } from '../crash/live.ts';
import type { Status } from '../cli/views.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));
const GOOD = 'daemon/town.toml.good';

const broken = async (): Promise<Status['alerts']> => {
  const alerts = await town.data<Status['alerts']>('alerts', 'list');
  return alerts.filter(({ episode }) => episode === 'config-broken');
};

test('a town that is killed while its town.toml is broken comes back with the last good one, and one alert', async () => {
  await town.up();
  expect(statSync(join(town.root, GOOD)).mode & 0o777).toBe(0o600);
  const { pid } = await town.status();
  town.configure('[dance\n');
  process.kill(pid, 'SIGKILL');
  await town.status((now) => now.running && now.ready && now.pid !== pid);
  const [alert] = await until(broken, (found) => found.length > 0);
  expect(alert).toMatchObject({
    severity: 'high',
    text: expect.stringMatching(
      /town\.toml line 3, column \d+: .*last good configuration.*town config check/,
    ) as string,
  });
  expect((await town.run('session', 'start', 'builder', '--', 'sleep', '1000')).code).toBe(0);
  exits(await town.run('warrant', 'file', 'builder', '--reason', 'it is silent'), 0, 'last good configuration');
  exits(await town.run('restart'), 2, 'line 3');

  town.configure();
  expect((await town.run('restart')).code).toBe(0);
  await until(async () => (await broken()).length === 0);
});

// Rules: law 8.
test('a town without rigs alerts of a town.toml that breaks or is gone while it runs, until that is mended', async () => {
  town.configure('[town]\nprotected = ["mayor*"]\n');
  await town.up();
  const good = town.read('town.toml');
  town.configure('[dance\n');
  const [alert] = await until(broken, (found) => found.length > 0);
  expect(alert?.text).toMatch(/town\.toml line 3, .*; until then the town goes by what it read before/);
  town.write('town.toml', good);
  await until(broken, (found) => found.length === 0);
  rmSync(join(town.root, 'town.toml'));
  expect((await until(broken, (found) => found.length > 0))[0]?.text).toMatch(/town\.toml is gone/);
  exits(await town.run('reload'), 2, 'is gone');
});

test('a town.toml that is gone is no wish for the defaults, an empty one is', async () => {
  await town.up();
  expect((await town.run('down')).code).toBe(0);
  rmSync(join(town.root, 'town.toml'));
  exits(await town.run('up'), 2, `cp ${join(town.root, GOOD)}`);
  exits(await town.run('status'), 3, 'is gone');
  town.write('town.toml', '');
  expect((await town.run('config', 'check')).code).toBe(0);
});

test('with the town down, what reads and files warns and goes on; what is about the configuration fails', async () => {
  await town.up();
  expect((await town.run('session', 'start', 'builder', '--', 'sleep', '1000')).code).toBe(0);
  expect((await town.run('down')).code).toBe(0);
  town.configure('colour = "red"\n');
  const reading: readonly (readonly [number, ...string[]])[] = [
    [3, 'status'] as const,
    [3, 'session', 'list'] as const,
    [0, 'why', 'builder'] as const,
    [0, 'dog', 'pool', 'status'] as const,
    [0, 'mail', 'inbox'] as const,
    [0, 'watch'] as const,
    [0, 'warrant', 'file', 'builder', '--reason', 'loops'] as const,
  ];
  for (const [code, ...words] of reading) {
    const ran = await town.run(...words);
    expect([words, ran.code, ran.stderr]).toEqual([words, code, expect.stringMatching(/^town: [^\n]*colour/)]);
    expect(ran.stderr.split('\n').filter((line) => line.includes('last good'))).toHaveLength(1);
  }
  for (const words of [['up'], ['config', 'check'], ['config', 'show']]) {
    const ran = await town.run(...words);
    expect([words, ran.code, ran.stderr]).toEqual([words, 2, expect.stringContaining('colour')]);
  }
  prints(await town.run('doctor'), 2, /bad\s+town\.toml: .*colour/);
  // By the last good one it is known where tmux is.
  expect((await town.run('down', '--purge')).code).toBe(0);
});

test('a root where no town came up yet has no last good text: all refuse', async () => {
  town.write('town.toml', 'broken = [');
  exits(await town.run('status'), 2, 'line 1');
});

test('`daemon run` without a guard comes back over a broken town.toml as a guarded town does; a first start of a guard refuses', async () => {
  await using live = new LiveTown('', { server: false });
  const right = live.cli.read('town.toml');
  const told = async (): Promise<Status['alerts']> => {
    const alerts = await live.cli.data<Status['alerts']>('alerts', 'list');
    return alerts.filter(({ episode }) => episode === 'config-broken');
  };
  live.cli.write('town.toml', `${right}[dance\n`);
  expect(await live.start().ended).toMatchObject({ code: 2, stderr: expect.stringContaining('line 3') as string });
  live.cli.write('town.toml', right);
  const first = await live.up();
  first.child.kill('SIGKILL');
  await first.ended;

  live.cli.write('town.toml', `${right}[dance\n`);
  for (const words of [['--guarded'], ['--set', 'dance.pool_size=many']]) {
    const refused = await live.start(undefined, null, ...words).ended;
    expect([words, refused.code, refused.stderr]).toEqual([words, 2, expect.stringContaining('line 3')]);
  }
  const again = await live.up();
  expect(await until(told, (found) => found.length > 0)).toMatchObject([
    { severity: 'high', text: expect.stringContaining('line 3') as string },
  ]);
  const { code, stderr } = await live.down(again);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^town: [^\n]*line 3[^\n]*last good configuration[^\n]*\n$/),
  ]);

  live.cli.write('town.toml', right);
  const last = await live.up();
  await until(async () => (await told()).length === 0);
  expect((await live.down(last)).code).toBe(0);
});
