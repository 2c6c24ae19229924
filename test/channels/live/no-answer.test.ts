/** A whole town: what an agent asks comes to the phone without buttons, or not at all. */
import { expect, test, vi } from 'vitest';
import { withServer } from '../../tmux/server.ts';
import { untilOver } from '../../world/over.ts';
import { townThatAsks, WAIT, asked, RULE, pane, sent } from './phone.ts';

// Rules: A-3.
test('without a rule no button is there, and the reply topic is not even heard', async () => {
  const { server } = await townThatAsks('', 'rm -rf build');
  await vi.waitFor(() => expect(server.on('town')).toHaveLength(1), WAIT);
  expect([asked(server), server.since]).toEqual([[], []]);
}, 180_000);

// Rules: law 8.
test('a question in the pane where a person is comes to no phone; answered there, nothing comes of it at all', async () => {
  const terminal = untilOver(await withServer());
  const { server, town } = await townThatAsks(RULE, 'rm -rf build');
  const attach = ['env', '-u', 'TMUX', 'tmux', '-S', town.socket, 'attach', '-t', '=builder'];
  await terminal.tmux('new-session', '-d', '-s', 'person', ...attach);
  const waiting = (): number => town.names('daemon/spool').filter((name) => name.endsWith('.json')).length;
  await vi.waitFor(() => expect(waiting()).toBe(1), WAIT);
  await terminal.tmux('send-keys', '-t', '=person:', '1');
  await vi.waitFor(() => expect(pane(town)).toContain('chose Yes for rm -rf build'), WAIT);
  // Its end comes behind it after a window of its cause, and takes it along.
  await vi.waitFor(() => expect(waiting()).toBe(0), { ...WAIT, timeout: 150_000 });
  expect(sent(server)).toEqual([]);
}, 300_000);
