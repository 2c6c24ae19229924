/** The rounds of a running town that clear away what is old. */
import { expect, test } from 'vitest';
import { compact } from '../../src/town/compact.ts';
import { folderOf, Mailbox } from '../../state/mail/mailbox.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { STATE } from '../../state/files/policy.ts';
import { SimDisk } from '../world/disk.ts';
import { FakeClock } from './fake-clock.ts';

const LONG = (STATE.journalDays + 2) * 86_400_000;

// Rules: P-16.
test.each([
  ['stays where the clock was set ahead by weeks', LONG, 0, true],
  ['goes where weeks have passed', 0, LONG, false],
])('a letter that was put away a moment ago %s', async (_, step, pause, stays) => {
  const clock = new FakeClock();
  let ahead = 0;
  const wall = (): number => clock.now() + Date.UTC(2026, 0, 2) + ahead;
  const sim = new SimDisk({ wall });
  sim.put(folderOf('builder'), '', 'folder');
  const disk = sim.mount();
  const quarantine = new Quarantine({ disk, wall, onRefused: () => undefined });
  const box = new Mailbox({ disk, quarantine }, 'builder');
  const words = { from: 'a', subject: 's', body: 'b', via: 'agent', urgent: false, needs_response: false } as const;
  const logger = { info: () => undefined, warn: () => undefined };
  const host = { disk, logger, clock: { now: clock.now, sleep: clock.sleep, wall } };
  const stop = new AbortController();
  const store = { compact: () => Promise.resolve(0) };
  const rounds = compact({ settings: { state: STATE }, host, store, quarantine }, stop.signal);
  const pass = async (ms: number): Promise<void> => {
    await clock.pass(ms);
    await expect.poll(() => clock.sleeping).toBe(1);
  };
  await pass(STATE.compactEveryMs);
  await box.send({ ...words, id: 'm-1', sentAt: wall() });
  await box.archive('m-1');
  ahead = step;
  for (const ms of [pause, STATE.compactEveryMs]) await pass(ms);
  stop.abort();
  await rounds;
  expect((await box.inbox({ archived: true })).map(({ id }) => id)).toEqual(stays ? ['m-1'] : []);
});
