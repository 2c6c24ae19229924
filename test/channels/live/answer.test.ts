/** A whole town: an agent asks, the question is at the phone with its buttons, and the answer comes back into the very question, once, proved. */
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { killHard, until } from '../../cli/town.ts';
import type { Status } from '../../cli/views.ts';
import { townThatAsks, RULE, asked, WAIT, pane, sent } from './phone.ts';

// Rules.
test('a button on the phone answers the question, once, and the person reads that it is proved', async () => {
  const { server, town } = await townThatAsks(RULE, 'rm -rf build,make');
  await vi.waitFor(() => expect(asked(server)).toHaveLength(1), WAIT);
  const [first] = asked(server);
  expect(first?.message).toContain('| ');
  expect(first?.message).toContain('rm -rf build');
  // "Yes, and don't ask again" gives more than this one answer.
  expect(first?.actions?.map(({ label }) => label)).toEqual(['Yes', expect.stringMatching(/^No/)]);
  const began = performance.now();
  await server.press('Yes');
  await vi.waitFor(() => expect(pane(town)).toContain('chose Yes for rm -rf build'), WAIT);
  const pressedMs = performance.now() - began;
  await vi.waitFor(
    () => expect(sent(server).join('\n')).toMatch(/\(builder\): answered with "Yes", proved; it asks/),
    WAIT,
  );
  const provedMs = performance.now() - began;
  expect(pressedMs).toBeLessThan(2_000);
  expect(provedMs).toBeLessThan(10_000);
  // The next question comes by its alert, with buttons of its own. The old button is over, also pressed twice.
  await vi.waitFor(() => expect(asked(server)).toHaveLength(2), WAIT);
  server.publish('answers', first?.actions?.[0]?.body ?? '');
  await vi.waitFor(() => expect(sent(server).at(-1)).toContain('over: it was answered before, with yes'), WAIT);
  expect(pane(town)).not.toContain('for make');
  const timeline = (await town.run('timeline')).stdout;
  expect(timeline).toMatch(/the operator by ntfy chose "Yes" in its dialog/);
  await server.press('No');
  await vi.waitFor(() => expect(pane(town)).toContain('for make'), WAIT);
  // Each question came once: no other message had buttons.
  expect(asked(server)).toHaveLength(2);
}, 180_000);

// Rules: A-2.
test('the terminal first: the late button changes nothing; nor does one behind a kill of the town and its channels', async () => {
  const { server, town } = await townThatAsks(RULE, 'rm -rf build,make');
  await vi.waitFor(() => expect(asked(server)).toHaveLength(1), WAIT);
  town.tmux('send-keys', '-t', '=builder:', '1');
  await until(
    () => pane(town),
    (text) => text.includes('chose Yes for rm -rf build'),
  );
  const { pid } = await town.data<Status>('status');
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);
  const channels = children.filter((one) =>
    readFileSync(`/proc/${String(one)}/cmdline`, 'utf8').includes('channels/main'),
  );
  for (const one of [pid, ...channels]) killHard(one);
  await server.press('Yes');
  await vi.waitFor(() => expect(sent(server).join('\n')).toContain('another question stands there'), WAIT);
  expect(pane(town)).not.toContain('for make');
}, 180_000);
