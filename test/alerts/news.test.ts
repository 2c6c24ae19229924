/** What is told once leaves the person's mailbox with age, and nothing else does. On a real disk. */
import { expect, test } from 'vitest';
import { NEWS } from '../../machines/alerts/policy.ts';
import { putAwayNews } from '../../src/alerts/old-news.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import { realDisk } from '../../state/files/disk.ts';
import type { Mailbox } from '../../state/mail/mailbox.ts';
import { tempFolder } from '../world/over.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const OLD = NOW - NEWS.keepMs;
type Letter = Parameters<Mailbox['send']>[0];

const letter = (more: Partial<Letter>): Letter => ({
  id: 'dog-1.w1.pardoned',
  from: 'town',
  subject: 'VERDICT: nux pardoned',
  body: 'it answered',
  sentAt: OLD,
  via: 'town',
  urgent: false,
  needs_response: false,
  ...more,
});
const house = (): Mailbox => boxAt({ disk: realDisk(tempFolder('news'), 0), note: () => undefined }, 'overseer');

test.each<[what: string, more: Partial<Letter>, box: string]>([
  ['a pardon of long ago', {}, 'archive'],
  ['an execution of long ago', { id: 'dog-1.w1.executed' }, 'archive'],
  ['a pardon of a moment before that', { sentAt: OLD + 1 }, 'new'],
  ['a hearing that needs a person', { urgent: true }, 'new'],
  ['an escalation', { id: 'esc-1-0', urgent: true, needs_response: true }, 'new'],
  ['a question of the town', { needs_response: true }, 'new'],
  ['a letter of an agent', { id: 'm-1763905393123-6f2c9ab1', via: 'agent' }, 'new'],
  ['a letter of an agent with a name of its own', { via: 'agent' }, 'new'],
])('%s', async (_, more, box) => {
  const mailbox = house();
  await mailbox.send(letter(more));
  await putAwayNews(mailbox, NOW);
  await expect(mailbox.inbox({ archived: true })).resolves.toMatchObject([{ box }]);
});

test('also one that was read', async () => {
  const mailbox = house();
  await mailbox.send(letter({}));
  await mailbox.read(letter({}).id);
  expect(await putAwayNews(mailbox, NOW)).toBe(1);
  expect(await mailbox.inbox()).toEqual([]);
});

// Rules: law 8.
test('of more than a page all go, those among them that wait for a person stay, and nothing is lost', async () => {
  const mailbox = house();
  const many = NEWS.page + 20;
  for (let nth = 0; nth < many; nth += 1)
    await mailbox.send(letter({ id: `dog-${nth}.w.pardoned`, urgent: nth % 2 === 0 }));
  expect(await putAwayNews(mailbox, NOW)).toBe(many / 2);
  expect(await mailbox.counts()).toMatchObject({ new: many / 2, archive: many / 2 });
  expect(await putAwayNews(mailbox, NOW)).toBe(0);
});
