/** A letter to the person: its notice is kept before it is written, so that no kill leaves one that never rings. */
import type { Cause } from '../../machines/alerts/policy.ts';
import type { Mailbox } from '../../state/mail/mailbox.ts';
import { mailCause } from './bell.ts';
import { mailNotice, type Notice } from './notify.ts';

/** `Bell.keep`, whose second half resolves with what it may. */
export type Keep<T> = (notice: Notice, cause: Cause) => Promise<() => Promise<T>>;

/**
 * Puts a letter into the person's mailbox. After a kill behind it the notice is left to the next look at what waits (`Bell.ringLate`).
 * Resolves with what rings; null = it was sent before. Rejects as `send`.
 */
export async function sendToPerson<T>(
  keep: Keep<T>,
  box: Pick<Mailbox, 'send'>,
  letter: Parameters<Mailbox['send']>[0],
): Promise<(() => Promise<T>) | null> {
  let ring: (() => Promise<T>) | null = null;
  const isNew = await box.send(letter, async () => {
    ring = await keep(mailNotice(letter), mailCause(letter));
  });
  return isNew ? ring : null;
}
