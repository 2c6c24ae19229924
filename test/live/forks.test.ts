/** With control mode a scan starts no program: the town asks tmux over the client that it keeps. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { childFaults, childrenOf } from '../bench/town.ts';
import { connectTown } from '../../src/socket/client.ts';
import { TestTown } from '../cli/town.ts';

test('twenty scans of three sessions start and end no program; a start does', async () => {
  // The look at the agents' programs falls among these scans, as it does once a minute in life.
  const town = new TestTown('[sessions]\nscan_every = "500ms"\n[process]\nagent_programs_every = "1s"\n');
  const start = (name: string): Promise<void> => town.agent(name, ['sleep', '100000']);
  await town.up();
  const { pid } = await town.status();
  const atStart = childFaults(pid);
  for (const name of ['one', 'two', 'three']) await start(name);
  expect(childFaults(pid)).toBeGreaterThan(atStart);

  /** Until so many scans more were made: each takes the age of the last one back. */
  const scans = async (wanted: number): Promise<void> => {
    const client = await connectTown(town.root);
    let last = 0;
    for (let seen = 0; seen < wanted;) {
      const age = (await client.status()).health?.ages_ms['scan'] ?? 0;
      if (age < last) seen += 1;
      last = age;
      await pause(20);
    }
    client.close();
  };
  await scans(25); // what a start leaves to do is done, a look at a new screen among it
  const [faults, children] = [childFaults(pid), childrenOf(pid)];
  await scans(20);
  expect([childFaults(pid), childrenOf(pid)]).toEqual([faults, children]);
});
