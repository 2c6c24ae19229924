/** `town mail archive` without an id: the choices alone and together, an empty result, and words that are no choice. */
import { beforeEach, describe, expect, test } from 'vitest';
import { chosenIn, type Which } from '../../../src/cli/naming/mail-choice.ts';
import { Mailbox } from '../../../state/mail/mailbox.ts';
import { Quarantine } from '../../../state/files/quarantine.ts';
import { SimDisk } from '../../world/disk.ts';

const NOW = Date.parse('2026-03-10T00:00:00Z');
const DAY = 24 * 60 * 60_000;
const nameIn = (address: string): string => address.split('/').at(-1) ?? '';
const CHOOSING = { now: NOW, areOne: async (one: string, other: string) => nameIn(one) === nameIn(other) };
let box: Mailbox;

const send = (id: string, from: string, subject: string, daysAgo: number): Promise<boolean> =>
  box.send({
    id,
    from,
    subject,
    body: '',
    via: 'agent',
    urgent: false,
    needs_response: false,
    sentAt: NOW - daysAgo * DAY,
  });

beforeEach(async () => {
  const disk = new SimDisk().mount();
  const quarantine = new Quarantine({ disk, wall: () => NOW, onRefused: () => undefined });
  box = new Mailbox({ disk, quarantine }, 'overseer');
  await send('old', 'nux', 'lunch?', 9);
  await send('fresh', 'nux', 'tests are red', 1);
  await send('other', 'ada', 'lunch at noon', 3);
  await send('done', 'ada', 'it is done', 8);
  await box.read('done');
  await box.shelve(['other'], 'aside');
  await send('put away', 'nux', 'lunch?', 9);
  await box.archive('put away');
});

test.each<[which: Which, ids: string[]]>([
  [{ all: true }, ['done', 'fresh', 'old', 'other']],
  [{ read: true }, ['done']],
  [{ from: 'nux' }, ['fresh', 'old']],
  [{ from: 'nu' }, []],
  [{ from: 'shop/nux' }, ['fresh', 'old']],
  [{ subject: 'lunch' }, ['old', 'other']],
  [{ before: '2d' }, ['done', 'old', 'other']],
  [{ before: '2026-03-06' }, ['done', 'old']],
  [{ from: 'nux', before: '2d' }, ['old']],
  [{ from: 'nux', subject: 'lunch' }, ['old']],
  [{ read: true, from: 'nux' }, []],
  [{ read: true, from: 'ada', before: '7d' }, ['done']],
  [{ all: true, subject: 'lunch', before: '2026-03-06' }, ['old']],
  [{ before: '30d' }, []],
])('%j are %j', async (which, ids) => {
  expect([...(await chosenIn(box, which, CHOOSING))].sort()).toEqual(ids);
});

test.each<[which: Which, code: string]>([
  [{}, 'no_choice'],
  [{ before: 'yesterday' }, 'bad_time'],
  [{ before: '2026-13-40' }, 'bad_time'],
  [{ all: true, before: '' }, 'bad_time'],
])('%j is refused: %s', async (which, code) => {
  await expect(chosenIn(box, which, CHOOSING)).rejects.toMatchObject({ exit: 2, code });
});

describe('a page', () => {
  test('holds the oldest or the newest, oldest first, of the boxes that are asked for', async () => {
    const page = async (from: 'oldest' | 'newest'): Promise<string[]> =>
      (await box.page(['new', 'cur', 'aside'], { limit: 2, from })).map(({ id }) => id);
    // The newest by their files, since these ids hold no time.
    expect(await page('oldest')).toHaveLength(2);
    expect((await box.page(['aside'], { limit: 5, from: 'newest' })).map(({ id }) => id)).toEqual(['other']);
    expect(await box.page(['later'], { limit: 5, from: 'newest' })).toEqual([]);
  });

  test('counts a letter once, in the box that it was shelved to last', async () => {
    await box.shelve(['fresh', 'no such'], 'later');
    expect(await box.counts()).toEqual({ new: 1, cur: 1, later: 1, aside: 1, archive: 1 });
    await box.shelve(['fresh'], 'aside');
    expect(await box.counts()).toEqual({ new: 1, cur: 1, later: 0, aside: 2, archive: 1 });
  });
});
