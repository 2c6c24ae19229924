/** `town status` as it has always been, for people and for programs: of a town that answers, that is degraded, and that is not there. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realDisk } from '../../state/files/disk.ts';
import { status } from '../../src/cli/commands/status.ts';
import type { Context } from '../../src/cli/context.ts';
import type { Overview } from '../../src/overview/overview.ts';
import type { StatusView } from '../../src/socket/protocol.ts';
import { TestTown } from './town.ts';

const GOLDEN = join(import.meta.dirname, 'golden');

const UP: StatusView = {
  running: true,
  pid: 4242,
  guard_pid: 4241,
  guard_held: false,
  epoch: 3,
  version: '0.1.0',
  root: '/town',
  tmux_socket: 'gt',
  started_at: '2020-01-01T00:00:00.000Z',
  ready: true,
  degraded: { is: false, why: null },
  waiting: null,
  inspect_port: 7000,
  health: null,
  pool_size: 5,
  windows: [],
  starts: [],
  steps: { count: 7, longest_ms: 1 },
  actors: [
    { id: 'kennel', state: 'running', restarts: 0, more: 'is left out' },
    { id: 'boot', state: 'waiting', restarts: 2 },
  ] as StatusView['actors'],
};
const SEEN: Overview = {
  sessions: [],
  tmux_socket: '/tmp/tmux/gt',
  tmux_holder: { root: '/town', pid: 4242, guard_pid: 4241 },
  tmux_fault: null,
  unreadable: [],
  dances: 1,
  mail: [],
  alerts: [
    {
      episode: 'disk',
      severity: 'critical',
      session: null,
      text: 'no room',
      since: '2020-01-01T00:00:00.000Z',
      acked: false,
      type: ['town doctor'],
    },
  ],
};
const SICK: Partial<StatusView> = {
  degraded: { is: true, why: 'tmux does\u0007 not answer' },
  waiting: 'waiting for disk',
  guard_pid: null,
  ready: false,
  inspect_port: null,
};

async function shown(town: StatusView, seen: Overview): Promise<string> {
  const said: string[] = [];
  const client = { status: () => town, overview: () => Promise.resolve(seen) };
  const context = {
    json: true,
    root: '/town',
    existing: () => '/town',
    disk: () => Promise.resolve(realDisk('/town', 1)),
    askIfUp: (ask: (up: object) => unknown) => ask(client),
    answer: (name: string, data: object, text: () => string) =>
      said.push(`${name}/1 ${JSON.stringify(data, null, 1)}`, text()),
  } as unknown as Context;
  const code = await status(context);
  return [...said, `exit ${code}`].join('\n\n');
}

test.each([
  ['up', UP, SEEN],
  ['degraded', { ...UP, ...SICK }, { ...SEEN, tmux_fault: 'it is silent', tmux_holder: null }],
])('of a town that is %s', async (name, town, seen) => {
  const text = (await shown(town, seen)).replace(/up for \d+ d/, 'up for N d');
  await expect(text).toMatchFileSnapshot(join(GOLDEN, `status-${name}.txt`));
});

test('of a town that is not there', async () => {
  const town = new TestTown();
  const [json, text] = [await town.run('--json', 'status'), await town.run('status')];
  expect([json.code, text.code]).toEqual([3, 3]);
  const plain = `${json.stdout}\n${text.stdout}`.replaceAll(town.home, '/home');
  await expect(plain).toMatchFileSnapshot(join(GOLDEN, 'status-down.txt'));
});
