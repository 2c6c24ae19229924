/** What came out well: a letter to the mayor, and where no mayor lives to the person, whose `[notify] command` runs. Each once. */
import { MAYORS } from '../../../machines/rigs/names.ts';
import type { Mailbox } from '../../../state/mail/mailbox.ts';
import { Bell } from '../../alerts/bell.ts';
import { sendToPerson } from '../../alerts/letter.ts';
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
  if (hasMayor) await boxAt(needs, 'mayor').send(letter);
  else await tellPerson(needs, boxAt(needs, 'overseer'), letter);
}

/** A letter to the person, whose command gets it, once for each id; its failure costs a note. False = it was sent before. */
export async function tellPerson(
  { root, disk, settings: { channels, process: limits }, note }: NotifyNeeds,
  box: Mailbox,
  letter: Parameters<Mailbox['send']>[0],
): Promise<boolean> {
  const bell = new Bell({ root, disk, ...waysOf(channels), limitMs: limits.notifyMs, wall: () => letter.sentAt });
  const ring = await sendToPerson((...told) => bell.keep(...told), box, letter);
  const failure = (await ring?.()) ?? null;
  if (failure !== null) note(failure);
  return ring !== null;
}
