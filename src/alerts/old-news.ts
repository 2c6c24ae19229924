/** A letter that is only news leaves the person's mailbox with age: what waits for a person is no pile of what came out well. */
import { NEWS } from '../../machines/alerts/policy.ts';
import type { WallMs } from '../../machines/protocol.ts';
import type { Mailbox, Received } from '../../state/mail/mailbox.ts';
import { age } from '../ports/age.ts';
import { asks } from './news.ts';

const isOldNews = (now: WallMs) => (letter: Received) =>
  !asks(letter) && !letter.urgent && age(Date.parse(letter.sent_at), now) >= NEWS.keepMs;

/** Puts old news into the archive, nothing else. How many it was. */
export async function putAwayNews(box: Mailbox, now: WallMs): Promise<number> {
  const boxes = ['new', 'cur'] as const;
  // The town names its letters by what they are about, and those of commands begin so.
  const names = new Set((await box.names(boxes)).filter((id) => !id.startsWith('m-')));
  let count = 0;
  while (names.size > 0) {
    const some = new Set([...names].slice(0, NEWS.page));
    for (const one of some) names.delete(one);
    const of = (file: string): boolean => some.has(file.slice(0, -'.json'.length));
    const old = (await box.page(boxes, { limit: NEWS.page, from: 'oldest', of })).filter(isOldNews(now));
    await box.archiveAll(old.map(({ id }) => id));
    count += old.length;
  }
  return count;
}
