/** Law 6: a dead pane that a person types in is neither cleared nor replaced under their eyes; a client that only stands there is no person. */
import { expect, test } from 'vitest';
import type { OutcomeBody } from '../../machines/protocol.ts';
import { untilOver } from '../world/over.ts';
import { town } from './over.ts';
import { withServer } from './server.ts';
import { until, type YardOptions } from './yard.ts';

/** A dead life of `agent`, and a person who has just come to its session. */
async function visited(options: YardOptions = {}) {
  const made = await town(options);
  const terminal = untilOver(await withServer());
  const life = await made.begin({ command: ['true'] });
  await until(async () => (await made.scan(life)).seen[0]?.life === 'dead');
  const attach = ['env', '-u', 'TMUX', 'tmux', '-S', made.server.socketPath, 'attach', '-t', '=agent'];
  await terminal.tmux('new-session', '-d', '-s', 'person', ...attach);
  const clients = (): Promise<string> => made.server.tmux('list-clients', '-F', '#{client_control_mode}');
  await until(async () => (await clients()).includes('0'));
  const panes = async (): Promise<string[]> =>
    (await made.server.tmux('list-panes', '-a', '-F', '#{pane_id}')).split('\n');
  return { ...made, life, panes, terminal };
}

/** The end of a person's client may take our own along: then its outcome is unknown, and it is done again. */
const told = (outcome: Promise<OutcomeBody>): Promise<OutcomeBody | null> => outcome.catch(() => null);

const WAITS = { type: 'SESSION_NOT_STARTED', taken: false, personMs: 600_000 };

// Rules: law 6.
test('a start waits for a person who types in the pane of the last life; an operator does not', async () => {
  const { start, startByHand, life, panes, sessions } = await visited();
  const outcome = await start({});
  expect(outcome).toMatchObject({ ...WAITS, why: expect.stringContaining('a person pressed a key there') as string });
  expect(await panes()).toContain(life.paneId);
  expect((await sessions()).filter((name) => name.startsWith('_town'))).toEqual([]);
  await until(async () => (await told(startByHand({}, 'second')))?.type === 'SESSION_STARTED');
  expect(await panes()).not.toContain(life.paneId);
});

// Rules: law 6.
test('a hearing leaves that pane, with a word; an operator with --force does not', async () => {
  const { clear, life, panes } = await visited();
  const left = expect.stringContaining(`its pane ${life.paneId} is left: a person pressed a key there`) as string;
  expect(await clear(life)).toMatchObject({ type: 'CLEARED', whyPaneStays: left });
  expect(await clear(life, true)).toMatchObject({ type: 'CLEARED', whyPaneStays: left });
  expect(await panes()).toContain(life.paneId);
  await until(async () => (await told(clear(life, false, true)))?.type === 'CLEARED');
  expect(await panes()).not.toContain(life.paneId);
});

test('a client without a key is no person: the name starts anew', async () => {
  const { start } = await visited({ policy: { personWithinMs: 1_000 } });
  await until(async () => (await told(start({}, 'second')))?.type === 'SESSION_STARTED');
});
