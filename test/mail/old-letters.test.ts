/** What was put away long ago goes; what waits, or was put away lately, stays. */
import { expect, test } from 'vitest';
import { STATE } from '../../state/files/policy.ts';
import { folderOf, Mailbox } from '../../state/mail/mailbox.ts';
import { removeOldLetters } from '../../state/mail/old-letters.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { SimDisk } from '../world/disk.ts';

const DAY = 86_400_000;
let now = 0;

function mailOf(sim: SimDisk, address: string) {
  const disk = sim.mount();
  sim.put(folderOf(address), '', 'folder');
  const quarantine = new Quarantine({ disk, wall: () => now, onRefused: () => undefined });
  const box = new Mailbox({ disk, quarantine }, address);
  const words = {
    from: 'builder',
    subject: 's',
    body: 'b',
    via: 'agent',
    urgent: false,
    needs_response: false,
  } as const;
  return { box, send: (id: string) => box.send({ ...words, id, sentAt: now }) };
}
const remove = (sim: SimDisk, policy: Partial<typeof STATE> = {}) =>
  removeOldLetters(sim.mount(), { ...STATE, ...policy }, (at) => now - at);

// Rules: P-16.
test('a letter goes so many days after it was put away, however old it is; one that waits stays', async () => {
  now = 0;
  const sim = new SimDisk({ wall: () => now });
  const { box, send } = mailOf(sim, 'overseer');
  for (const id of ['early', 'late', 'read', 'new']) await send(id);
  await box.read('read');
  await box.archive('early');
  now = STATE.journalDays * DAY;
  await box.archive('late');
  expect(await remove(sim)).toBe(0);
  now += 1;
  expect(await remove(sim)).toBe(1);
  now *= 10;
  expect(await remove(sim)).toBe(1);
  expect((await box.inbox({ archived: true })).map(({ id }) => id).sort()).toEqual(['new', 'read']);
});

// Rules: P-16.
test('of all archives together the oldest go where they have more bytes than are kept', async () => {
  now = 0;
  const sim = new SimDisk({ wall: () => now });
  const [one, other] = [mailOf(sim, 'overseer'), mailOf(sim, 'channel/digests')];
  for (const { box, send } of [one, other, one]) {
    now += 1;
    await send(`m-${now}`);
    await box.archive(`m-${now}`);
  }
  const bytes = Math.max(...Array.from(sim.files().values(), (text) => text.length));
  expect(await remove(sim, { journalBytes: 2 * bytes })).toBe(1);
  expect((await one.box.inbox({ archived: true })).map(({ id }) => id)).toEqual(['m-3']);
  expect(await other.box.inbox({ archived: true })).toHaveLength(1);
});

test('an archive that cannot be read keeps what it has, and stops no other', async () => {
  now = 0;
  const sim = new SimDisk({ wall: () => now });
  const [shut, open] = [mailOf(sim, 'mayor'), mailOf(sim, 'overseer')];
  for (const { box, send } of [shut, open]) {
    await send('m-1');
    await box.archive('m-1');
  }
  now = 100 * DAY;
  sim.fault = (operation, path) =>
    operation === 'list' && path === 'mail/mayor/archive' ? new Error('shut') : undefined;
  expect(await remove(sim)).toBe(1);
});
