/** What came out well: a letter to the mayor, and where no mayor lives to the person, whose `[notify] command` runs. Each once. */
import { MAYORS } from '../../../machines/rigs/names.ts';
import type { Message } from '../../../state/mail/mailbox.ts';
import type { Cause } from '../../../machines/alerts/policy.ts';
import { Bell, mailCause } from '../../alerts/bell.ts';
import { mailNotice } from '../../alerts/notify.ts';
import { waysOf } from '../../channels/settings.ts';
import type { Settings } from '../../config/settings.ts';
import { clean } from '../../terminal/print.ts';
import type { Acting } from './needs.ts';
import { boxAt } from '../witness/post.ts';

interface News {
  /** The same news once more has the same. */
  readonly id: string;
  readonly subject: string;
  readonly body: string;
}

export interface NotifyNeeds extends Pick<Acting, 'root' | 'disk' | 'note'> {
  readonly settings: Pick<Settings, 'channels' | 'process'>;
}
type Needs = NotifyNeeds & Pick<Acting, 'standings'>;

export async function tellNews(needs: Needs, { id, subject, body }: News, now: number): Promise<void> {
  const standing = await needs.standings();
  const hasMayor = MAYORS.some((name) => standing(name) === 'lives');
  const words = { id, from: 'deacon', subject: clean(subject), body: clean(body, 'lines') };
  const letter = { ...words, via: 'town', urgent: false, needs_response: false, sentAt: now } as const;
  const isNew = await boxAt(needs, hasMayor ? 'mayor' : 'overseer').send(letter);
  if (isNew && !hasMayor) await notifyOf(needs, letter);
}

/** A person's command gets a letter, once for each id; its failure costs a note. */
export async function notifyOf(
  { root, disk, settings: { channels, process: limits }, note }: NotifyNeeds,
  letter: Pick<Message, 'id' | 'from' | 'subject' | 'urgent' | 'via'> & { readonly sentAt: number },
  cause: Cause = mailCause(letter),
): Promise<void> {
  const bell = new Bell({ root, disk, ...waysOf(channels), limitMs: limits.notifyMs, wall: () => letter.sentAt });
  const failure = await bell.ring(mailNotice(letter), cause);
  if (failure !== null) note(failure);
}
