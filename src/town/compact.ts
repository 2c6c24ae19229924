/** P-16: closed dances do not pile up, nor handled news in a person's mailbox, nor letters that were put away. */
import { Mailbox } from '../../state/mail/mailbox.ts';
import { removeOldLetters } from '../../state/mail/old-letters.ts';
import { putAwayNews } from '../alerts/old-news.ts';
import type { HandsNeeds } from '../host/hands-needs.ts';
import { age, withSteps } from '../ports/age.ts';

interface CompactNeeds extends Pick<HandsNeeds, 'quarantine'> {
  readonly settings: Pick<HandsNeeds['settings'], 'state'>;
  readonly host: Pick<HandsNeeds['host'], 'clock' | 'disk'> & {
    readonly logger: Pick<HandsNeeds['host']['logger'], 'info' | 'warn'>;
  };
  readonly store: Pick<HandsNeeds['store'], 'compact'>;
}

/** A failure is no reason to end anything: the next round tries again. */
export async function compact(
  { settings, host: { clock, disk, logger }, store, quarantine }: CompactNeeds,
  stop: AbortSignal,
): Promise<void> {
  const notes = { disk, quarantine, note: (text: string) => logger.warn(text) };
  const round = async (): Promise<void> => {
    const gone = await store.compact();
    if (gone > 0) logger.info(`${gone} old hearings became a line of the journal`);
    const old = await putAwayNews(mailbox, clock.wall());
    if (old > 0) logger.info(`${old} old letters with news are in the archive of overseer`);
    const removed = await removeOldLetters(disk, settings.state, (at) => age(at, clock.wall()));
    if (removed > 0) logger.info(`${removed} old letters of the archives were removed`);
  };
  const mailbox = new Mailbox({ disk, quarantine }, 'overseer');
  for (;;) {
    await clock.sleep(settings.state.compactEveryMs, stop);
    if (stop.aborted) return;
    try {
      // By a clock that was set ahead every letter would be old.
      await withSteps(notes, { at: clock.now(), wall: clock.wall() }, round);
    } catch (error) {
      logger.warn({ err: error }, 'old hearings, news and letters could not be put away; it is tried again');
    }
  }
}
