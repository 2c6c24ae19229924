/**
 * Mail to requesters and people, verdicts above all. Sending twice is harmless: a mail has the dance, the warrant and
 * the verdict in its id.
 */
import { isLoginRestart, isStop, shownVerdict } from '../../machines/hearings/dance.ts';
import { orderName, type Dance, type Warrant } from '../../machines/protocol.ts';
import { savedText } from '../../machines/hearings/saved-work.ts';
import type { KnownAgents } from '../../machines/rigs/names.ts';
import { addressOf, MailRefused } from '../../state/mail/addresses.ts';
import type { Mailbox } from '../../state/mail/mailbox.ts';
import type { Hands } from '../ports/ports.ts';
import type { AlertDeps } from './hands.ts';
import { sendToPerson, type Keep } from './letter.ts';
import { mailNotice } from './notify.ts';

export interface NoticeDeps extends Pick<AlertDeps, 'clock' | 'log'> {
  readonly keep: Keep<void>;
  readonly mailboxOf: (address: string) => Mailbox;
  readonly correspondents: () => Promise<KnownAgents>;
}

export type Notices = Pick<Hands, 'sendVerdict' | 'mail' | 'putAwayMail'>;

/** The person behind everything. */
const OVERSEER = 'overseer';

export function createNotices(deps: NoticeDeps): Notices {
  return {
    sendVerdict: async ({ dance }) => {
      const known = await deps.correspondents();
      for (const warrant of dance.warrants) await mail(deps, dance, warrant, known);
      return { type: 'VERDICT_SENT' };
    },
    mail: async ({ id, to, subject, body }) => {
      const flags = { id: orderName(id), via: 'town', urgent: false, needs_response: false } as const;
      const address = addressOf(to, await deps.correspondents());
      await post(deps, address, { ...flags, from: 'town', subject, body, sentAt: deps.clock.wall() });
      return { type: 'MAILED' };
    },
    putAwayMail: async ({ to, of }) => {
      const box = deps.mailboxOf(addressOf(to, await deps.correspondents()));
      await box.archiveAll((await box.names()).filter((id) => id.startsWith(of)));
      return { type: 'MAILED' };
    },
  };
}

/** A requester who has no mailbox (a script, a person at a prompt) is answered through the overseer's. */
function addressFor(requester: string, known: KnownAgents): string {
  try {
    return addressOf(requester, known);
  } catch (error) {
    if (error instanceof MailRefused) return OVERSEER;
    throw error;
  }
}

/** Into a mailbox; what is for the person also goes into the log and to their command, once. */
async function post(deps: NoticeDeps, address: string, message: Parameters<Mailbox['send']>[0]): Promise<void> {
  const box = deps.mailboxOf(address);
  if (address !== OVERSEER) {
    await box.send(message);
    return;
  }
  const ring = await sendToPerson(deps.keep, box, message);
  if (ring === null) return;
  deps.log(mailNotice(message).text, { mail: message.id });
  await ring();
}

async function mail(deps: NoticeDeps, dance: Dance, warrant: Warrant, known: KnownAgents): Promise<void> {
  const verdict = dance.verdict ?? 'failed';
  const needsPerson = verdict === 'escalated' || verdict === 'failed';
  // The operator who stopped it waits, and the reply says what was saved. What goes on with its conversation stands in the report.
  if ((isStop(warrant) || isLoginRestart(dance)) && !needsPerson) return;
  const { session } = dance.target;
  const shown = shownVerdict(dance) ?? verdict;
  const survivors =
    dance.survivors.length === 0 ? '' : `Still alive: pids ${dance.survivors.map((p) => p.pid).join(', ')}.\n`;
  const rescue = dance.rescue === null ? '' : `Rescue: ${savedText(dance.rescue)}.\n`;
  await post(deps, addressFor(warrant.requester, known), {
    id: `${dance.id}.${warrant.id}.${verdict}`,
    from: 'town',
    subject: `VERDICT: ${session} ${shown}`,
    body:
      `${session} was ${shown.replace('_', ' ')}: ${dance.reason}.\n` +
      `Warrant ${warrant.id} by ${warrant.requester}: ${warrant.reason}\n` +
      `${survivors}${rescue}See: town dog show ${dance.id}\n`,
    sentAt: deps.clock.wall(),
    via: 'town',
    urgent: needsPerson,
    needs_response: false,
  });
}
