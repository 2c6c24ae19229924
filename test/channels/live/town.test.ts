/** A whole town with a channel: what needs a person is at the server, and no end of the process of the channels costs the town anything. */
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { questionsOf } from '../../../src/channels/all-well.ts';
import { ownProgram } from '../../../src/guard/launch.ts';
import { exits, killHard, TestTown, until } from '../../cli/town.ts';
import type { Status } from '../../cli/views.ts';
import { WebServer } from '../server.ts';

const WAIT = { timeout: 60_000, interval: 20 };

/** Pids of the processes of channels below this process. */
function channelsBelow(parent: number): number[] {
  const children = readFileSync(`/proc/${String(parent)}/task/${String(parent)}/children`, 'utf8')
    .trim()
    .split(' ');
  return children
    .map(Number)
    .filter((pid) => pid > 0 && readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').includes('channels/main'));
}

const rssOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]);

test('a letter that asks is at the server; its process may be killed, and goes with the town', async () => {
  const server = await WebServer.start();
  const town = new TestTown(`[ntfy]\nurl = "${server.url}"\ntopic = "town"\n`);
  await town.up();
  const { pid } = await town.data<Status>('status');
  const [first = 0] = await until(
    () => channelsBelow(pid),
    ({ length }) => length === 1,
  );
  await until(() => rssOf(first) > 1);
  const questions = (): Promise<number | null> => questionsOf(ownProgram('main'), town.root);
  expect(await questions()).toBe(0);
  exits(await town.run('mail', 'send', 'overseer', '--subject', 'which database?', '--needs-response'), 0, '');
  expect([await questions(), await questionsOf(['/bin/false'], town.root)]).toEqual([1, null]);
  await vi.waitFor(() => expect(server.got).toHaveLength(1), WAIT);
  expect(server.bodies[0]?.['message']).toMatch(/^mail from overseer: which database\?\n\$ town mail read m-/);
  // Killed before its receipt is on disk it would be sent once more.
  await until(
    () => town.data<{ delivered: number }[]>('channel', 'list'),
    ([ntfy]) => ntfy?.delivered === 1,
  );
  killHard(first);
  const [second = 0] = await until(
    () => channelsBelow(pid),
    ([now]) => now !== undefined && now !== first,
  );
  exits(await town.run('mail', 'send', 'overseer', '--subject', 'and now?', '--urgent', '--needs-response'), 0, '');
  await vi.waitFor(() => expect(server.got).toHaveLength(2), WAIT);
  expect((await town.data<Status>('status')).pid).toBe(pid);
  expect((await town.run('report', '--since', '1h')).stdout).toContain('2 messages sent to you');
  exits(await town.run('down'), 0, '');
  await until(() => Promise.resolve(!isThere(second)));
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
