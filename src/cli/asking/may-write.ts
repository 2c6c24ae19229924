/** How many letters an agent may send, and the one letter that a person gets about an agent that goes on and on. */
import { fingerprint } from '../../../state/files/checksum.ts';
import { MailRefused } from '../../../state/mail/addresses.ts';
import { MAIL_BUDGET } from '../../../state/mail/policy.ts';
import { countSent } from '../../../state/mail/sent.ts';
import type { Caller } from '../../socket/permission.ts';
import type { Context } from '../context.ts';
import { nameOfCaller, type RoleCaller } from '../naming/caller.ts';
import { tellPerson } from './person.ts';
import { mailboxOf, OVERSEER } from './post.ts';

/** Counts one more letter of an agent. Throws MailRefused (5) for one over its budget, which is not sent. */
export async function mayWrite(context: Context, caller: Caller | RoleCaller): Promise<void> {
  if (caller.is !== 'agent') return;
  const sender = nameOfCaller(caller, undefined, '--from');
  try {
    await countSent(await context.disk(), sender, Date.now());
  } catch (error) {
    if (error instanceof MailRefused) await tellOnce(context, sender, caller.session);
    throw error;
  }
}

/** Once a day for each sender. */
async function tellOnce(context: Context, sender: string, session: string): Promise<void> {
  const sentAt = Date.now();
  const day = new Date(sentAt).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const letter = {
    id: `mail-over-${fingerprint(sender)}-${day}`,
    from: 'town',
    subject: `${sender} sends letters without end`,
    body: `It sent ${String(MAIL_BUDGET.perHour)} within an hour, and further ones are refused until the next hour. Type: town why ${session}\n`,
    via: 'town',
    urgent: false,
    needs_response: true,
    sentAt,
  } as const;
  await tellPerson(context, (await mailboxOf(context, OVERSEER)).box, letter);
}
