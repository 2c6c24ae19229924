/** An agent that writes letters without end is stopped, and no letter that lies in a mailbox is counted twice or lost for it. */
import { expect, test } from 'vitest';
import { MAIL_BUDGET } from '../../state/mail/policy.ts';
import { countSent } from '../../state/mail/sent.ts';
import { SimDisk } from '../world/disk.ts';

const { perHour, hourMs } = MAIL_BUDGET;
const AT = 500_000 * hourMs;

// Rules: C-16.
test('one sender has so many letters within an hour, however many programs write at once; another has its own', async () => {
  const sim = new SimDisk();
  const AT_ONCE = 10;
  for (let nth = 0; nth < perHour; nth += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => countSent(sim.mount(), 'shop/polecats/nux', AT)));
  const refused = countSent(sim.mount(), 'shop/polecats/nux', AT + hourMs - 1);
  await expect(refused).rejects.toMatchObject({ code: 'too_many_letters', exit: 5 });
  await expect(refused).rejects.toThrow(/this one was not sent; .+ after 2027-01-15T09:00:00\.000Z/);
  await countSent(sim.mount(), 'shop/polecats/ace', AT);
});

// Rules: P-16.
test('the next hour counts anew, and of an hour that is over nothing is kept', async () => {
  const disk = new SimDisk();
  for (let nth = 0; nth < perHour; nth += 1) await countSent(disk.mount(), 'builder', AT);
  await countSent(disk.mount(), 'builder', AT + hourMs);
  expect([...disk.files()]).toEqual([['mail/builder/sent/500001', '.']]);
});
