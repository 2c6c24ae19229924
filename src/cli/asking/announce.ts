/**
 * Announces a loud escalation where it is raised: letters to the mayor and the person, the person's command, and on the bead that this
 * is done. A cycle of the Deacon that falls in between sends the same letter, which rings once (machines/alerts/slots.ts).
 */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { Severity } from '../../../machines/patrols/escalations.ts';
import type { Message } from '../../../state/mail/mailbox.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { escalationCause } from '../../alerts/bell.ts';
import { changeBead } from '../../ledger/change.ts';
import { markPassed } from '../../ledger/escalations.ts';
import { tellPerson } from './person.ts';
import type { Context } from '../context.ts';
import { mailboxOf, OVERSEER } from './post.ts';

interface Announced {
  readonly bead: Bead;
  readonly severity: Severity;
  readonly letter: Omit<Message, 'to' | 'sent_at'> & { readonly sentAt: number };
}

export async function announce(context: Context, ledger: Ledger, { bead, severity, letter }: Announced): Promise<void> {
  for (const address of ['mayor', OVERSEER]) await (await mailboxOf(context, address)).box.send(letter);
  await tellPerson(context, letter, escalationCause(bead));
  await changeBead(ledger, bead.id, (one) => markPassed(one, severity, new Date().toISOString()));
}
