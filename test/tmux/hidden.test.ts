/** The hidden session of a control-mode client: whose end ends it, and whose does not. */
import { expect, test } from 'vitest';
import { createProcesses } from '../../src/proc/processes.ts';
import { ControlTmux } from '../../src/tmux/client.ts';
import { untilOver } from '../world/over.ts';
import { withServer, type TestServer } from './server.ts';
import { until } from './yard.ts';

interface Hidden {
  readonly tmux: ControlTmux;
  readonly id: string;
  readonly clientPid: number;
  readonly lost: string[];
}

async function serverOf(): Promise<TestServer> {
  const server = untilOver(await withServer());
  return server;
}

/** `@ended` becomes 1 after what the town has its hook do at a client's end, in whichever session tmux looks for that hook. */
async function connected({ tmux: call, socketPath, env }: TestServer): Promise<Hidden> {
  const lost: string[] = [];
  const policy = { tmuxAnswerMs: 5_000, columns: 200, rows: 50 };
  const processes = createProcesses();
  const tmux = new ControlTmux({ socketPath, env, policy, processes, lost: (why) => lost.push(why) });
  untilOver({ [Symbol.asyncDispose]: () => tmux.close() });
  await tmux.connect();
  const [id = '', pid] =
    (await call('list-clients', '-F', '#{session_id} #{client_pid}')).split('\n').at(-1)?.split(' ') ?? [];
  for (const where of [['-g'], ['-t', id]])
    await call('set-hook', '-a', ...where, 'client-detached', 'set-option -g @ended 1');
  return { tmux, id, clientPid: Number(pid), lost };
}

const isEnded = async ({ tmux }: TestServer): Promise<boolean> =>
  (await tmux('show-options', '-g', '-q', '-v', '@ended')) === '1';
/** All but the first one, which has nothing to do with the town. */
const left = async ({ tmux }: TestServer): Promise<string[]> =>
  (await tmux('list-sessions', '-F', '#{session_id}')).split('\n').filter((id) => id !== '$0');

/** A person's terminal that shows this session. Its `close` closes the window of that terminal. */
async function personAt(server: TestServer, session: string): Promise<TestServer> {
  const terminal = await serverOf();
  const words = ['env', '-u', 'TMUX', 'tmux', '-S', server.socketPath, 'attach-session', '-t', session];
  await terminal.tmux('new-window', '-d', ...words);
  const isThere = `#{&&:#{==:#{session_id},${session}},#{==:#{client_control_mode},0}}`;
  await until(async () => (await server.tmux('list-clients', '-F', isThere)).split('\n').includes('1'));
  return terminal;
}

async function expectThere({ tmux, lost }: Hidden): Promise<void> {
  expect(await tmux.query(['display-message', '-p', 'still there'])).toEqual(['still there']);
  expect([tmux.connected, lost]).toEqual([true, []]);
}

test('a town that goes while another comes ends its own hidden session alone', async () => {
  const server = await serverOf();
  const old = await connected(server);
  const next = await connected(server);
  expect(await left(server)).toHaveLength(2);
  await old.tmux.close();
  await until(() => isEnded(server));
  expect(await left(server)).toEqual([next.id]);
  await expectThere(next);
});

test('a person who looks into the hidden session and closes the terminal does not end it', async () => {
  const server = await serverOf();
  const town = await connected(server);
  await (await personAt(server, town.id)).close();
  await until(() => isEnded(server));
  expect(await left(server)).toEqual([town.id]);
  await expectThere(town);
});

test('a hidden session that a person looks into outlives the town’s client, and ends with the person’s', async () => {
  const server = await serverOf();
  const { id, clientPid } = await connected(server);
  const person = await personAt(server, id);
  process.kill(clientPid, 'SIGKILL');
  await until(() => isEnded(server));
  expect(await left(server)).toEqual([id]);
  await person.close();
  await until(async () => (await left(server)).length === 0);
});
