/** tmux is upgraded, downgraded or removed while its server runs: the server's own program is its client. */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProcesses } from '../../src/proc/processes.ts';
import { ControlTmux } from '../../src/tmux/client.ts';
import { openControl } from '../../src/tmux/control.ts';
import { tempFolder, untilOver } from '../world/over.ts';
import { withServer, type TestServer } from './server.ts';
import { until } from './yard.ts';

const policy = { tmuxAnswerMs: 1_000, columns: 200, rows: 50 };
const REAL = spawnSync('sh', ['-c', 'command -v tmux'], { encoding: 'utf8' }).stdout.trim();
const VERSION = spawnSync(REAL, ['-V'], { encoding: 'utf8' }).stdout.trim().split(' ').at(-1) ?? '';

/** A PATH with a tmux that says it is this version, and as 3.8 does to a server of 3.5a: in control mode no word comes back. */
function pathWith(version: string): string {
  const folder = tempFolder('path');
  const file = join(folder, 'tmux');
  writeFileSync(
    file,
    `#!/bin/sh
[ "$1" = -V ] && { echo '${version}'; exit 0; }
case " $* " in *' -C '*) exec ${REAL} "$@" >/dev/null;; esac
exec ${REAL} "$@"
`,
  );
  chmodSync(file, 0o755);
  return `${folder}:/usr/bin:/bin`;
}
/** The few programs that the town's hidden session needs. */
function pathWithout(): string {
  const folder = tempFolder('path');
  for (const name of ['env', 'sleep']) symlinkSync(`/usr/bin/${name}`, join(folder, name));
  return folder;
}

function doorTo(server: TestServer, path: string): ControlTmux {
  const { socketPath, env } = server;
  const tmux = new ControlTmux({ socketPath, env: { ...env, PATH: path }, policy, processes: createProcesses() });
  untilOver({ [Symbol.asyncDispose]: () => tmux.close() });
  return tmux;
}
const hidden = async (server: TestServer): Promise<string[]> =>
  (await server.tmux('list-sessions', '-F', '#{session_name}')).split('\n').filter((name) => name.startsWith('_'));

test.each([
  ['newer', () => pathWith('tmux 99.1'), { server: VERSION, inPath: '99.1' }],
  ['older', () => pathWith('tmux 3.2'), { server: VERSION, inPath: '3.2' }],
  ['deleted', pathWithout, { server: VERSION, inPath: null }],
])('the program in PATH is %s than its server: it connects, types and lists all the same', async (_, path, differs) => {
  const server = untilOver(await withServer());
  const tmux = doorTo(server, path());
  expect(await tmux.connect()).toBe('up');
  expect(await tmux.query(['display-message', '-p', 'here'])).toEqual(['here']);
  expect(await tmux.call(['display-message', '-p', 'here too'])).toBe('here too');
  expect((await tmux.program()).differs).toEqual(differs);
  expect(await hidden(server)).toHaveLength(1);
  await tmux.close();
  await until(async () => (await hidden(server)).length === 0);
});

test('the file of the program that the server runs is deleted too', async () => {
  const folder = tempFolder('copy');
  const copy = join(folder, 'tmux');
  copyFileSync(REAL, copy);
  const server = untilOver(await withServer({ session: null }));
  spawnSync(copy, ['-S', server.socketPath, 'new-session', '-d', 'sleep', '100000'], { env: server.env });
  rmSync(copy);
  const tmux = doorTo(server, pathWith('tmux 99.1'));
  expect(await tmux.connect()).toBe('up');
  expect((await tmux.program()).program).toMatch(/^\/proc\/\d+\/exe$/);
});

test('another file of the same version, and the same file, are as good', async () => {
  const server = untilOver(await withServer());
  const folder = tempFolder('copy');
  copyFileSync(REAL, join(folder, 'tmux'));
  for (const path of [folder, server.env['PATH'] ?? ''])
    expect(await doorTo(server, path).program()).toEqual({ program: 'tmux', differs: null });
});

test('the next server is the one of PATH: the program is found anew', async () => {
  const server = untilOver(await withServer());
  const tmux = doorTo(server, pathWith('tmux 99.1'));
  expect((await tmux.program()).differs).not.toBeNull();
  await server.tmux('kill-server');
  await until(async () => (await tmux.program()).differs === null);
});

test('a client that gets no word leaves no hidden session', async () => {
  const server = untilOver(await withServer());
  const [folder = ''] = pathWith('tmux 99.1').split(':');
  const place = { binary: join(folder, 'tmux'), socketPath: server.socketPath, env: server.env, limitMs: 500 };
  const ignore = (): void => undefined;
  const opening = openControl({
    place,
    columns: 80,
    rows: 24,
    start: false,
    lives: () => true,
    lost: ignore,
    notice: ignore,
  });
  await until(async () => (await hidden(server)).length === 1);
  await expect(opening).rejects.toThrow('took no client in');
  await until(async () => (await hidden(server)).length === 0);
});
