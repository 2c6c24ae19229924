/** What waits for a person now: open alerts, unread mail, queued warrants, hearings under way. */
import { lettersFor, unreadIn, unreadMail, type UnreadMail } from '../../overview/overview.ts';
import { openAlert, type OpenAlert } from '../../overview/open-alerts.ts';
import { orUnknown, readDances, readPending, type StoredRecord } from '../../overview/records.ts';
import type { WarrantFile } from '../../../state/hearings/schemas.ts';
import type { Received } from '../../../state/mail/mailbox.ts';
import { callerToken } from '../../socket/caller-token.ts';
import type { Context } from '../context.ts';
import { clean, note } from '../../terminal/print.ts';
import { alertsOf, mailboxOf, OVERSEER } from '../asking/post.ts';

/** A list is null where its folder cannot be read: unknown. */
export interface Waits {
  readonly alerts: readonly OpenAlert[] | null;
  readonly mail: readonly (Required<UnreadMail> & { readonly sent_at: string })[] | null;
  /** The count of unread letters; `mail` holds the newest. */
  readonly mail_count: number | null;
  /** Pending: no dog has them yet. */
  readonly warrants: readonly { readonly id: string; readonly target: string; readonly reason: string }[] | null;
  /** Hearings; they ask nothing of a person. */
  readonly under_way: readonly { readonly id: string; readonly session: string }[] | null;
}

const letter = (one: Received) => ({
  ...unreadMail({ ...one, from: clean(one.from), subject: clean(one.subject) }),
  sent_at: one.sent_at,
});

const warrant = ({ name, value }: StoredRecord<WarrantFile>) => {
  const { id = name.slice(0, -'.json'.length), target, reason } = value;
  return { id, target: clean(target), reason: clean(reason) };
};

/** Looks only. */
export async function overseerWaits(context: Context): Promise<Waits> {
  const disk = await context.disk();
  const { box } = await mailboxOf(context, OVERSEER);
  const [alerts, mail, pending, dances] = await Promise.all([
    orUnknown((await alertsOf(context)).list(), 'the alerts', note),
    orUnknown(unreadIn(box), 'your mail', note),
    orUnknown(readPending(disk), 'the warrants that wait', note),
    orUnknown(readDances(disk), 'the hearings', note),
  ]);
  const heard = new Set(dances?.open.flatMap(({ value }) => value.warrants.map(({ id }) => id)));
  return {
    alerts: alerts && alerts.map((one) => openAlert({ ...one, text: clean(one.text) })),
    mail: lettersFor(callerToken(), mail && mail.newest.map(letter)),
    mail_count: mail && mail.count,
    warrants: pending && pending.found.map(warrant).filter(({ id }) => !heard.has(id)),
    under_way: dances && dances.open.map(({ value }) => ({ id: value.id, session: value.target.session })),
  };
}
