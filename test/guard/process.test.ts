import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { launchGuard, guardOrders } from '../../src/guard/launch.ts';
import { stopTown } from '../../src/guard/stop.ts';
import { gone, isAlive, newYard, WAIT, type Yard } from './yard.ts';

/** `daemon run` by hand: in the foreground, without a guard. */
function run(yard: Yard, env: Readonly<Record<string, string>> = {}) {
  const [node, ...args] = yard.command.filter((word) => word !== '--guarded');
  const child = spawn(node!, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  return { child, ended, stderr: text(child.stderr) };
}

// Rules: C-12.
test('two daemon runs at once: one runs, the other exits non-zero and names it', async () => {
  const yard = newYard();
  const runs = [run(yard), run(yard)];
  const first = await Promise.race(runs.map(async (one) => ({ one, code: await one.ended })));
  expect(first.code).toBe(5);
  const other = runs.find((one) => one !== first.one)!;
  const status = await yard.statusWhen((s) => s.ready);
  expect(status).toMatchObject({ pid: other.child.pid, guard_pid: null });
  const late = run(yard);
  expect(await late.ended).toBe(5);
  expect(await late.stderr).toContain(`pid ${String(other.child.pid)}`);
  other.child.kill('SIGTERM');
  expect(await other.ended).toBe(0);
});

// Rules: I-10.
test('a town that ends in order is no fall where the disk refuses its last note', async () => {
  const yard = newYard();
  const { child, ended, stderr } = run(yard);
  await yard.statusWhen((s) => s.ready);
  // As a full disk does, for each further byte.
  execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=0']);
  child.kill('SIGTERM');
  expect([await ended, await stderr]).toEqual([0, '']);
});

// Rules: C-17.
test.each([
  ['of a terminal ends in order', {}, 0],
  ['that systemd started ends so that systemd starts it anew', { NOTIFY_SOCKET: '/run/no-manager' }, 76],
  ['that launchd started ends so too', { XPC_SERVICE_NAME: 'dev.townwatch-root-123456' }, 76],
])('SIGHUP: a town without a guard %s', async (_, env, exit) => {
  const yard = newYard();
  const { child, ended } = run(yard, env);
  await yard.statusWhen((s) => s.ready);
  child.kill('SIGHUP');
  expect(await ended).toBe(exit);
});

test('up on a town that runs by hand says so; down ends it', async () => {
  const yard = newYard();
  const { child, ended } = run(yard);
  const { epoch } = await yard.statusWhen((s) => s.ready);
  expect(await yard.up()).toEqual({ pid: child.pid, guardPid: null, epoch, alreadyRunning: true });
  expect(await stopTown(yard.settings)).toMatchObject({ pid: child.pid, guardPid: null, forced: [] });
  expect(await ended).toBe(0);
});

// Rules: C-13.
test('the latch stops every starter: daemon run refuses, a guard ends without starting, up lifts it', async () => {
  const yard = newYard();
  await stopTown(yard.settings);
  const byHand = run(yard);
  expect(await byHand.ended).toBe(5);
  expect(await byHand.stderr).toMatch(/the town is stopped: town down, .*`town up` starts it again/);
  const guard = launchGuard(guardOrders(yard.settings, yard.command, null));
  await gone(guard.pid!);
  expect(yard.guardLog()).toContain('ends: the town is stopped');
  expect(yard.guardLog()).not.toContain('started the town');
  expect(await yard.up()).toMatchObject({ alreadyRunning: false });
});

// Rules: F-4.
test('a hung town is ended by force within its time', async () => {
  const yard = newYard({ downMs: 3_000 });
  const { pid } = await yard.up();
  process.kill(pid, 'SIGSTOP');
  expect(await stopTown(yard.settings)).toMatchObject({ pid, forced: [pid], left: [] });
  expect(isAlive(pid)).toBe(false);
});

// Rules: C-12.
test('a town that sees a newer epoch ends with 75, leaves every file, and its guard goes too', async () => {
  const yard = newYard();
  const { pid, guardPid, epoch } = await yard.up();
  writeFileSync(join(yard.root, 'daemon', 'epoch'), `${epoch + 1}\n`);
  await gone(pid);
  await gone(guardPid!);
  expect(yard.guardLog()).toContain('a newer town has the root');
  expect(existsSync(join(yard.root, 'daemon', 'daemon.pid'))).toBe(true);
});

test('what guard and town inherit is scrubbed, and their output goes to no pipe of the starter', async () => {
  const yard = newYard();
  const dirty = {
    ...process.env,
    npm_config_x: '1',
    INIT_CWD: '/x',
    NODE: '/x',
    TMUX: '/x,1,0',
    TMUX_PANE: '%1',
    TOWN_TOKEN: 'secret',
    PATH: `/x/node_modules/.bin:${process.env['PATH'] ?? ''}`,
  };
  // As `town up | cat`: the starter's output is a pipe, which ends only when no process holds it any more.
  const code = [
    `import { startTown } from ${JSON.stringify(fileURLToPath(new URL('../../src/guard/start.ts', import.meta.url)))};`,
    `const { pid, guardPid } = await startTown(${JSON.stringify(yard.settings)}, ${JSON.stringify({ command: yard.command })});`,
    'console.log(JSON.stringify([pid, guardPid]));',
  ].join('\n');
  const starter = spawn(process.execPath, ['--input-type=module-typescript', '-e', code], {
    env: dirty,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pids = JSON.parse(await text(starter.stdout)) as number[];
  expect(pids).toHaveLength(2);
  for (const pid of pids) {
    const names = readFileSync(`/proc/${String(pid)}/environ`, 'utf8').split('\0');
    expect(names.filter((entry) => /^(npm_|INIT_CWD=|NODE=|NODE_OPTIONS=|TMUX|TOWN_TOKEN=)/.test(entry))).toEqual([]);
    expect(names.find((entry) => entry.startsWith('PATH='))).not.toContain('node_modules/.bin');
  }
});

test('a root that cannot be written is refused in one sentence', async () => {
  const yard = newYard();
  writeFileSync(join(yard.root, 'file'), '');
  const settings = { ...yard.settings, root: join(yard.root, 'file', 'town') };
  const { startTown } = await import('../../src/guard/start.ts');
  await expect(startTown(settings)).rejects.toMatchObject({
    exit: 2,
    message: expect.stringContaining('--root') as string,
  });
});

test('garbage in the places of pid files, locks and epoch is survived', async () => {
  const yard = newYard();
  const daemon = join(yard.root, 'daemon');
  mkdirSync(daemon, { mode: 0o700 });
  for (const name of ['daemon.pid', 'guard.json', 'lock.db', 'guard-lock.db', 'epoch', 'guard.log']) {
    writeFileSync(join(daemon, name), 'garbage\n'.repeat(100));
  }
  const { pid } = await yard.up();
  expect(await yard.status()).toMatchObject({ pid, ready: true });
});

test('links in the places of pid files lead nowhere', async () => {
  const yard = newYard();
  const daemon = join(yard.root, 'daemon');
  mkdirSync(daemon, { mode: 0o700 });
  writeFileSync(join(yard.root, 'mine'), 'mine');
  for (const name of ['daemon.pid', 'guard.json']) symlinkSync(join(yard.root, 'mine'), join(daemon, name));
  await yard.up();
  await vi.waitFor(() => expect(readFileSync(join(daemon, 'guard.json'), 'utf8')).toContain('guard/1'), WAIT);
  expect(readFileSync(join(yard.root, 'mine'), 'utf8')).toBe('mine');
});
