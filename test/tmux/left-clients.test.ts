/** The control-mode client of a town that was killed while tmux had more to print for it: tmux never lets it go by itself. */
import { resolve } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { door, processesOf, sessions } from './door.ts';
import type { TestServer } from './server.ts';
import { argvOf, until } from './yard.ts';

const KILLED = `
  import { ControlTmux } from '${resolve('src/tmux/client.ts')}';
  import { createProcesses } from '${resolve('src/proc/processes.ts')}';
  const policy = { tmuxAnswerMs: 5000, columns: 200, rows: 50 };
  const tmux = new ControlTmux({ socketPath: process.argv[1], policy, processes: createProcesses() });
  await tmux.connect();
  // The output is more than fits into the pipe, and this process is too busy to read it until it is killed.
  for (let line = 0; line < 200; line += 1) void tmux.query(['show-options', '-g']);
  setImmediate(() => {
    const until = Date.now() + 500;
    while (Date.now() < until);
    process.kill(process.pid, 'SIGKILL');
  });`;

const clientsOf = ({ socketPath }: TestServer): readonly string[] =>
  processesOf(socketPath).filter((pid) => argvOf(Number(pid)).includes('-C'));

async function leftBy(server: TestServer): Promise<void> {
  const words = ['--input-type=module', '-e', KILLED, server.socketPath];
  const town = await execa(process.execPath, words, { reject: false, env: server.env });
  expect([town.signal, clientsOf(server)]).toEqual(['SIGKILL', [expect.anything()]]);
}

test('the next town ends it once the server took in its own client', async () => {
  const { server, door: tmux } = await door();
  await leftBy(server);
  await tmux.connect();
  await until(() => clientsOf(server).length === 1);
  expect((await sessions(server)).filter((name) => name !== 'base')).toHaveLength(1);
});

test('a server that waits for it before it ends is let go, and is known to be gone', async () => {
  const { server, door: tmux } = await door();
  await leftBy(server);
  await server.tmux('kill-server').catch(() => '');
  await expect(tmux.server()).rejects.toMatchObject({ fault: 'unknown', message: 'server exited unexpectedly' });
  await expect(tmux.connect()).rejects.toMatchObject({ fault: 'unknown' });
  await until(async () => (await tmux.server().catch(() => false)) === null);
  expect(await tmux.connect()).toBe('none');
});
