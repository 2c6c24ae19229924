/** What a person's command reads (src/alerts/bell.ts says when). */
import type { WallMs } from '../../machines/protocol.ts';
import type { Message } from '../../state/mail/mailbox.ts';
import { asks } from './news.ts';

/** What the command reads: one line of JSON. */
export interface Notice {
  readonly schema: 'notice/1';
  /** `alert`, `recovered`, `guard`, `mail`. */
  readonly kind: string;
  readonly text: string;
  /** ISO time. */
  readonly at: string;
  /** This one sends so many notices of one cause; absent = it is one. */
  readonly together?: number;
  readonly [more: string]: unknown;
}

/** A message in the person's mailbox, as their command gets it. */
export function mailNotice(
  message: Pick<Message, 'id' | 'from' | 'subject' | 'urgent' | 'via'> & { sentAt: WallMs },
): Notice {
  const { id, from, subject, urgent, sentAt } = message;
  const at = new Date(sentAt).toISOString();
  const question = asks(message);
  const text = `mail from ${from}: ${subject}`;
  const type = question ? [`town mail read ${id}`] : [];
  return { schema: 'notice/1', kind: 'mail', text, at, id, from, subject, urgent, question, type };
}
