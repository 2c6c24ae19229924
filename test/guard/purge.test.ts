/** The shipped command with the real engine on a real tmux server of our own. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAlive, WAIT } from './yard.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

interface House {
  readonly root: string;
  readonly socket: string;
  town(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  tmux(...words: string[]): string;
}

function newHouse(config = ''): House {
  const root = mkdtempSync(join(tmpdir(), 'purge-'));
  const socket = join(root, 'tmux.sock');
  writeFileSync(join(root, 'tmux.conf'), config);
  writeFileSync(join(root, 'town.toml'), `[tmux]\nsocket = ${JSON.stringify(socket)}\n`);
  const tmux = (...words: string[]): string =>
    execFileSync('tmux', ['-f', join(root, 'tmux.conf'), '-S', socket, ...words], { encoding: 'utf8', stdio: 'pipe' });
  const town: House['town'] = (...words) =>
    new Promise((resolve) => {
      execFile(process.execPath, [MAIN, '--root', root, ...words], { cwd: '/' }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
      });
    });
  onTestFinished(async () => {
    await town('down');
    // No server is left to kill when the test ended it.
    await new Promise((resolve) => execFile('tmux', ['-S', socket, 'kill-server'], resolve));
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  return { root, socket, town, tmux };
}

const everything = ({ tmux }: House): string[] => [
  tmux('show-options', '-g'),
  tmux('show-options', '-s'),
  tmux('show-options', '-g', '-w'),
  tmux('show-hooks', '-g'),
];

test('down --purge takes back what an earlier start of the same root left on the server', async () => {
  const house = newHouse();
  house.tmux('new-session', '-d', '-s', 'mine', 'sleep', '1000');
  const before = everything(house);
  expect(await house.town('up')).toMatchObject({ code: 0 });
  const owner = house.tmux('show-options', '-sv', '@town_owner').trimEnd();
  const [mark = ''] = owner.split(' ');
  expect(mark).toMatch(/^[0-9a-f]{16}-\d+$/);
  expect(await house.town('down')).toMatchObject({ code: 0 });
  house.tmux('set-option', '-s', '@town_owner', owner.replace(mark, mark.replace(/\d+$/, '0')));
  expect(await house.town('down', '--purge')).toMatchObject({ code: 0 });
  expect(everything(house)).toEqual(before);
});

test.each([
  ['a plain tmux', ''],
  ['a hostile tmux.conf', 'set -g destroy-unattached on\nset -g remain-on-exit on\nset -g base-index 1\n'],
])('down --purge on %s leaves nothing behind but the running agents', async (_what, config) => {
  const house = newHouse(config);
  house.tmux(
    'new-session',
    '-d',
    '-s',
    'mine',
    'sleep',
    '1000',
    ';',
    'set-option',
    '-t',
    'mine',
    'destroy-unattached',
    'off',
  );
  const before = everything(house);
  expect(await house.town('up')).toMatchObject({ code: 0 });
  expect(await house.town('session', 'start', 'agent', '--dir', '/', '--', 'sleep', '1000')).toMatchObject({ code: 0 });
  await vi.waitFor(() => expect(house.tmux('ls', '-F', '#{session_name}').split('\n')).toContain('agent'), WAIT);
  await vi.waitFor(() => expect(house.tmux('ls', '-F', '#{session_name}')).toContain('_townwatch'), WAIT);
  const pane = house.tmux('list-panes', '-t', '=agent', '-F', '#{pane_pid} #{pane_id}').trim().split(' ');
  expect(await house.town('down', '--purge')).toMatchObject({ code: 0, stderr: '' });
  expect(everything(house)).toEqual(before);
  expect(house.tmux('ls', '-F', '#{session_name}').trim().split('\n').sort()).toEqual(['agent', 'mine']);
  expect(isAlive(Number(pane[0]))).toBe(true);
  expect(house.tmux('show-options', '-t', 'agent')).not.toContain('@town');
  expect(house.tmux('show-hooks', '-p', '-t', pane[1]!)).toBe('');
  expect(house.tmux('show-options', '-p', '-t', pane[1]!)).toBe('');
  for (const name of ['daemon.pid', 'guard.json', 'town.sock']) {
    expect(existsSync(join(house.root, 'daemon', name))).toBe(false);
  }
});

test('down leaves agents running, and they are the same after the next up; kill -9 of the town changes nothing', async () => {
  const house = newHouse();
  expect(await house.town('up')).toMatchObject({ code: 0 });
  expect(await house.town('session', 'start', 'agent', '--dir', '/', '--', 'sleep', '1000')).toMatchObject({ code: 0 });
  const agent = (): string => house.tmux('list-panes', '-t', '=agent', '-F', '#{session_id} #{pane_pid}');
  await vi.waitFor(() => expect(agent()).toContain('$'), WAIT);
  const first = agent();
  expect(await house.town('down')).toMatchObject({ code: 0 });
  expect(agent()).toBe(first);
  expect(await house.town('up')).toMatchObject({ code: 0 });
  const status = async (): Promise<{ running: boolean; epoch: number; pid: number }> =>
    (JSON.parse((await house.town('status', '--json')).stdout) as { data: Awaited<ReturnType<typeof status>> }).data;
  const { epoch, pid } = await status();
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(async () => expect(await status()).toMatchObject({ running: true, epoch: epoch + 1 }), WAIT);
  expect(agent()).toBe(first);
});

test('`town up | cat` returns', async () => {
  const house = newHouse();
  const up = spawn('sh', ['-c', '"$0" "$@" 2>&1 | cat', process.execPath, MAIN, '--root', house.root, 'up'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(await text(up.stdout)).toContain('is up');
});

test('a second root on the same tmux server is refused, by the name of the first, and nothing of it stays', async () => {
  const [one, two] = [newHouse(), newHouse()];
  writeFileSync(join(two.root, 'town.toml'), `[tmux]\nsocket = ${JSON.stringify(one.socket)}\n`);
  one.tmux('new-session', '-d', '-s', 'mine', 'sleep', '1000');
  expect(await one.town('up')).toMatchObject({ code: 0 });
  const refused = await two.town('up');
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain(one.root);
  expect(existsSync(join(two.root, 'daemon', 'daemon.pid'))).toBe(false);
  expect(existsSync(join(two.root, 'daemon', 'guard.json'))).toBe(false);
});

test('a purge saves what a dead pane shows before it clears it', async () => {
  const house = newHouse();
  house.tmux('new-session', '-d', '-s', 'mine', 'sleep', '1000');
  expect(await house.town('up')).toMatchObject({ code: 0 });
  const last = ['sh', '-c', 'echo last words; sleep 0.5; exit 3']; // tmux 3.3a may lose what it prints as it ends
  await house.town('session', 'start', 'agent', '--dir', '/', '--restart', 'temporary', '--', ...last);
  await vi.waitFor(() => expect(house.tmux('list-panes', '-a', '-F', '#{pane_dead}')).toContain('1'), WAIT);
  expect(await house.town('down', '--purge')).toMatchObject({ code: 0, stderr: '' });
  expect(house.tmux('ls', '-F', '#{session_name}').trim()).toBe('mine');
  expect(readFileSync(join(house.root, 'output', 'agent.log'), 'utf8')).toContain('last words');
});
