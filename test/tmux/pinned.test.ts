/** What a person is advised to do about a socket that was moved. */
import { expect, test, vi } from 'vitest';
import { putTmuxSocket } from '../../state/process/tmux-socket.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { pinOf } from '../../src/tmux/pinned.ts';
import { SimDisk } from '../world/disk.ts';
import { policy } from './door.ts';

// Rules: C-7, C-12.
test('without tmux no purge alone is advised, which would take nothing back', async () => {
  const disk = new SimDisk().mount();
  await disk.mkdir('daemon');
  await putTmuxSocket(disk, '/nowhere/first');
  vi.stubEnv('PATH', '/nowhere');
  const settings = { root: '/nowhere', tmux: { socket: '/nowhere/second' }, hands: policy };
  const pin = await pinOf(settings, { disk, processes: createProcesses(), sessions: async () => [] });
  vi.unstubAllEnvs();
  expect(pin).toMatchObject({
    kind: 'held',
    why: expect.stringMatching(
      /: set it back to "\/nowhere\/first", or install tmux and type `town down --purge`$/,
    ) as string,
  });
});
