/** P-16: closed dances do not pile up, nor handled news in a person's mailbox, nor letters that were put away. */
import { Mailbox } from '../../state/mail/mailbox.ts';
import { removeOldLetters } from '../../state/mail/old-letters.ts';
import { putAwayNews } from '../alerts/old-news.ts';
import type { HandsNeeds } from '../host/hands-needs.ts';
import { age } from '../ports/age.ts';

/** A failure is no reason to end anything: the next round tries again. */
export async function compact(
  { settings, host: { clock, disk, logger }, store, quarantine }: HandsNeeds,
  stop: AbortSignal,
): Promise<void> {
  const mailbox = new Mailbox({ disk, quarantine }, settings.state.maxRecordBytes, 'overseer');
  for (;;) {
    await clock.sleep(settings.state.compactEveryMs, stop);
    if (stop.aborted) return;
    try {
      const gone = await store.compact();
      if (gone > 0) logger.info(`${gone} old hearings became a line of the journal`);
      const old = await putAwayNews(mailbox, clock.wall());
      if (old > 0) logger.info(`${old} old letters with news are in the archive of overseer`);
      const removed = await removeOldLetters(disk, settings.state, (at) => age(at, clock.wall()));
      if (removed > 0) logger.info(`${removed} old letters of the archives were removed`);
    } catch (error) {
      logger.warn({ err: error }, 'old hearings, news and letters could not be put away; it is tried again');
    }
  }
}
