/** What an agent that asks tmux for its terminal is told while the town's client is there, and why it need not ask. */
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { untilOver } from '../world/over.ts';
import { town } from './over.ts';
import { withServer, type TestServer } from './server.ts';
import { environmentOf, until, type YardOptions } from './yard.ts';

/** A person's terminal that shows this session, in a server of its own. */
async function personAt({ socketPath, tmux }: TestServer, session: string): Promise<void> {
  const terminal = untilOver(await withServer());
  await terminal.tmux(...'new-window -d env -u TMUX tmux -S'.split(' '), socketPath, 'attach-session', '-t', session);
  await until(async () => (await tmux('list-clients', '-F', '#{client_control_mode}')).split('\n').includes('0'));
}

test.each([
  ['a server that runs', {}],
  ['a server that starts from another terminal', { session: null, env: { TERM_PROGRAM: 'iTerm.app' } }],
  ['a tmux.conf that takes it away', { conf: 'set-environment -gr TERM_PROGRAM\n' }],
])('in %s an agent finds its terminal in its environment', async (_what, options: YardOptions) => {
  const { begin, tmux } = await town(options);
  const { agent } = await begin({});
  expect(tmux.connected).toBe(true);
  await until(() => environmentOf(agent.pid)['TOWN_SESSION'] === 'agent');
  expect(environmentOf(agent.pid)).toMatchObject({ TERM_PROGRAM: 'tmux' });
});

test.each<[what: string, where: 'own' | 'another']>([
  ['its session', 'own'],
  ['another session, since the town’s client came', 'another'],
])('an agent that asks tmux for its client is told of the town’s until a terminal shows %s', async (_what, where) => {
  const { begin, tmux, server } = await town();
  const { sessionId, paneId, server: daemon } = await begin({});
  const env = { ...server.env, TMUX: `${server.socketPath},${daemon.pid},0`, TMUX_PANE: paneId };
  const isToldOfControl = async (): Promise<string> =>
    (await execa('tmux', ['display-message', '-p', '#{client_control_mode}'], { env, extendEnv: false })).stdout;
  expect(await isToldOfControl()).toBe('1');
  await personAt(server, where === 'own' ? sessionId : '=base');
  expect(await isToldOfControl()).toBe('0');
  await tmux.close();
  expect(await isToldOfControl()).toBe('0');
});
