/** Who gets what of our environment: agents all that is theirs, tmux's clients a list without a secret. */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createProcesses } from '../../src/proc/processes.ts';
import { ControlTmux } from '../../src/tmux/client.ts';
import { untilOver } from '../world/over.ts';
import { town } from './over.ts';
import { argvOf, environmentOf, until } from './yard.ts';

const SECRETS = { ANTHROPIC_API_KEY: 'sk-secret', GITHUB_TOKEN: 'gh-secret', MY_PASSWORD: 'my-secret' };

/** Environments of the control-mode clients on a socket. */
function clientsOn(socketPath: string): Record<string, string>[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const argv = /^\d+$/.test(pid) ? argvOf(Number(pid)) : [];
      return argv.includes(socketPath) && argv.includes('-C') ? [environmentOf(Number(pid))] : [];
    } catch {
      return []; // It ended meanwhile.
    }
  });
}

test('agents on a server that the town starts have its keys; its clients on one that is there have none', async () => {
  const { begin, server } = await town({ session: null, env: { ...SECRETS, SSH_AUTH_SOCK: '/agent' } });
  const life = await begin({});
  expect(environmentOf(life.agent.pid)).toMatchObject({ ...SECRETS, SSH_AUTH_SOCK: '/agent' });
  const next = await town({ on: server, rootName: 'next', env: { ...SECRETS, SSH_AUTH_SOCK: '/new' } });
  await next.tmux.connect();
  const clients = clientsOn(server.socketPath).filter((client) => client['SSH_AUTH_SOCK'] === '/new');
  expect(clients).toHaveLength(1);
  expect(JSON.stringify(clients)).not.toContain('secret');
});

test('what listens in place of a tmux server is told no secret', async () => {
  const { server } = await town({});
  const socketPath = join(server.dir, 'other');
  const heard: Buffer[] = [];
  untilOver(createServer((caller) => void caller.on('data', (bytes) => heard.push(bytes))).listen(socketPath));
  const policy = { tmuxAnswerMs: 500, columns: 80, rows: 24 };
  const processes = createProcesses();
  const tmux = new ControlTmux({ socketPath, policy, processes, env: { ...server.env, ...SECRETS } });
  await expect(tmux.call(['list-sessions'])).rejects.toMatchObject({ fault: 'unknown' });
  await until(() => Buffer.concat(heard).includes('HOME='));
  expect(Buffer.concat(heard).toString('latin1')).not.toContain('secret');
});

test('what a person has tmux carry into sessions counts as the server has it, not as gone', async () => {
  const { begin, server } = await town({ conf: 'set -ga update-environment MY_KEY' });
  await server.tmux('set-environment', '-g', 'MY_KEY', 'theirs');
  const life = await begin({});
  await until(() => argvOf(life.agent.pid)[0] === 'sleep');
  expect(environmentOf(life.agent.pid)).toMatchObject({ MY_KEY: 'theirs' });
});
