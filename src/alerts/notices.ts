/**
 * What people and requesters are told: verdicts by mail, and alerts (office.ts).
 * Telling twice is harmless: a mail has the dance, the warrant and the verdict in its id; an episode is told as an edge.
 */
import { OUTPUT_UNSAVED } from '../../machines/alerts/things.ts';
import { isStop } from '../../machines/hearings/dance.ts';
import { orderName, type Dance, type Warrant } from '../../machines/protocol.ts';
import { savedText } from '../../machines/hearings/saved-work.ts';
import { addressOf, MailRefused, type Correspondents, type Mailbox } from '../../state/mail/mailbox.ts';
import { outputPath } from '../../state/sessions/output.ts';
import type { Refused } from '../../state/files/quarantine.ts';
import { mailNotice } from './notify.ts';
import type { Office, OfficeDeps } from './office.ts';
import type { OrderOf, Perform } from '../ports/ports.ts';

export interface NoticeDeps extends Pick<OfficeDeps, 'clock' | 'notify' | 'log'> {
  readonly mailboxOf: (address: string) => Mailbox;
  readonly correspondents: () => Promise<Correspondents>;
  readonly office: Office;
}

export interface Notices {
  readonly tell: Perform<OrderOf<'tell'>>;
  readonly alert: Perform<OrderOf<'alert'>>;
  readonly endAlert: Perform<OrderOf<'endAlert'>>;
  readonly endOthers: Perform<OrderOf<'endOthers'>>;
  readonly mail: Perform<OrderOf<'mail'>>;
}

/** The person behind everything. */
const OVERSEER = 'overseer';

export function createNotices(deps: NoticeDeps): Notices {
  const { office } = deps;
  return {
    tell: async ({ dance }) => {
      const known = await deps.correspondents();
      for (const warrant of dance.warrants) await mail(deps, dance, warrant, known);
      return { type: 'TOLD' };
    },
    alert: async ({ alert, stands }) => {
      await office.raise(alert, stands);
      return { type: 'ALERTED' };
    },
    endAlert: async ({ episode, text }) => ({ type: 'ALERTED', ended: await office.end(episode, text) }),
    endOthers: async ({ of, except, text }) => ({
      ...{ type: 'ALERTED', ended: await office.endOthers(of, except, text) },
    }),
    mail: async ({ id, to, subject, body }) => {
      const flags = { id: orderName(id), via: 'town', urgent: false, needs_response: false } as const;
      const address = addressOf(to, await deps.correspondents());
      await post(deps, address, { ...flags, from: 'town', subject, body, sentAt: deps.clock.wall() });
      return { type: 'MAILED' };
    },
  };
}

/** A requester who has no mailbox (a script, a person at a prompt) is answered through the overseer's. */
function addressFor(requester: string, known: Correspondents): string {
  try {
    return addressOf(requester, known);
  } catch (error) {
    if (error instanceof MailRefused) return OVERSEER;
    throw error;
  }
}

/** Into a mailbox; what is for the person also goes into the log and to their command, once. */
async function post(deps: NoticeDeps, address: string, message: Parameters<Mailbox['send']>[0]): Promise<void> {
  const isNew = await deps.mailboxOf(address).send(message);
  if (address !== OVERSEER || !isNew) return;
  const notice = mailNotice(message);
  deps.log(notice.text, { mail: message.id });
  await deps.notify(notice);
}

async function mail(deps: NoticeDeps, dance: Dance, warrant: Warrant, known: Correspondents): Promise<void> {
  const verdict = dance.verdict ?? 'failed';
  const needsPerson = verdict === 'escalated' || verdict === 'failed';
  if (isStop(warrant) && !needsPerson) return; // Whoever stopped it waits for that, and is told what was saved.
  const { session } = dance.target;
  const survivors =
    dance.survivors.length === 0 ? '' : `Still alive: pids ${dance.survivors.map((p) => p.pid).join(', ')}.\n`;
  const rescue = dance.rescue === null ? '' : `Rescue: ${savedText(dance.rescue)}.\n`;
  await post(deps, addressFor(warrant.requester, known), {
    id: `${dance.id}.${warrant.id}.${verdict}`,
    from: 'town',
    subject: `VERDICT: ${session} ${verdict}`,
    body:
      `${session} was ${verdict.replace('_', ' ')}: ${dance.reason}.\n` +
      `Warrant ${warrant.id} by ${warrant.requester}: ${warrant.reason}\n` +
      `${survivors}${rescue}See: town dog show ${dance.id}\n`,
    sentAt: deps.clock.wall(),
    via: 'town',
    urgent: needsPerson,
    needs_response: false,
  });
}

/** A file that does not count. `sequel`: what became of it all the same, as a sentence. */
export async function fileAlarm(
  notices: Notices,
  { file, why, movedTo }: Refused,
  episode: string,
  sequel: string | null = null,
): Promise<void> {
  const place = movedTo === null ? 'It was left where it is.' : `It is kept in ${movedTo}.`;
  const text = [`${file} does not count: ${why} ${place}`, ...(sequel === null ? [] : [sequel])].join(' ');
  const alert = { episode, severity: 'medium', session: null, text } as const;
  await quietly(notices.alert, { type: 'alert', id: { name: episode }, alert });
}

const UNSAVED = `${OUTPUT_UNSAVED.kind}/`;
/** The session whose dead pane this episode is about; null = it is about something else. */
export const unsavedSession = (episode: string): string | null =>
  episode.startsWith(UNSAVED) ? episode.slice(UNSAVED.length) : null;

/** What a dead pane of this session shows could not be saved, for this reason, or could again. */
export async function outputAlarm(notices: Notices, session: string, why: string | null): Promise<void> {
  const episode = `${UNSAVED}${session}`;
  if (why === null) {
    const text = `What dead panes of ${session} show is saved again.`;
    await quietly(notices.endAlert, { type: 'endAlert', id: { name: episode }, episode, text });
    return;
  }
  const text = `What a dead pane of ${session} shows could not be saved (${why}), so it was left standing in tmux. Read it there, and see to ${outputPath(session)}.`;
  const alert = { episode, severity: 'medium', session, text } as const;
  await quietly(notices.alert, { type: 'alert', id: { name: episode }, alert });
}

/** What cannot be recorded now is in the log already. */
export async function quietly<O>(
  perform: (order: O, signal: AbortSignal) => Promise<unknown>,
  order: O,
): Promise<void> {
  await perform(order, new AbortController().signal).catch(() => undefined);
}
