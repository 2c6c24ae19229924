/** What waits for a person now: open alerts, unread mail, warrants that nobody hears yet, hearings under way. */
import { openAlert, unreadMail, type OpenAlert, type UnreadMail } from '../../overview/overview.ts';
import { orUnknown, readDances, readPending } from '../../overview/records.ts';
import type { Context } from '../context.ts';
import { clean, note } from '../../terminal/print.ts';
import { alertsOf, mailboxOf, OVERSEER } from '../post.ts';

/** null = its folder cannot be read: unknown. */
export interface Waits {
  readonly alerts: readonly OpenAlert[] | null;
  readonly mail: readonly (Required<UnreadMail> & { readonly sent_at: string })[] | null;
  /** Pending: no dog has them yet. */
  readonly warrants: readonly { readonly id: string; readonly target: string; readonly reason: string }[] | null;
  /** Hearings; they need nobody. */
  readonly under_way: readonly { readonly id: string; readonly session: string }[] | null;
}

/** Looks only. */
export async function overseerWaits(context: Context): Promise<Waits> {
  const disk = await context.disk();
  const { box } = await mailboxOf(context, OVERSEER);
  const [alerts, mail, pending, dances] = await Promise.all([
    orUnknown((await alertsOf(context)).list(), 'the alerts', note),
    orUnknown(box.inbox(), 'your mail', note),
    orUnknown(readPending(disk), 'the warrants that wait', note),
    orUnknown(readDances(disk), 'the hearings', note),
  ]);
  const heard = new Set(dances?.open.flatMap(({ value }) => value.warrants.map(({ id }) => id)));
  const id = (name: string): string => name.slice(0, -'.json'.length);
  return {
    alerts: alerts && alerts.map((one) => openAlert({ ...one, text: clean(one.text) })),
    mail:
      mail &&
      mail
        .filter((m) => m.box === 'new')
        .map((one) => ({
          ...unreadMail({ ...one, from: clean(one.from), subject: clean(one.subject) }),
          sent_at: one.sent_at,
        })),
    warrants:
      pending &&
      pending.found
        .map(({ name, value }) => ({
          id: value.id ?? id(name),
          target: clean(value.target),
          reason: clean(value.reason),
        }))
        .filter((warrant) => !heard.has(warrant.id)),
    under_way: dances && dances.open.map(({ value }) => ({ id: value.id, session: value.target.session })),
  };
}
